//! Service time: how long the service has been up, over all its processes. Schedules are kept in it, so that downtime
//! and a wall clock that is set mean nothing to them. What is durable of it is the heartbeat.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::Moment;
use starkeep_platform::clock::{Clock, Monotonic};

#[derive(Clone)]
pub struct ServiceClock {
    clock: Arc<dyn Clock>,
    /// Where the last process left off, and when this one took over.
    resumed: Moment,
    resumed_at: Monotonic,
}

impl ServiceClock {
    pub fn resume(clock: Arc<dyn Clock>, resumed: Moment) -> Self {
        let resumed_at = clock.monotonic();
        Self { clock, resumed, resumed_at }
    }

    pub fn now(&self) -> Moment {
        self.resumed + self.clock.monotonic().since(self.resumed_at)
    }

    /// When the moment comes, on this process's clock.
    pub fn instant_of(&self, moment: Moment) -> Monotonic {
        self.resumed_at.after(Duration::from_nanos(moment.0.saturating_sub(self.resumed.0)))
    }
}
