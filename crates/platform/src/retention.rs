//! Retention: the log's old events are removed in the background, a few at a time, so that nobody waits for it.
//! How much is kept is the host's decision.

use std::sync::Arc;
use std::time::Duration;

use crate::background::{Duty, Leader};
use crate::clock::Clock;
use crate::groundwork::{Groundwork, Keep};
use crate::relay::Standing;

const EVERY: Duration = Duration::from_mins(1);
/// Removed in one go; between two of them the writer serves who waits.
const STEP: u32 = 1000;

/// How much of the log is kept.
#[derive(Clone, Copy, Debug)]
pub struct KeepEvents {
    /// `None`: however old.
    pub age: Option<Duration>,
    pub count: u64,
}

impl Default for KeepEvents {
    fn default() -> Self {
        Self { age: Some(Duration::from_hours(30 * 24)), count: 10_000_000 }
    }
}

#[derive(Clone)]
pub struct Retention {
    store: Arc<dyn Groundwork>,
    clock: Arc<dyn Clock>,
    keep: KeepEvents,
    relay: Option<Arc<Standing>>,
}

impl Retention {
    pub fn new(store: Arc<dyn Groundwork>, clock: Arc<dyn Clock>, keep: KeepEvents) -> Self {
        Self { store, clock, keep, relay: None }
    }

    /// What the relay has not sent yet is kept.
    #[must_use]
    pub fn behind(self, relay: Option<Arc<Standing>>) -> Self {
        Self { relay, ..self }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("retention", move |duty| self.clone().run(duty));
    }

    /// Removes everything that is not kept; returns how many events.
    pub async fn step(&self) -> Result<u64, String> {
        let now = self.clock.wall();
        let since = self.keep.age.map(|age| now.saturating_sub(age).unwrap_or(now));
        let mut removed = 0;
        loop {
            let unsent_after = self.relay.as_ref().map(|relay| relay.noted());
            let keep = Keep { since, count: self.keep.count, unsent_after };
            match self.store.expire(keep, STEP).await? {
                0 => return Ok(removed),
                some => removed += some,
            }
        }
    }

    async fn run(self, duty: Duty) {
        loop {
            let removed = tokio::select! {
                () = duty.stopped() => return,
                removed = self.step() => removed,
            };
            let next = self.clock.monotonic().after(EVERY);
            duty.ran(removed.map(drop), Some(next));
            tokio::select! {
                () = duty.stopped() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }
}
