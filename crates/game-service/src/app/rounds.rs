//! What the clock does to games: it takes boundaries at their scheduled instants, and makes passed time durable.
//! When a boundary is due is the schedule's business; see `round_clock`.

use futures::future::join_all;
use starkeep_game_core::{GameId, Moment, RoundId};
use starkeep_platform::apply::{Decided, Failure, Remember, Work};

use super::{App, Outcome};
use crate::domain::{Change, Image, Rejection};

impl App {
    /// Takes every boundary that is due, all at once so that they share commits, until none is. A boundary that has
    /// been overtaken (the game was ended meanwhile) is none.
    pub async fn take_due_boundaries(&self) -> Outcome<()> {
        loop {
            let due = self.store.image().due(self.timeline.now());
            if due.is_empty() {
                return Ok(());
            }
            let taken = join_all(due.into_iter().map(|(game, at)| self.advance(game, at))).await;
            taken.into_iter().collect::<Outcome<()>>()?;
        }
    }

    async fn advance(&self, id: GameId, boundary: Moment) -> Outcome<()> {
        let (now, next_round) = (self.clock.wall(), RoundId(self.chance.uuid()));
        let taken = self.change_game(id, Remember::nothing(), move |game, _| {
            game.advance(boundary, next_round, now).ok_or(Rejection::NothingToDo)
        });
        match taken.await {
            Ok(_) | Err(Failure::Rejected(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Makes the passed time durable, if any game's schedule depends on it.
    pub async fn beat(&self) -> Outcome<()> {
        if !self.store.image().some_game_runs() {
            return Ok(());
        }
        let now = self.timeline.now();
        let work = Work::new(vec![], move |_: &Image| {
            Ok(Decided { change: Change::Heartbeat(now), events: vec![], output: () })
        });
        self.decide(work).await
    }
}
