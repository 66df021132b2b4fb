//! Time that nobody kept: a process that was frozen, or could not write, for longer than a round was as good as down.
//! Time while there is no process at all never becomes service time, so nothing has to be decided about it.

use std::time::Duration;

use crate::change::Change;
use crate::game::{Game, Running, State};
use crate::time::{Moment, round_span};
use crate::timer::Timer;

/// Passed time is made durable before more than this is at stake: so much of a phase is played again after a kill, at most.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

impl Game {
    /// Shifts the schedule by the time since the last heartbeat if that is certainly longer than a round; None if it is
    /// less, which is caught up, and if the game's time stands. A boundary that is overdue for so long could not be
    /// taken: whatever the heart did meanwhile, this game's time was not kept.
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

    /// The last moment at which the schedule is not shifted yet, with that heartbeat; None if the game's time stands.
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
