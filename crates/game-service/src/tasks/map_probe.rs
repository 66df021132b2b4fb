//! Asks the map's `/health` every few seconds, so that this service's `/health` shows an outage before a game needs the map.
//! Retiring worlds is the reconciler's task.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;

const EVERY: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct MapProbe(Arc<App>);

impl MapProbe {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self(app)
    }

    pub(crate) fn start(self, leader: &Leader) {
        leader.run("map-watch", move |task| self.clone().keep_watch(task));
    }

    async fn keep_watch(self, task: TaskHandle) {
        let mut was_well = true;
        loop {
            let next = self.0.clock.monotonic().after(EVERY);
            let seen = tokio::select! {
                biased;
                () = task.stopped() => return,
                seen = self.0.other_services.map.probe() => seen,
            };
            // Only changes are logged.
            match &seen {
                Ok(()) if !was_well => tracing::info!("the map service is healthy again"),
                Err(fault) if was_well => {
                    tracing::warn!(%fault, "the map service is unhealthy or unreachable");
                }
                _ => {}
            }
            was_well = seen.is_ok();
            task.ran(seen.map_err(|fault| fault.to_string()), Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.0.clock.sleep_until(next) => {}
            }
        }
    }
}
