//! How a running game goes on: one boundary at a time, each at the instant it was scheduled for.
//! When to wake up for a boundary is the service's business; an early end is decided in `end`.

use jiff::Timestamp;

use crate::change::{Change, Event};
use crate::game::{Game, Running, State};
use crate::game_clock::BoundaryKind;
use crate::ids::RoundId;
use crate::round::Phase;
use crate::time::Moment;

impl Game {
    /// Takes the boundary that is scheduled for exactly that moment; None if it is not (any longer) the next one,
    /// so that being called twice does no harm. `next_round` is the id of the round that may begin here.
    ///
    /// The next round follows from where this one was meant to end, never from when somebody noticed.
    pub fn advance(&self, boundary: Moment, next_round: RoundId, now: Timestamp) -> Option<Change> {
        let State::Running(running) = &self.state else { return None };
        let next = running.boundary();
        if next.at != boundary {
            return None;
        }
        Some(match next.kind {
            BoundaryKind::InputEnds => self.input_over(running),
            BoundaryKind::RoundEnds if running.round.number >= self.max_rounds => {
                self.ended_while_running(running, running.round.ends(), now)
            }
            BoundaryKind::RoundEnds => self.round_over(running, next_round),
        })
    }

    fn input_over(&self, running: &Running) -> Change {
        let executing = Running { phase: Phase::Execution, ..running.clone() };
        Change::new(self, self.in_state(State::Running(executing)))
            .announcing([Event::input_ended(self.id, &running.round)])
    }

    fn round_over(&self, running: &Running, next_round: RoundId) -> Change {
        let round = running.round.followed_by(next_round, self.round_length);
        let collecting = Running { round, phase: Phase::Collection, ..running.clone() };
        Change::new(self, self.in_state(State::Running(collecting)))
            .announcing([Event::round_ended(self.id, &running.round), Event::round_started(self.id, &round)])
            .opening(round)
    }
}
