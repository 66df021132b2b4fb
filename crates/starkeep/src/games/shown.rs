//! A game as it is shown to people. It is read tolerantly, so that services of other versions can be commanded, too.

use serde::Deserialize;
use serde_json::value::RawValue;
use starkeep_contract::game::Pace;
use starkeep_contract::{GameId, PlayerId, WorldId};

use crate::failure::CommandError;
use crate::names::short;
use crate::paint::{Look, harmless};

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownGame {
    pub game_id: GameId,
    /// None of a service that knows no names.
    #[serde(default)]
    pub name: Option<String>,
    pub game_status: String,
    pub max_players: u32,
    pub max_rounds: u32,
    pub current_round_number: Option<u32>,
    pub round_length_in_millis: u32,
    #[serde(default)]
    pub participating_players: Vec<PlayerId>,
    /// How many were not taken out, where that was asked.
    #[serde(skip)]
    pub playing: Option<usize>,
    #[serde(default)]
    pub paused: bool,
    #[serde(default)]
    pub pace: Option<Pace>,
    #[serde(default)]
    pub gameworld_id: Option<WorldId>,
    #[serde(default)]
    pub created_at: Option<String>,
    #[serde(default)]
    pub started_at: Option<String>,
    #[serde(default)]
    pub ended_at: Option<String>,
}

impl ShownGame {
    pub(crate) fn read(answer: &RawValue) -> Result<Self, CommandError> {
        serde_json::from_str(answer.get())
            .map_err(|fault| CommandError::Stopped(format!("the game service's answer is no game: {fault}")))
    }

    /// What people call it.
    pub(crate) fn label(&self) -> String {
        self.name.as_deref().map_or_else(|| self.short_id(), harmless)
    }

    pub(crate) fn short_id(&self) -> String {
        short(&self.game_id.to_string()).to_owned()
    }

    /// Those who have joined and were not taken out.
    pub(crate) fn players(&self) -> usize {
        self.playing.unwrap_or(self.participating_players.len())
    }

    pub(crate) fn round(&self) -> u32 {
        self.current_round_number.unwrap_or(0)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.game_status == "ended"
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.has_ended() && self.game_status != "created"
    }

    /// In the words of the standard dialect.
    pub(crate) fn status(&self) -> (&'static str, Look) {
        match (self.game_status.as_str(), self.paused) {
            ("created", _) => ("created", Look::Waiting),
            ("ended", _) => ("ended", Look::Dim),
            (_, true) => ("paused", Look::Waiting),
            (_, false) => ("running", Look::Good),
        }
    }
}

#[cfg(test)]
pub(crate) fn game(id: &str, name: Option<&str>, status: &str) -> ShownGame {
    serde_json::from_value(serde_json::json!({
        "gameId": id, "name": name, "gameStatus": status, "maxPlayers": 4, "maxRounds": 20, "currentRoundNumber": 3,
        "roundLengthInMillis": 2000,
    }))
    .unwrap()
}
