//! The end of a game, whatever brings it about, and the deletion of one that has ended.
//! Neither waits for the map: worlds are put on the list of those to retire.

use std::time::Duration;

use jiff::Timestamp;

use crate::change::{Change, EndReason, Event, Retire, UnsentReason};
use crate::game::{Ended, Game, Running, State};
use crate::rejection::Rejection;
use crate::round::Phase;
use crate::time::Moment;

impl Ended {
    /// Of a game that was cancelled.
    fn without_rounds(now: Timestamp) -> Self {
        Self {
            started_at: None,
            ended_at: now,
            last_round: 0,
            game_time: Duration::ZERO,
            round_time: Duration::ZERO,
        }
    }
}

impl Game {
    /// The open round is closed first. A game that has not started is cancelled, and a start under way withdrawn.
    pub fn end(&self, at: Moment, now: Timestamp) -> Result<Change, Rejection> {
        match &self.state {
            State::Running(running) => {
                Ok(self.ended_while_running(running, running.game_time(at), now, EndReason::ByHost))
            }
            State::Created { start } => Ok(self
                .ended(Ended::without_rounds(now), vec![], EndReason::ByHost)
                .retiring(start.as_ref().map(|start| start.world), Retire::Delete)),
            State::Ended(_) => Err(Rejection::Ended { game: self.id }),
        }
    }

    pub fn delete(&self) -> Result<Change, Rejection> {
        match self.state {
            State::Ended(_) => {
                let worlds = self.world.into_iter().chain(self.replaced_world);
                let removed = Change { after: None, ..Change::new(self, self.clone()) };
                Ok(removed.announcing([Event::Deleted(self.id)]).retiring(worlds, Retire::Delete))
            }
            State::Created { .. } | State::Running(_) => {
                Err(Rejection::NotEnded { game: self.id, status: self.status() })
            }
        }
    }

    /// `game_time` is where the game's clock stops.
    pub(crate) fn ended_while_running(
        &self,
        running: &Running,
        game_time: Duration,
        now: Timestamp,
        reason: EndReason,
    ) -> Change {
        if running.phase == Phase::Countdown {
            let ended = Ended { started_at: Some(running.started_at), ..Ended::without_rounds(now) };
            return self.ended(ended, vec![], reason);
        }
        let mut events = Vec::with_capacity(3);
        if running.phase == Phase::Collection {
            events.push(Event::input_ended(self.id, &running.round));
        }
        events.push(Event::round_ended(self.id, &running.round));
        let ended = Ended {
            started_at: Some(running.started_at),
            ended_at: now,
            last_round: running.round.number,
            game_time,
            round_time: game_time.saturating_sub(running.round.begins),
        };
        self.ended(ended, events, reason).with_unsent(UnsentReason::Dropped)
    }

    fn ended(&self, ended: Ended, mut events: Vec<Event>, reason: EndReason) -> Change {
        events.push(Event::Ended(self.id));
        let change = Change::new(self, self.in_state(State::Ended(ended)));
        Change { end: Some(reason), ..change }.announcing(events).retiring(self.world, Retire::Deactivate)
    }
}
