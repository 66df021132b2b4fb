//! What a game's schedule says: its next boundary and how far game time has come.
//! Nothing here moves a game on; a boundary takes effect only when `Game::advance` is told of it.

use std::time::Duration;

use crate::game::{Game, Running, State};
use crate::round::Phase;
use crate::time::Moment;

/// The scheduled end of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    pub at: Moment,
    pub kind: BoundaryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryKind {
    InputEnds,
    RoundEnds,
}

/// What a game's clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    pub game_time: Duration,
    pub round: u32,
    pub round_time: Duration,
    /// None after the end, like the time left in it.
    pub phase: Option<Phase>,
    pub phase_ends_in: Option<Duration>,
}

impl Game {
    pub fn next_boundary(&self) -> Option<Boundary> {
        match &self.state {
            State::Running(running) => Some(running.boundary()),
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
            }),
        }
    }
}

impl Running {
    pub(crate) fn boundary(&self) -> Boundary {
        let kind = match self.phase {
            Phase::Collection => BoundaryKind::InputEnds,
            Phase::Execution => BoundaryKind::RoundEnds,
        };
        Boundary { at: self.origin + self.phase_span().1, kind }
    }

    /// The phase decides, not the clock: until a boundary has been taken the time stands at the phase's end,
    /// and a boundary that was taken is never undone by an earlier `now` (after a crash some of the phase is played again).
    pub(crate) fn time(&self, now: Moment) -> GameClock {
        let (begins, ends) = self.phase_span();
        let game_time = (now - self.origin).clamp(begins, ends);
        GameClock {
            game_time,
            round: self.round.number,
            round_time: game_time.saturating_sub(self.round.begins),
            phase: Some(self.phase),
            phase_ends_in: Some(ends.saturating_sub(game_time)),
        }
    }

    /// In game time.
    fn phase_span(&self) -> (Duration, Duration) {
        match self.phase {
            Phase::Collection => (self.round.begins, self.round.input_ends()),
            Phase::Execution => (self.round.input_ends(), self.round.ends()),
        }
    }
}
