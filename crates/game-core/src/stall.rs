//! Stalls: a process that was frozen, or could not write, for longer than a round counts as down for that time.
//! Time without any process never becomes service time, so nothing has to be decided about it.
//!
//! The heartbeat is the evidence: it is written every 50 ms while a game runs, so a gap between two heartbeats is time that
//! was not kept. Example with rounds of 60 s: the last heartbeat is at the moment 200, the process is frozen, and goes on at
//! 290. The gap of 90 s is longer than a round, so the timer's `since` moves forward by 90 s and the phase continues with the
//! time it had left at 200. After a gap of 30 s nothing is shifted: an overdue boundary is taken at its scheduled moment.
//!
//! Why a round is the limit: a shorter gap can be caught up within one round, while catching up a longer one would play
//! whole rounds in which no bot could send a command. Why per game: games have rounds of different lengths.

use std::time::Duration;

use crate::change::Change;
use crate::game::{Game, Running, State};
use crate::time::{Moment, round_span};
use crate::timer::Timer;

/// Passed time is made durable at least this often: at most so much of a phase is played again after a kill.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

impl Game {
    /// Shifts the schedule by the time since the last heartbeat if that is certainly longer than a round. None if it is
    /// shorter, which is caught up, and if the game is paused. A boundary that is overdue for so long could not be
    /// committed: this game's time was not kept then, even if heartbeats were written.
    pub fn shift_after_stall(&self, heartbeat: Moment, now: Moment) -> Option<(Change, Duration)> {
        let State::Running(running) = &self.state else { return None };
        let unkept = now - running.kept_until(heartbeat)?;
        if unkept <= round_span(running.round.length) + HEARTBEAT {
            return None;
        }
        let timer = Timer { since: running.timer.since + unkept, ..running.timer };
        let shifted = Running { timer, ..running.clone() };
        Some((Change::new(self, self.in_state(State::Running(shifted))), unkept))
    }

    /// The last moment at which the schedule is not shifted yet, with that heartbeat; None if the game is paused.
    pub fn stalls_after(&self, heartbeat: Moment) -> Option<Moment> {
        let State::Running(running) = &self.state else { return None };
        Some(running.kept_until(heartbeat)? + round_span(running.round.length) + HEARTBEAT)
    }
}

impl Running {
    /// Until then the game's time was certainly kept.
    fn kept_until(&self, heartbeat: Moment) -> Option<Moment> {
        Some(self.boundary()?.at.min(heartbeat.max(self.timer.since)))
    }
}
