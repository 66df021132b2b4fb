//! The task that replenishes active worlds at its intervals, but for those whose host asks for it; a test steps it by hand.
//! What a replenishment does to a world is decided by the core.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use starkeep_platform::clock::Clock;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use super::describe;
use crate::app::App;

#[derive(Clone)]
pub struct Replenisher {
    app: Arc<App>,
    every: Option<Duration>,
}

/// The result of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replenishment {
    /// Worlds in which there was something to refill.
    pub worlds: usize,
    pub deposits: usize,
}

impl Replenisher {
    pub(crate) fn new(app: Arc<App>, every: Option<Duration>) -> Self {
        Self { app, every }
    }

    pub(crate) fn start(self, leader: &Leader, clock: Arc<dyn Clock>) {
        let Some(every) = self.every.filter(|every| !every.is_zero()) else { return };
        leader.run("replenisher", move |task| self.clone().run(every, clock.clone(), task));
    }

    /// Replenishes every active world that is replenished automatically once, all at the same time, so that they share commits.
    pub async fn step(&self, epoch: Epoch) -> Result<Replenishment, String> {
        let worlds = self.app.automatic_worlds();
        let outcomes = join_all(worlds.into_iter().map(|world| self.app.replenish(epoch, world))).await;
        let mut sum = Replenishment::default();
        let mut fault = None;
        for outcome in outcomes {
            match outcome {
                Ok(0) => {}
                Ok(deposits) => {
                    sum.worlds += 1;
                    sum.deposits += deposits;
                }
                // The others may have succeeded; this one is tried again next time.
                Err(failure) => fault = Some(describe(failure)),
            }
        }
        fault.map_or(Ok(sum), Err)
    }

    async fn run(self, every: Duration, clock: Arc<dyn Clock>, task: TaskHandle) {
        let mut next = clock.monotonic().after(self.app.time_to_replenishment(every));
        loop {
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = clock.sleep_until(next) => {}
            }
            let outcome = self.step(task.epoch()).await;
            if let Err(fault) = &outcome {
                tracing::warn!(%fault, "a gameworld was not replenished");
            }
            // From the intended instant, so that the interval does not drift; missed runs are not repeated.
            next = next.after(every);
            if next <= clock.monotonic() {
                next = clock.monotonic().after(every);
            }
            task.ran(outcome.map(drop), Some(next));
        }
    }
}
