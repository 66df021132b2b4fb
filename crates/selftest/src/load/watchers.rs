//! Clients that look at the newest games again and again: what they see must be explained by the log of the game service.

use std::time::Duration;

use serde_json::Value;
use starkeep_fault_harness::Chance;

use crate::records::{Acknowledged, GameState, GameStatus, Records, Span};
use crate::service::{Service, Told};

/// Those that run, and some that have just ended.
const WATCHED: usize = 4;

pub(crate) struct Watcher {
    pub(crate) game: Service,
    pub(crate) records: Records,
    pub(crate) chance: Chance,
    /// Between two looks.
    pub(crate) pause: Duration,
}

impl Watcher {
    pub(crate) async fn run(mut self) {
        while self.game.goes_on() {
            self.game.pause_for(self.pause).await;
            let games = self.records.newest_games(WATCHED);
            if !games.is_empty() {
                let game = self.chance.pick(&games).clone();
                self.look(game).await;
            }
        }
    }

    async fn look(&self, game: String) {
        let invoked = self.game.clock.monotonic();
        let Told::Answer { status: 200, body } = self.game.get(&format!("/games/{game}")).await else {
            return self.game.pause().await;
        };
        let span = Span { invoked, returned: self.game.clock.monotonic() };
        self.records.journal.note(Acknowledged::GameRead { game, seen: seen(&body), span });
    }
}

fn seen(game: &Value) -> GameState {
    GameState {
        status: GameStatus::of(&game["gameStatus"]),
        round: game["currentRoundNumber"].as_u64().unwrap_or_default(),
        players: game["participatingPlayers"].as_array().map_or(0, Vec::len),
    }
}
