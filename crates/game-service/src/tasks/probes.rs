//! Asks the other services every few seconds how they are, so that this service's `/health` shows an outage before a game
//! needs them, and their return before the next batch. Every replica asks: requests depend on what is learned.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::ExecutorKind;
use starkeep_platform::tasks::{Leader, ReplicaTask};

use crate::app::App;

const EVERY: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct Probes(Arc<App>);

/// A service that is probed.
#[derive(Clone, Copy)]
enum Probed {
    Map,
    Executor(ExecutorKind),
}

impl Probed {
    fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Executor(ExecutorKind::Trading) => "trading",
            Self::Executor(ExecutorKind::Robots) => "robot",
        }
    }
}

impl Probes {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self(app)
    }

    /// A service that is not configured is not probed.
    pub(crate) fn start(self, leader: &Leader) {
        self.clone().run(leader, "map-watch", Probed::Map);
        for (task, executor) in
            [("trading-watch", ExecutorKind::Trading), ("robot-watch", ExecutorKind::Robots)]
        {
            if self.0.executor(executor).is_some() {
                self.clone().run(leader, task, Probed::Executor(executor));
            }
        }
    }

    fn run(self, leader: &Leader, name: &'static str, probed: Probed) {
        leader.run_on_every_replica(name, move |task| self.clone().keep_probing(task, probed));
    }

    async fn keep_probing(self, task: ReplicaTask, probed: Probed) {
        let (mut was_well, service) = (true, probed.name());
        loop {
            let next = self.0.clock.monotonic().after(EVERY);
            let seen = tokio::select! {
                biased;
                () = task.stopped() => return,
                seen = self.probe(probed) => seen,
            };
            // Only changes are logged.
            match &seen {
                Ok(()) if !was_well => tracing::info!("the {service} service is healthy again"),
                Err(fault) if was_well => {
                    tracing::warn!(%fault, "the {service} service is unhealthy or unreachable");
                }
                _ => {}
            }
            was_well = seen.is_ok();
            task.ran(seen, Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.0.clock.sleep_until(next) => {}
            }
        }
    }

    async fn probe(&self, probed: Probed) -> Result<(), String> {
        match probed {
            Probed::Map => self.0.other_services.map.probe().await.map_err(|fault| fault.to_string()),
            Probed::Executor(executor) => self.0.probe_executor(executor).await,
        }
    }
}
