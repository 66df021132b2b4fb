//! The task that asks the map for gameworlds that are played and of which no event was received: a gap may have left
//! them out. Usually the stream is faster, and there is nothing to ask.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;

/// So long the stream may take.
const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct MissingWorlds {
    app: Arc<App>,
}

impl MissingWorlds {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    pub(crate) fn start(self, leader: &Leader) {
        leader.run("missing-worlds", move |task| self.clone().run(task));
    }

    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        let missing: Vec<_> = self.app.image().without_world().collect();
        let mut fault = None;
        for world in missing {
            fault = self.app.ask_for_world(epoch, world).await.err().or(fault);
        }
        fault.map_or(Ok(()), Err)
    }

    async fn run(self, task: TaskHandle) {
        loop {
            let next = self.app.clock.monotonic().after(INTERVAL);
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.app.clock.sleep_until(next) => {}
            }
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => return,
                outcome = self.step(task.epoch()) => outcome,
            };
            task.ran(outcome, Some(self.app.clock.monotonic().after(INTERVAL)));
        }
    }
}
