//! The hourly clean-up: stored answers that are too old to be repeated, and what else a service keeps only for a while.
//! The log's old events are removed by `retention`.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

use crate::clock::Clock;
use crate::decision::StoreFault;
use crate::idempotency::ANSWER_LIFETIME;
use crate::lease::Epoch;
use crate::store::CommonStore;
use crate::tasks::{Leader, TaskHandle};

const EVERY: Duration = Duration::from_hours(1);

/// Removes what is older than it need be, once an hour.
#[derive(Clone)]
pub struct Cleanup {
    clock: Arc<dyn Clock>,
    /// Not at the start: the wall clock may be far ahead of that of the process before, whose clients repeat now what was not
    /// answered.
    answers: CleanupRule,
    own: Vec<CleanupRule>,
}

/// Something that is kept only for so long.
#[derive(Clone)]
pub struct CleanupRule {
    kept: SignedDuration,
    remove: Remove,
}

/// Removes what is from before the instant; how much.
type Remove = Arc<dyn Fn(Epoch, Timestamp) -> BoxFuture<'static, Result<usize, StoreFault>> + Send + Sync>;

impl CleanupRule {
    pub fn new(
        kept: SignedDuration,
        remove: impl Fn(Epoch, Timestamp) -> BoxFuture<'static, Result<usize, StoreFault>> + Send + Sync + 'static,
    ) -> Self {
        Self { kept, remove: Arc::new(remove) }
    }

    fn stored_answers(store: Arc<dyn CommonStore>) -> Self {
        Self::new(ANSWER_LIFETIME, move |epoch, before| {
            let store = store.clone();
            Box::pin(async move { store.remove_answers(epoch, before).await })
        })
    }
}

impl Cleanup {
    pub fn new(store: Arc<dyn CommonStore>, clock: Arc<dyn Clock>, own: Vec<CleanupRule>) -> Self {
        Self { clock, answers: CleanupRule::stored_answers(store), own }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("clean-up", move |task| self.clone().run(task));
    }

    async fn run(self, task: TaskHandle) {
        let mut is_start = true;
        loop {
            let next = self.clock.monotonic().after(EVERY);
            task.ran(self.step(is_start, task.epoch()).await, Some(next));
            is_start = false;
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }

    async fn step(&self, is_start: bool, epoch: Epoch) -> Result<(), String> {
        let now = self.clock.wall();
        let mut removed = 0;
        let answers = Some(&self.answers).filter(|_| !is_start);
        for CleanupRule { kept, remove } in answers.into_iter().chain(&self.own) {
            let before = now.saturating_sub(*kept).unwrap_or(Timestamp::MIN);
            removed += remove(epoch, before).await.map_err(|fault| fault.to_string())?;
        }
        tracing::debug!(removed, "cleaned up");
        Ok(())
    }
}
