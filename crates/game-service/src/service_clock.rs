//! Service time: how long the service has been up, over all its processes. Schedules are kept in it, so that neither
//! downtime nor a change of the wall clock moves them. The heartbeat makes it durable.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::Moment;
use starkeep_platform::clock::{Clock, Monotonic};

#[derive(Clone)]
pub struct ServiceClock {
    clock: Arc<dyn Clock>,
    /// The last process's service time, and when this process continued from there.
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

    /// The moment, on this process's monotonic clock.
    pub fn instant_of(&self, moment: Moment) -> Monotonic {
        self.resumed_at.after(Duration::from_nanos(moment.0.saturating_sub(self.resumed.0)))
    }
}
