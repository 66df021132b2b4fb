//! What the dialects disagree about as far as the rules go: a value that the use cases are given.
//! How a dialect looks on the wire is not known here.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::settings::ROUND_LENGTHS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub world_made: WorldMade,
    /// Whether a created or running game forbids the creation of another one.
    pub one_active_game: bool,
    /// In milliseconds.
    pub least_round_length: u32,
    /// How many games may run at a time: each takes one of as many numbered slots.
    pub running_games: u32,
    /// Between the start of a game and its first round.
    pub start_delay: Duration,
    /// Whether a robot acts in the game that it was spawned in and in no other.
    pub robots_end_with_game: bool,
    /// Whether a host may name the world that a game is played in.
    pub takes_given_worlds: bool,
    /// How much playing time lies between two replenishments of a world, in whole rounds; None: there are none.
    pub replenish_every: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldMade {
    /// Sized for the seats; kept at the start if every seat is taken, otherwise replaced.
    AtCreate,
    /// Sized for the players who have joined by then.
    AtStart,
}

impl Policy {
    pub const fn standard() -> Self {
        Self {
            world_made: WorldMade::AtCreate,
            one_active_game: false,
            least_round_length: *ROUND_LENGTHS.start(),
            running_games: 1,
            start_delay: Duration::ZERO,
            robots_end_with_game: false,
            takes_given_worlds: true,
            replenish_every: None,
        }
    }

    /// What the existing clients of the game expect.
    pub const fn msd() -> Self {
        Self {
            world_made: WorldMade::AtStart,
            one_active_game: true,
            least_round_length: 2_000,
            running_games: 1,
            // They read the start and the first round in separate threads. On a busy machine one second was too short for three bots.
            start_delay: Duration::from_secs(5),
            // The existing robot service keeps its robots when a game ends.
            robots_end_with_game: true,
            takes_given_worlds: true,
            replenish_every: None,
        }
    }

    #[must_use]
    pub fn with_running_games(self, running_games: u32) -> Self {
        Self { running_games, ..self }
    }

    #[must_use]
    pub fn with_start_delay(self, start_delay: Duration) -> Self {
        Self { start_delay, ..self }
    }

    /// A trading service that forgets the stations that it learned of before a game does not know those of a given world.
    #[must_use]
    pub fn without_given_worlds(self) -> Self {
        Self { takes_given_worlds: false, ..self }
    }

    #[must_use]
    pub fn with_replenish_every(self, replenish_every: Option<Duration>) -> Self {
        Self { replenish_every, ..self }
    }

    pub(crate) fn round_lengths(&self) -> RangeInclusive<u32> {
        self.least_round_length..=*ROUND_LENGTHS.end()
    }
}
