//! What the clock does to games: it takes boundaries at their scheduled instants, and makes passed time durable.
//! When a boundary is due is the schedule's business; see `round_clock`.

use starkeep_game_core::{Boundary, Game, GameId, Moment, RoundId, State};
use starkeep_platform::decision::{Decided, Decision, Failure, apply_all};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Games, Image, Rejection};
use crate::schedule_metrics::Cause;

impl App {
    /// Takes every boundary that is due, all at once so that they share commits, until none is. A boundary that has
    /// been overtaken (the game was ended meanwhile) is none.
    pub async fn take_due_boundaries(&self, epoch: Epoch) -> Outcome<()> {
        loop {
            let (image, now) = (self.store.image(), self.service_clock.now());
            let due = image.due(now);
            if due.is_empty() {
                return Ok(());
            }
            // After a stall nothing is due: the next heartbeat shifts the schedule first.
            if due.iter().any(|(game, _)| game.shift_after_stall(image.heartbeat().at, now).is_some()) {
                self.beat(epoch).await?;
                continue;
            }
            let boundaries: Vec<Boundary> = due.iter().map(|(_, boundary)| *boundary).collect();
            // A boundary may wait for the store so long that it is not due any more: its game has stalled, and its
            // schedule is to be shifted first.
            let works = due.iter().map(|(game, boundary)| {
                let work = self.advance(game.id, *boundary, now).fenced_by(epoch);
                match game.stalls_after(image.heartbeat().at) {
                    Some(last) => work.expires(self.clock.clone(), self.service_clock.instant_of(last)),
                    None => work,
                }
            });
            let taken = apply_all(&*self.store, works).await;
            for (boundary, taken) in boundaries.into_iter().zip(taken) {
                match taken {
                    Ok(_) => {
                        self.schedule_metrics.took(boundary.kind, self.service_clock.now() - boundary.at);
                    }
                    Err(Failure::Rejected(_) | Failure::Expired) => {}
                    Err(failure) => return Err(failure),
                }
            }
        }
    }

    /// Logs and counts by how much running games resume later than scheduled after downtime. The wall clock is used for
    /// nothing else.
    pub fn note_downtime(&self) {
        let (image, now) = (self.store.image(), self.clock.wall());
        // A heartbeat of the first schema has no label, so nothing is known.
        let unlabelled = image.heartbeat().wall.is_none() && image.heartbeat().at > Moment::default();
        if !image.some_game_ticks() || unlabelled {
            return;
        }
        let started = image.active_games().filter_map(|game| match &game.state {
            State::Running(running) => Some(running.started_at),
            _ => None,
        });
        if let Some(last) = started.chain(image.heartbeat().wall).max() {
            let by = now.duration_since(last).try_into().unwrap_or_default();
            tracing::info!(?by, "resuming games after downtime");
            self.schedule_metrics.shifted(Cause::Downtime, by, now);
        }
    }

    /// Whoever changes a game after a stall finds it where it was at its last heartbeat.
    pub(super) async fn shift_if_frozen(&self, id: GameId) -> Outcome<()> {
        let (image, now) = (self.store.image(), self.service_clock.now());
        match image.active_game(id).and_then(|game| game.shift_after_stall(image.heartbeat().at, now)) {
            // Those who do not lead keep no time, so they cannot have missed any.
            Some(_) => match self.replicas.lease().current() {
                Some(epoch) => self.beat(epoch).await,
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    fn advance(&self, id: GameId, boundary: Boundary, now: Moment) -> Decision<Games, Game> {
        let (wall, next_round) = (self.clock.wall(), RoundId(self.chance.uuid()));
        let policy = self.policy;
        self.game_change(id, move |game, image| {
            if game.shift_after_stall(image.heartbeat().at, now).is_some() {
                return Err(Rejection::NothingToDo);
            }
            game.advance(&policy, boundary, next_round, wall).ok_or(Rejection::NothingToDo)
        })
    }

    /// Makes the passed time durable, if any game's schedule depends on it. Time that nobody kept for longer than a
    /// round does not count for that round's game: its schedule is shifted in the same commit.
    pub async fn beat(&self, epoch: Epoch) -> Outcome<()> {
        if !self.store.image().some_game_ticks() {
            return Ok(());
        }
        let (at, wall) = (self.service_clock.now(), self.clock.wall());
        let work = Decision::new(vec![], move |image: &Image| {
            let shifts = image.active_games().filter_map(|game| {
                let (change, by) = game.shift_after_stall(image.heartbeat().at, at)?;
                Some(((game.id, timer_since(&change.after?)?), by))
            });
            let (shifted, by): (Vec<_>, Vec<_>) = shifts.unzip();
            Ok(Decided {
                change: Change::Heartbeat { at, wall, shifted },
                events: vec![],
                output: by.into_iter().max(),
            })
        });
        if let Some(by) = self.decide(work.fenced_by(epoch)).await? {
            tracing::warn!(
                ?by,
                "no heartbeat for longer than a round: the schedules of running games were shifted"
            );
            self.schedule_metrics.shifted(Cause::Freeze, by, wall);
        }
        Ok(())
    }
}

fn timer_since(game: &Game) -> Option<Moment> {
    if let State::Running(running) = &game.state { Some(running.timer.since) } else { None }
}
