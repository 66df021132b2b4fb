//! The task that finishes the announcement of a large world's stations where the request that makes it has not: its process
//! may have ended in between. A test steps it by hand.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::clock::Clock;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use super::describe;
use crate::app::App;

const RETRY: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Announcer {
    app: Arc<App>,
}

impl Announcer {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    pub(crate) fn start(self, leader: &Leader, clock: Arc<dyn Clock>) {
        leader.run("announcer", move |task| self.clone().run(clock.clone(), task));
    }

    /// Announces what is left of every world.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        for world in self.app.unannounced_worlds() {
            self.app.finish_announcement(epoch, world).await.map_err(describe)?;
        }
        Ok(())
    }

    async fn run(self, clock: Arc<dyn Clock>, task: TaskHandle) {
        let mut commits = self.app.worlds_changed();
        loop {
            commits.mark_unchanged();
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => return,
                outcome = self.step(task.epoch()) => outcome,
            };
            if let Err(fault) = &outcome {
                tracing::warn!(%fault, "the space stations of a gameworld were not announced yet");
            }
            let retry = outcome.is_err().then(|| clock.monotonic().after(RETRY));
            task.ran(outcome, retry);
            let more_to_do = async {
                match retry {
                    Some(instant) => clock.sleep_until(instant).await,
                    None => {
                        while commits.changed().await.is_ok() && self.app.unannounced_worlds().is_empty() {}
                    }
                }
            };
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = more_to_do => {}
            }
        }
    }
}
