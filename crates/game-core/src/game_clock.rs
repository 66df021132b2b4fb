//! What a game's schedule says: its next boundary and how far game time has come.
//! Nothing here moves a game on; a boundary takes effect only when `Game::advance` is called with it.

use std::time::Duration;

use crate::game::{Game, Running, State};
use crate::round::Phase;
use crate::time::Moment;

/// The scheduled end of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    pub at: Moment,
    /// Two rounds of a game in a hurry may end at the same instant.
    pub round: u32,
    pub kind: BoundaryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryKind {
    FirstRoundBegins,
    InputEnds,
    RoundEnds,
}

/// What a game's clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    pub game_time: Duration,
    /// 0 before the first round begins.
    pub round: u32,
    pub round_time: Duration,
    /// None before the first round and after the end, like the time left in it.
    pub phase: Option<Phase>,
    pub phase_ends_in: Option<Duration>,
    pub paused: bool,
}

impl Game {
    /// None also while the game's time stands.
    pub fn next_boundary(&self) -> Option<Boundary> {
        match &self.state {
            State::Running(running) => running.boundary(),
            State::Created { .. } | State::Ended(_) => None,
        }
    }

    /// None if the game has not started, or was ended without ever starting.
    pub fn time(&self, now: Moment) -> Option<GameClock> {
        match &self.state {
            State::Created { .. } => None,
            State::Running(running) => Some(running.time(now)),
            State::Ended(ended) => ended.started_at.map(|_| GameClock {
                game_time: ended.game_time,
                round: ended.last_round,
                round_time: ended.round_time,
                phase: None,
                phase_ends_in: None,
                paused: false,
            }),
        }
    }
}

impl Running {
    pub(crate) fn boundary(&self) -> Option<Boundary> {
        let kind = match self.phase {
            Phase::Countdown => BoundaryKind::FirstRoundBegins,
            Phase::Collection => BoundaryKind::InputEnds,
            Phase::Execution => BoundaryKind::RoundEnds,
        };
        Some(Boundary { at: self.timer.moment_of(self.phase_ends)?, round: self.round.number, kind })
    }

    /// The phase decides, not the clock: until its boundary has been taken the time stands at the phase's end. In the
    /// countdown this is how much of that has passed: game time begins with the first round.
    pub(crate) fn game_time(&self, now: Moment) -> Duration {
        self.timer.game_time(now).min(self.phase_ends)
    }

    pub(crate) fn time(&self, now: Moment) -> GameClock {
        if self.phase == Phase::Countdown {
            return GameClock {
                game_time: Duration::ZERO,
                round: 0,
                round_time: Duration::ZERO,
                phase: None,
                phase_ends_in: None,
                paused: self.timer.paused,
            };
        }
        let game_time = self.game_time(now);
        GameClock {
            game_time,
            round: self.round.number,
            round_time: game_time.saturating_sub(self.round.begins),
            phase: Some(self.phase),
            phase_ends_in: Some(self.phase_ends.saturating_sub(game_time)),
            paused: self.timer.paused,
        }
    }
}
