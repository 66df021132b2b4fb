//! Intents that were not finished: their owner withdraws what it could not finish, the leader what belongs to nobody alive.
//! A withdrawal lists the world for removal, in the same commit: whether the map has made it is not known.

use std::sync::{Arc, Weak};
use std::time::Duration;

use starkeep_game_core::{Retire, Retirement, WorldId};
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image, Rejection, WorldCall, world_of};
use crate::ports::IntentFailure;

/// Delay before the next attempt when a withdrawal could not be written.
const RETRY_DELAY: Duration = Duration::from_millis(500);

impl App {
    /// An intent of this replica. The world's id is drawn here.
    pub(super) fn new_intent(&self, call: WorldCall) -> Intent<WorldCall> {
        Intent { id: IntentId(self.chance.uuid()), owner: self.replicas.replica(), call }
    }

    /// Runs to its end even if the caller does not wait for it. An intent that a panic leaves is withdrawn.
    pub(super) async fn carry_out<T: Send + 'static>(
        self: &Arc<Self>,
        intent: Intent<WorldCall>,
        work: impl Future<Output = Result<T, IntentFailure>> + Send + 'static,
    ) -> Result<T, IntentFailure> {
        match tokio::spawn(work).await {
            Ok(outcome) => outcome,
            Err(fault) => {
                self.give_up(intent, None).await;
                Err(Failure::from(StoreFault::Refused(fault.to_string())).into())
            }
        }
    }

    /// Withdraws an intent of this replica. If that cannot be written now it is tried until it can, and nobody waits.
    /// `made` is the world that the map answered, if it did.
    pub(super) async fn give_up(self: &Arc<Self>, intent: Intent<WorldCall>, made: Option<WorldId>) {
        let Err(failure) = self.withdraw(None, intent, made).await else { return };
        tracing::warn!(call = ?intent.call, ?failure, "an intent could not be withdrawn yet, trying again");
        let (app, clock) = (Arc::downgrade(self), self.clock.clone());
        tokio::spawn(async move {
            loop {
                clock.sleep_until(clock.monotonic().after(RETRY_DELAY)).await;
                let Some(app) = Weak::upgrade(&app) else { return };
                if app.withdraw(None, intent, made).await.is_ok() {
                    return;
                }
            }
        });
    }

    /// The same for an intent whose first commit failed: it is there only if that may have been made all the same.
    pub(super) async fn give_up_if_begun(
        self: &Arc<Self>,
        intent: Intent<WorldCall>,
        failure: &Failure<Rejection>,
    ) {
        if let Failure::Store(StoreFault::Unknown(_)) = failure {
            self.give_up(intent, None).await;
        }
    }

    /// Withdraws what no living replica owns: when the lease is gained, and afterwards.
    pub(crate) async fn withdraw_abandoned_intents(&self, epoch: Epoch) -> Outcome<()> {
        let image = self.store.fresh().await?;
        for intent in self.abandoned_intents(&image) {
            tracing::info!(call = ?intent.call, "withdrawing an intent whose owner no longer lives");
            self.withdraw(Some(epoch), intent, None).await?;
        }
        Ok(())
    }

    pub(crate) fn has_abandoned_intents(&self, image: &Image) -> bool {
        self.abandoned_intents(image).next().is_some()
    }

    /// Replenishments are never abandoned: whoever leads sends them.
    fn abandoned_intents(&self, image: &Image) -> impl Iterator<Item = Intent<WorldCall>> {
        let makes_world = |intent: &&Intent<WorldCall>| !matches!(intent.call, WorldCall::Replenish { .. });
        let intents = image.intents().iter().filter(makes_world);
        intents.filter(|intent| !self.replicas.is_alive(intent.owner)).copied()
    }

    async fn withdraw(
        &self,
        epoch: Option<Epoch>,
        intent: Intent<WorldCall>,
        made: Option<WorldId>,
    ) -> Outcome<()> {
        let asked = world_of(intent.id);
        let removal = |world| Retirement { world, how: Retire::Delete };
        // A map that chooses the id itself made a world that no intent names.
        let other = made.filter(|made| *made != asked);
        let work = Decision::new(vec![], move |image: &Image| {
            let change = if !image.intents().contains(intent.id) {
                let unused = other.filter(|world| !image.plays_in(*world)).ok_or(Rejection::NothingToDo)?;
                Change::WorldAbandoned(removal(unused))
            } else if let WorldCall::Start(game) = intent.call {
                let mut abandoned = image.game(game)?.abandon_start();
                abandoned.retire.extend(other.map(removal));
                Change::of_game(abandoned, image)?
            } else {
                let retire = std::iter::once(asked).chain(other).map(removal).collect();
                Change::CreationWithdrawn { intent: intent.id, retire }
            };
            Ok(Decided { change, events: vec![], output: () })
        });
        match self.decide(work.fenced_by(epoch)).await {
            // It was settled or withdrawn before.
            Err(Failure::Rejected(_)) => Ok(()),
            outcome => outcome,
        }
    }
}
