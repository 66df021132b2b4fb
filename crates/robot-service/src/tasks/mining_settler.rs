//! The task that finishes minings which nobody else does: those of a batch that was broken off, or of an earlier process.
//! A batch that is under way finishes its own; the task waits for its turn behind it.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::clock::Clock;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;

/// How long the map is left alone where it gave no answer.
const EVERY: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct MiningSettler {
    app: Arc<App>,
}

impl MiningSettler {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    pub(crate) fn start(self, leader: &Leader, clock: Arc<dyn Clock>) {
        leader.run("settle-minings", move |task| self.clone().run(clock.clone(), task));
    }

    /// Asks the map once for everything that is open. The error says what stays open.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        let mut open = 0;
        for game in self.app.games_with_open_minings() {
            match self.app.finish_minings(epoch, game).await {
                Ok(true) => {}
                Ok(false) => open += 1,
                Err(failure) => return Err(format!("{failure:?}")),
            }
        }
        if open == 0 { Ok(()) } else { Err(format!("the map has not answered all minings of {open} games")) }
    }

    async fn run(self, clock: Arc<dyn Clock>, task: TaskHandle) {
        let mut commits = self.app.mining_commits();
        loop {
            commits.mark_unchanged();
            let outcome = self.step(task.epoch()).await;
            let next = outcome.is_err().then(|| clock.monotonic().after(EVERY));
            task.ran(outcome, next);
            tokio::select! {
                biased;
                () = task.stopped() => return,
                changed = commits.changed() => if changed.is_err() { return },
                () = async {
                    match next {
                        Some(next) => clock.sleep_until(next).await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        }
    }
}
