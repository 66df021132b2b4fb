//! Asks the map every few seconds how it is, so that `/health` tells of its absence before a game needs it.
//! What the map has yet to hear is the caretaker's business.

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
            // The log hears of a change, not of every look.
            match &seen {
                Ok(()) if !was_well => tracing::info!("the map service is well again"),
                Err(fault) if was_well => tracing::warn!(%fault, "the map service is not well"),
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
