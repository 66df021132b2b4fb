//! Who finishes minings that were written down: the replica that owns them, as long as it lives; the others wait for it. What
//! a replica that is gone has left open is taken over by whoever leads. Its answers are booked in `settling`.
//!
//! If two replicas asked the map for the same mining, one of them could find that its request has not arrived and book a
//! failure, while the map has given the ore to the other.

use std::collections::BTreeSet;

use starkeep_executor::IntentChanges;
use starkeep_platform::clock::Monotonic;
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::intent::IntentId;
use starkeep_robot_core::GameId;

use super::{App, Outcome, or_nothing};
use crate::domain::{Change, Image, MININGS, Mining, Rejection};

impl App {
    /// Changes where this replica may have something to finish.
    pub(crate) fn mining_changes(&self) -> IntentChanges {
        IntentChanges::new(self.store.commits(MININGS), &*self.replicas)
    }

    /// For a batch, in its turn: asks for what this replica owns and waits for the others. For `begun` the map was not asked
    /// before. Whether nothing of the game is open any longer.
    pub(super) async fn settle_open_minings(
        &self,
        game: GameId,
        until: Monotonic,
        begun: &BTreeSet<IntentId>,
    ) -> Outcome<bool> {
        let (mut changes, mut asked) = (self.mining_changes(), BTreeSet::new());
        loop {
            changes.mark_seen();
            self.take_over_minings().await?;
            let image = self.store.fresh().await?;
            let (own, others): (Vec<_>, Vec<_>) =
                image.open_minings(game).cloned().partition(|mining| mining.owner == self.replica());
            let own: Vec<_> = own.into_iter().filter(|mining| asked.insert(mining.id)).collect();
            if !own.is_empty() {
                if !self.settle_minings(game, own, until, begun).await? {
                    return Ok(false);
                }
            } else if others.is_empty() {
                return Ok(image.open_minings(game).next().is_none());
            } else {
                let is_over = tokio::select! {
                    biased;
                    is_changed = changes.next() => !is_changed,
                    () = self.clock.sleep_until(until) => true,
                };
                if is_over {
                    return Ok(false);
                }
            }
        }
    }

    /// If this replica leads, minings whose owner is gone become its own.
    pub(crate) async fn take_over_minings(&self) -> Outcome<()> {
        let Some(epoch) = self.replicas.lease().current() else { return Ok(()) };
        let image = self.store.image();
        let abandoned = image.minings.iter().filter(|mining| !self.replicas.is_alive(mining.owner));
        let abandoned: Vec<_> = abandoned.map(|mining| (mining.id, mining.owner)).collect();
        if abandoned.is_empty() {
            return Ok(());
        }
        let by = self.replica();
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let is_left = |(id, owner): &&(IntentId, _)| image.minings.owned(*id, *owner).is_some();
            let minings: Vec<_> = abandoned.iter().filter(is_left).map(|(id, _)| *id).collect();
            if minings.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            Ok(Decided { change: Change::TakenOver { minings, by }, events: Vec::new(), output: () })
        });
        or_nothing(self.apply(work.fenced_by(epoch)).await)
    }

    /// Games with minings that this replica has to finish.
    pub(crate) fn games_with_own_minings(&self) -> BTreeSet<GameId> {
        let (image, replica) = (self.store.image(), self.replica());
        image.minings.iter().filter(|mining| mining.owner == replica).map(|mining| mining.call.game).collect()
    }

    /// For the task: asks the map once for what this replica owns, unless a batch of the game is at work here and does it.
    /// Whether it has answered.
    pub(crate) async fn finish_minings(&self, game: GameId) -> Outcome<bool> {
        let Some(_turn) = self.locks.try_lock(game) else { return Ok(true) };
        let (image, replica) = (self.store.image(), self.replica());
        let own: Vec<Mining> =
            image.open_minings(game).filter(|mining| mining.owner == replica).cloned().collect();
        self.settle_minings(game, own, self.clock.monotonic(), &BTreeSet::new()).await
    }
}
