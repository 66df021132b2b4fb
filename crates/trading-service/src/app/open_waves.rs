//! Who finishes a wave that was written down: the replica that owns it, as long as it lives; the others wait for it. What a
//! replica that is gone has left open is taken over by whoever leads.
//!
//! If two replicas made the calls of a wave, one of them could find that the robot service cannot be reached and give the
//! money back, while the other has received the robots.

use starkeep_executor::{BatchHeaders, IntentChanges};
use starkeep_platform::clock::Monotonic;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::intent::IntentId;
use starkeep_trading_core::GameId;
use tokio::sync::watch;

use super::batch::{Batch, BatchFailure, FINISHING_TIME};
use super::calls::Undelivered;
use super::{App, Outcome};
use crate::domain::{Change, Image, Rejection, TRADES, Trading};

impl App {
    /// For a batch, in its turn: waits until the game's wave is settled by another replica, or is this one's to finish, but
    /// not beyond that instant.
    pub(super) async fn wait_for_owner(&self, game: GameId, until: Monotonic) -> Outcome<()> {
        let mut changes = IntentChanges::new(self.store.commits(TRADES), &*self.replicas);
        loop {
            changes.mark_seen();
            self.take_over_waves().await?;
            let image = self.store.fresh().await?;
            if image.open.get(&game).is_none_or(|open| open.owner == self.replica) {
                return Ok(());
            }
            let is_over = tokio::select! {
                biased;
                is_changed = changes.next() => !is_changed,
                () = self.clock.sleep_until(until) => true,
            };
            if is_over {
                return Ok(());
            }
        }
    }

    /// If this replica leads, waves whose owner is gone become its own.
    pub(crate) async fn take_over_waves(&self) -> Outcome<()> {
        let Some(epoch) = self.replicas.lease().current() else { return Ok(()) };
        let image = self.image();
        let abandoned = image.open.iter().filter(|(_, open)| !self.replicas.is_alive(open.owner));
        for (game, open) in abandoned {
            let (game, wave, owner, by) = (*game, open.id, open.owner, self.replica);
            let work = Decision::<Trading, ()>::new(Vec::new(), move |image: &Image| {
                if image.open.get(&game).is_none_or(|open| (open.id, open.owner) != (wave, owner)) {
                    return Err(Rejection::NothingToDo);
                }
                let change = Change::TakenOver { game, wave, by };
                Ok(Decided { change, events: Vec::new(), output: () })
            });
            match self.apply(work.fenced_by(epoch)).await {
                Ok(()) | Err(Failure::Rejected(Rejection::NothingToDo)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Changes when a replica is gone.
    pub(crate) fn departures(&self) -> watch::Receiver<()> {
        self.replicas.departures()
    }

    /// Does the wave still belong to this replica?
    pub(super) async fn owns(&self, game: GameId, wave: IntentId) -> Outcome<bool> {
        let image = self.store.fresh().await?;
        Ok(image.open.get(&game).is_some_and(|open| (open.id, open.owner) == (wave, self.replica)))
    }

    /// Games whose trades this replica has to settle.
    pub(crate) fn unfinished_here(&self) -> Vec<GameId> {
        let image = self.image();
        image.open.iter().filter(|(_, open)| open.owner == self.replica).map(|(game, _)| *game).collect()
    }

    /// Settles what this replica has left open, unless a batch of the game is at work here and does it.
    pub(crate) async fn finish(&self, game: GameId) -> Result<(), BatchFailure> {
        let Some(_lock) = self.locks.try_lock(game) else { return Ok(()) };
        let open = self.image().open.get(&game).filter(|open| open.owner == self.replica).cloned();
        let Some(open) = open else { return Ok(()) };
        let until = self.clock.monotonic().after(FINISHING_TIME);
        let settlement = match self.deliver(&open, false, until).await {
            Ok(settlement) => settlement,
            Err(Undelivered::TakenOver) => return Ok(()),
            Err(Undelivered::NoAnswer) => return Err(BatchFailure::OutOfTime),
        };
        let headers = BatchHeaders {
            game: Some(game),
            round: open.call.round,
            seed: open.call.seed,
            timeout: FINISHING_TIME,
        };
        self.advance(&mut Batch::settling(game, headers, settlement), 0).await.map(drop)
    }
}
