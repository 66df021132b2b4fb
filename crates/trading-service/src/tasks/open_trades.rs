//! The task that settles trades whose batch is gone: its process died, its client did not wait, or its time was over.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;

/// How often it looks.
const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct OpenTrades {
    app: Arc<App>,
}

impl OpenTrades {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    pub(crate) fn start(self, leader: &Leader) {
        leader.run("open-trades", move |task| self.clone().run(task));
    }

    /// Games whose batch is being executed are left to that.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        let mut fault = None;
        for game in self.app.unfinished() {
            if let Err(failure) = self.app.finish(epoch, game).await {
                fault = Some(format!("the trades of game {game} could not be settled: {failure:?}"));
            }
        }
        fault.map_or(Ok(()), Err)
    }

    async fn run(self, task: TaskHandle) {
        loop {
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => return,
                outcome = self.step(task.epoch()) => outcome,
            };
            let next = self.app.clock.monotonic().after(INTERVAL);
            task.ran(outcome, Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.app.clock.sleep_until(next) => {}
            }
        }
    }
}
