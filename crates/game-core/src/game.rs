//! A game as it is stored: its settings, its players, its world and the state it is in.
//! The commands that change one live in the files named after them (`start`, `rounds`, `pause`, `end`, `join`, …).

use std::time::Duration;

use imbl::HashSet;
use jiff::Timestamp;
use starkeep_core_types::{GameId, PlayerId, WorldId};

use crate::made_world::ReplenishmentMode;
use crate::roster::Roster;
use crate::round::{Phase, Round};
use crate::settings::Pace;
use crate::status::Status;
use crate::timer::Timer;

#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    pub id: GameId,
    /// Chosen by the host, or "Game n". Games may have the same one.
    pub name: String,
    pub max_rounds: u32,
    pub max_players: u32,
    /// In milliseconds, of the next round: the current one keeps the length it was announced with.
    pub round_length: u32,
    pub pace: Pace,
    /// Handed to the map as it is, like the style. Where there is one, the game's random choices are drawn from it, too.
    pub seed: Option<u64>,
    /// What they are drawn from otherwise. A secret: who knows it foresees them.
    pub drawn_seed: u64,
    pub style: Option<String>,
    /// Handed to the map like the seed: it hides the seed until the game is over.
    pub nonce: Option<String>,
    /// What a player begins with.
    pub start_money: u32,
    pub world: Option<WorldId>,
    /// The host named the world: it is kept at the start, however many have joined.
    pub world_is_given: bool,
    /// Of the world that it is played in.
    pub replenishment: ReplenishmentMode,
    /// The world that was made at the creation and did not fit at the start; it is deleted with the game.
    pub replaced_world: Option<WorldId>,
    pub roster: Roster,
    pub created_at: Timestamp,
    pub state: State,
}

/// Each state carries what has a meaning in it and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    Created { start: Option<StartUnderWay> },
    Running(Running),
    Ended(Ended),
}

/// A start that waits for its world. It holds its slot already, so that of two racing starts one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartUnderWay {
    pub slot: u32,
    pub world: WorldId,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    pub slot: u32,
    pub started_at: Timestamp,
    pub timer: Timer,
    /// The open round; in the countdown the first one, which has yet to begin.
    pub round: Round,
    pub phase: Phase,
    /// In game time: where the open phase is meant to end.
    pub phase_ends: Duration,
    /// Who has said to need no more of this round's collection. Nobody who was taken out.
    pub ready: HashSet<PlayerId>,
    /// The last round after which its world was to be replenished; 0 if there was none.
    pub replenished_after: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// None: the game was cancelled before it started.
    pub started_at: Option<Timestamp>,
    pub ended_at: Timestamp,
    /// 0 if there was none.
    pub last_round: u32,
    pub game_time: Duration,
    pub round_time: Duration,
}

impl Game {
    pub fn status(&self) -> Status {
        match self.state {
            State::Created { .. } => Status::Created,
            State::Running(_) => Status::Running,
            State::Ended(_) => Status::Ended,
        }
    }

    /// The world that the host named.
    pub fn given_world(&self) -> Option<WorldId> {
        self.world.filter(|_| self.world_is_given)
    }

    /// The world that a start under way waits for.
    pub fn world_under_way(&self) -> Option<WorldId> {
        match &self.state {
            State::Created { start } => start.map(|start| start.world),
            State::Running(_) | State::Ended(_) => None,
        }
    }

    /// 0 before the first round; after the end the last round's number.
    pub fn current_round(&self) -> u32 {
        match &self.state {
            State::Created { .. } => 0,
            State::Running(_) if self.is_counting_down() => 0,
            State::Running(running) => running.round.number,
            State::Ended(ended) => ended.last_round,
        }
    }

    /// Has it started, and its first round yet to begin?
    pub fn is_counting_down(&self) -> bool {
        matches!(&self.state, State::Running(running) if running.phase == Phase::Countdown)
    }

    pub(crate) fn in_state(&self, state: State) -> Self {
        Self { state, ..self.clone() }
    }
}
