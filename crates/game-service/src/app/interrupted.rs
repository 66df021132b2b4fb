//! Batches whose sending was cut off, by the end of a process or by a panic: they may have arrived, and nobody will say so.
//! Those that may be sent again are left to the dispatcher.

use starkeep_game_core::GameId;
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;

use super::{App, Outcome};
use crate::domain::{BatchId, Change, Image, Sender};
use crate::ports::KeptRound;

impl App {
    /// What nobody alive sends any longer may have arrived.
    pub(crate) async fn mark_interrupted_batches(&self, epoch: Epoch) -> Outcome<()> {
        let image = self.store.fresh().await?;
        self.mark_batches(epoch, &image, |_, sender| !self.replicas.is_alive(sender)).await
    }

    /// The same, with what an earlier dispatcher of this replica was sending when it panicked. It runs no longer. The games
    /// that this one works on are left to it.
    pub(crate) async fn mark_left_behind(
        &self,
        epoch: Epoch,
        is_at_work: impl Fn(GameId) -> bool,
    ) -> Outcome<()> {
        let is_gone = |sender| sender == self.replicas.replica() || !self.replicas.is_alive(sender);
        let left_behind = |batch: BatchId, sender| !is_at_work(batch.game) && is_gone(sender);
        self.mark_batches(epoch, &self.store.image(), left_behind).await
    }

    /// But for those that are sent again: of an executor that carries a batch out once, while the phase lasts.
    async fn mark_batches(
        &self,
        epoch: Epoch,
        image: &Image,
        interrupted: impl Fn(BatchId, ReplicaId) -> bool,
    ) -> Outcome<()> {
        let is_resumed = |batch: BatchId, sender: Sender| {
            sender.executes_once && image.is_executing(batch.game, batch.round)
        };
        let is_marked =
            |batch, sender: Sender| !is_resumed(batch, sender) && interrupted(batch, sender.replica);
        let marked: Vec<_> = image.sending().filter(|(batch, sender)| is_marked(*batch, *sender)).collect();
        if marked.is_empty() {
            return Ok(());
        }
        let work = Decision::new(vec![], move |image: &Image| {
            let still = marked.iter().filter(|(batch, sender)| image.sender(*batch) == Some(*sender));
            let batches: Vec<_> = still.map(|(batch, _)| *batch).collect();
            let change = Change::BatchesInterrupted(batches.clone());
            Ok(Decided { change, events: vec![], output: batches })
        });
        for batch in self.decide(work.fenced_by(epoch)).await? {
            self.tell_of_interrupted(batch).await;
        }
        Ok(())
    }

    async fn tell_of_interrupted(&self, BatchId { game, round, kind }: BatchId) {
        // The game may have ended, so its commands may have been evicted.
        let kept = self.store.round(game, round).await.ok().flatten();
        let of_batch = |kept: KeptRound| kept.commands.iter().filter(|it| it.order.kind() == kind).count();
        let commands = kept.map(of_batch);
        tracing::warn!(
            %game, round, ?kind, commands,
            "the sending of a batch was cut off; it may have arrived, and its receipts say unknown"
        );
    }
}
