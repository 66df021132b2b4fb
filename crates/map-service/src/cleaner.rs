//! The hourly clean-up: answers that need not be repeated any longer, and ids that were withdrawn long ago.
//! Worlds are never cleaned up; whoever made them withdraws them.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use starkeep_platform::background::{Duty, Leader};
use starkeep_platform::clock::Clock;
use starkeep_platform::once::KEPT;

use crate::ports::Store;

const EVERY: Duration = Duration::from_hours(1);

/// A request for a withdrawn world that was under way for longer than this does not arrive any more.
const WITHDRAWN_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

#[derive(Clone)]
pub(crate) struct Cleaner {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl Cleaner {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    pub(crate) fn start(self, leader: &Leader) {
        leader.run("clean-up", move |duty| self.clone().run(duty));
    }

    async fn run(self, duty: Duty) {
        loop {
            let next = self.clock.monotonic().after(EVERY);
            duty.ran(self.step().await, Some(next));
            tokio::select! {
                () = duty.stopped() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }

    async fn step(&self) -> Result<(), String> {
        let now = self.clock.wall();
        let before = |kept| now.saturating_sub(kept).unwrap_or(now);
        let answers = self.store.groundwork().forget_answers(before(KEPT)).await?;
        let withdrawn = self.store.forget_withdrawn(before(WITHDRAWN_KEPT)).await?;
        tracing::debug!(answers, withdrawn, "cleaned up");
        Ok(())
    }
}
