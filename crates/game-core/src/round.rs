//! A round, its two phases, and where they lie in game time.
//! How one round follows another is decided in `rounds`.

use std::time::Duration;

use starkeep_core_types::RoundId;

use crate::time::{input_span, round_span};

/// Everything that was announced about a round stays as it was until its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    pub id: RoundId,
    /// Counted from 1.
    pub number: u32,
    /// In milliseconds.
    pub length: u32,
    /// In game time, exact: what was played of all rounds before it.
    pub begins: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The game has started, and its first round has yet to begin.
    Countdown,
    /// Commands are taken: the first three quarters of a round.
    Collection,
    /// Commands are carried out: the last quarter.
    Execution,
}

impl Round {
    /// How long commands are taken, if the clock decides.
    pub fn collection_span(&self) -> Duration {
        input_span(self.length)
    }

    /// How long they are carried out, if the clock decides.
    pub fn execution_span(&self) -> Duration {
        round_span(self.length).saturating_sub(input_span(self.length))
    }

    pub(crate) fn first(id: RoundId, length: u32) -> Self {
        Self { id, number: 1, length, begins: Duration::ZERO }
    }

    pub(crate) fn followed_by(&self, id: RoundId, length: u32, begins: Duration) -> Self {
        Self { id, number: self.number.saturating_add(1), length, begins }
    }
}
