//! Retention: the log's old events are removed in the background, a few at a time, so that nobody waits for it.
//! How much is kept is the host's decision.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::lease::Epoch;
use crate::relay::RelayStatus;
use crate::store::{CommonStore, RetentionBounds};
use crate::tasks::{Leader, TaskHandle};

const EVERY: Duration = Duration::from_mins(1);
/// Removed in one go; between two of them the writer serves who waits.
const STEP: u32 = 1000;

/// How much of the log is kept.
#[derive(Clone, Copy, Debug)]
pub struct RetentionPolicy {
    /// `None`: however old.
    pub age: Option<Duration>,
    pub count: u64,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        Self { age: Some(Duration::from_hours(30 * 24)), count: 10_000_000 }
    }
}

#[derive(Clone)]
pub struct Retention {
    store: Arc<dyn CommonStore>,
    clock: Arc<dyn Clock>,
    keep: RetentionPolicy,
    relay: Option<Arc<RelayStatus>>,
}

impl Retention {
    pub fn new(store: Arc<dyn CommonStore>, clock: Arc<dyn Clock>, keep: RetentionPolicy) -> Self {
        Self { store, clock, keep, relay: None }
    }

    /// What the relay has not sent yet is kept.
    #[must_use]
    pub fn behind(self, relay: Option<Arc<RelayStatus>>) -> Self {
        Self { relay, ..self }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("retention", move |task| self.clone().run(task));
    }

    /// Removes everything that is not kept; returns how many events.
    pub async fn step(&self, epoch: Epoch) -> Result<u64, String> {
        let now = self.clock.wall();
        let since = self.keep.age.map(|age| now.saturating_sub(age).unwrap_or(now));
        let mut removed = 0;
        loop {
            let unsent_after = self.relay.as_ref().map(|relay| relay.saved());
            let keep = RetentionBounds { since, count: self.keep.count, unsent_after };
            let removed_now = self.store.remove_events(epoch, keep, STEP).await;
            match removed_now.map_err(|fault| fault.to_string())? {
                0 => return Ok(removed),
                some => removed += some,
            }
        }
    }

    async fn run(self, task: TaskHandle) {
        loop {
            let removed = tokio::select! {
                biased;
                () = task.stopped() => return,
                removed = self.step(task.epoch()) => removed,
            };
            let next = self.clock.monotonic().after(EVERY);
            task.ran(removed.map(drop), Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }
}
