//! The task that finishes minings which no batch does: those of one that was broken off, and what a replica that is gone has
//! left to the leader. It runs on every replica, since each finishes its own.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::clock::Clock;
use starkeep_platform::tasks::{Leader, ReplicaTask};

use crate::app::App;

/// How long the map is left alone where it gave no answer, or a batch is at work.
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
        leader.run_on_every_replica("settle-minings", move |task| self.clone().run(clock.clone(), task));
    }

    /// Asks the map once for everything that this replica has to finish. The error says what stays open.
    pub async fn step(&self) -> Result<(), String> {
        self.app.take_over_minings().await.map_err(|failure| format!("{failure:?}"))?;
        let mut open = 0;
        for game in self.app.games_with_own_minings() {
            match self.app.finish_minings(game).await {
                Ok(true) => {}
                Ok(false) => open += 1,
                Err(failure) => return Err(format!("{failure:?}")),
            }
        }
        if open == 0 { Ok(()) } else { Err(format!("the map has not answered all minings of {open} games")) }
    }

    async fn run(self, clock: Arc<dyn Clock>, task: ReplicaTask) {
        let mut changes = self.app.mining_changes();
        loop {
            changes.mark_seen();
            // A stop does not wait for a map that hangs: what it interrupts is still written down.
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => return,
                outcome = self.step() => outcome,
            };
            let is_left = outcome.is_err() || !self.app.games_with_own_minings().is_empty();
            let next = is_left.then(|| clock.monotonic().after(EVERY));
            task.ran(outcome, next);
            tokio::select! {
                biased;
                () = task.stopped() => return,
                is_changed = changes.next() => if !is_changed { return },
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
