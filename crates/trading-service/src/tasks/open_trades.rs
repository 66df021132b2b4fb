//! The task that settles trades whose batch is gone: its client did not wait, or its time was over; on the leader also those
//! of a replica that is gone. It runs on every replica, since each settles its own.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::tasks::{Leader, ReplicaTask};

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
        leader.run_on_every_replica("open-trades", move |task| self.clone().run(task));
    }

    /// Games whose batch is being executed are left to that.
    pub async fn step(&self) -> Result<(), String> {
        let taken_over = self.app.take_over_waves().await;
        let mut fault =
            taken_over.err().map(|failure| format!("trades could not be taken over: {failure:?}"));
        for game in self.app.unfinished_here() {
            if let Err(failure) = self.app.finish(game).await {
                fault = Some(format!("the trades of game {game} could not be settled: {failure:?}"));
            }
        }
        fault.map_or(Ok(()), Err)
    }

    async fn run(self, task: ReplicaTask) {
        let mut departures = self.app.departures();
        loop {
            departures.mark_unchanged();
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => return,
                outcome = self.step() => outcome,
            };
            let next = self.app.clock.monotonic().after(INTERVAL);
            task.ran(outcome, Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => return,
                changed = departures.changed() => if changed.is_err() { return },
                () = self.app.clock.sleep_until(next) => {}
            }
        }
    }
}
