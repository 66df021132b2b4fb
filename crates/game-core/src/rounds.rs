//! How a running game goes on: one boundary at a time, each at the instant it was scheduled for.
//! When to wake up for a boundary is the service's business; what ends a phase early is in `pause`, `pace` and `end`.

use std::time::Duration;

use imbl::HashSet;
use jiff::Timestamp;
use starkeep_core_types::RoundId;

use crate::change::{Change, EndReason, Event, UnsentReason};
use crate::game::{Game, Running, State};
use crate::game_clock::{Boundary, BoundaryKind};
use crate::policy::Policy;
use crate::round::{Phase, Round};
use crate::time::Moment;
use crate::timer::Timer;

impl Game {
    /// Takes that very boundary; None if it is not (any longer) the next one, so that being called twice does no harm. `next_round` is the id of the round that may begin here.
    ///
    /// The next round follows from where this one was meant to end, never from when somebody noticed.
    pub fn advance(
        &self,
        policy: &Policy,
        boundary: Boundary,
        next_round: RoundId,
        now: Timestamp,
    ) -> Option<Change> {
        let State::Running(running) = &self.state else { return None };
        let Boundary { at, kind, .. } = running.boundary().filter(|next| *next == boundary)?;
        let game_time = running.phase_ends;
        Some(match kind {
            BoundaryKind::FirstRoundBegins => self.first_round_begun(running, at),
            BoundaryKind::InputEnds => self.input_over(running, game_time, at),
            BoundaryKind::RoundEnds => self.over(policy, running, game_time, at, next_round, now),
        })
    }

    /// The first round begins at that moment, with its full length, and game time with it.
    pub(crate) fn first_round_begun(&self, running: &Running, at: Moment) -> Change {
        let round = Round::first(running.round.id, self.round_length);
        let collecting = Running {
            round,
            phase: Phase::Collection,
            phase_ends: round.collection_span(),
            timer: Timer { since: at, from: Duration::ZERO, ..running.timer },
            ..running.clone()
        };
        Change::new(self, self.in_state(State::Running(collecting)))
            .announcing([Event::round_started(self.id, &round)])
            .opening(round)
    }

    /// The round ends at that game time, which is that moment, and with the last one the game.
    pub(crate) fn over(
        &self,
        policy: &Policy,
        running: &Running,
        game_time: Duration,
        at: Moment,
        next_round: RoundId,
        now: Timestamp,
    ) -> Change {
        if running.round.number >= self.max_rounds {
            self.ended_while_running(running, game_time, now, EndReason::RoundsOver)
                .with_unsent(UnsentReason::OutOfTime)
        } else {
            self.round_over(policy, running, game_time, at, next_round)
        }
    }

    /// The input ends at that game time, which is that moment.
    pub(crate) fn input_over(&self, running: &Running, game_time: Duration, at: Moment) -> Change {
        let executing = Running {
            phase: Phase::Execution,
            phase_ends: game_time.saturating_add(running.round.execution_span()),
            timer: Timer { since: at, from: game_time, ..running.timer },
            ..running.clone()
        };
        Change::new(self, self.in_state(State::Running(executing)))
            .announcing([Event::input_ended(self.id, &running.round)])
    }

    /// The round ends at that game time, which is that moment, and the next one begins.
    pub(crate) fn round_over(
        &self,
        policy: &Policy,
        running: &Running,
        game_time: Duration,
        at: Moment,
        next_round: RoundId,
    ) -> Change {
        let round = running.round.followed_by(next_round, self.round_length, game_time);
        let replenish = self.is_to_be_replenished(policy, running);
        let collecting = Running {
            round,
            phase: Phase::Collection,
            phase_ends: game_time.saturating_add(round.collection_span()),
            timer: Timer { since: at, from: game_time, ..running.timer },
            ready: HashSet::new(),
            replenished_after: if replenish { running.round.number } else { running.replenished_after },
            ..running.clone()
        };
        let change = Change::new(self, self.in_state(State::Running(collecting)))
            .announcing([Event::round_ended(self.id, &running.round), Event::round_started(self.id, &round)])
            .opening(round)
            .with_unsent(UnsentReason::OutOfTime);
        Change { replenish, ..change }
    }
}
