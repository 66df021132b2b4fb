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
        let overdue = now - running.boundary()?.at;
        let unkept = overdue.max(now - heartbeat.max(running.timer.since));
        if unkept <= round_span(running.round.length) + HEARTBEAT {
            return None;
        }
        let timer = Timer { since: running.timer.since + unkept, ..running.timer };
        let shifted = Running { timer, ..running.clone() };
        Some((Change::new(self, self.in_state(State::Running(shifted))), unkept))
    }
}
