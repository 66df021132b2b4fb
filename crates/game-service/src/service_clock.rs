//! Service time: how long the service has been up, over all its processes. Schedules are kept in it, so that neither
//! downtime nor a change of the wall clock moves them. The heartbeat makes it durable.
//!
//! A process that has its data for itself counts on from where the last one stopped. Where replicas share the data, only the
//! leader counts, and only while a game's schedule needs it; it begins with the last heartbeat, so that time without a leader does not
//! count. For all others it is as late as the last heartbeat that they have seen and the time since, but not more than one
//! heartbeat is apart from the next.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use starkeep_game_core::{HEARTBEAT, Moment};
use starkeep_platform::clock::{Clock, Monotonic};
use starkeep_platform::lease::Epoch;
use starkeep_platform::store::CommonStore;

use crate::ports::Store;

pub struct ServiceClock {
    clock: Arc<dyn Clock>,
    /// As it was when this process began.
    resumed: Known,
    shared: Option<Shared>,
}

/// A moment, and when it was that.
#[derive(Clone, Copy)]
struct Known {
    moment: Moment,
    at: Monotonic,
}

/// What is needed where other replicas count as well.
struct Shared {
    store: Arc<dyn Store>,
    replicas: Arc<dyn CommonStore>,
    reading: Mutex<Reading>,
}

struct Reading {
    known: Known,
    /// A heartbeat was heard: one that was found when the process began may be an hour old.
    is_live: bool,
    /// Whether this replica counts on from there, and as the leader of which epoch.
    counted_by: Option<Epoch>,
    /// What was shown last: it does not go back, unless it was counted here and was not kept.
    shown: Moment,
}

impl ServiceClock {
    pub fn resume(clock: Arc<dyn Clock>, store: &Arc<dyn Store>, replicas: &Arc<dyn CommonStore>) -> Self {
        let moment = store.image().service_time();
        let resumed = Known { moment, at: clock.monotonic() };
        let shared = replicas.is_shared().then(|| Shared {
            store: store.clone(),
            replicas: replicas.clone(),
            reading: Mutex::new(Reading { known: resumed, is_live: false, counted_by: None, shown: moment }),
        });
        Self { clock, resumed, shared }
    }

    pub fn now(&self) -> Moment {
        let now = self.clock.monotonic();
        match &self.shared {
            None => self.resumed.moment + now.since(self.resumed.at),
            Some(shared) => shared.read(now, |reading| reading.shown),
        }
    }

    /// The moment, on this process's monotonic clock.
    pub fn instant_of(&self, moment: Moment) -> Monotonic {
        let now = self.clock.monotonic();
        let Known { moment: known, at } = match &self.shared {
            None => self.resumed,
            Some(shared) => shared.read(now, |reading| reading.known),
        };
        at.after(Duration::from_nanos(moment.0.saturating_sub(known.0)))
    }
}

impl Shared {
    fn read<T>(&self, now: Monotonic, what: impl FnOnce(&Reading) -> T) -> T {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock: nobody reads with an older image than the last one did.
        let image = self.store.image();
        let counts = self.replicas.lease().current_at(now).filter(|_| image.some_game_ticks());
        let heartbeat = image.heartbeat().at;
        if counts != reading.counted_by {
            // A leader that could not write was ahead of what counts.
            if reading.counted_by.is_some() {
                reading.shown = heartbeat;
            }
            // It goes on with what was shown.
            let moment = if counts.is_some() { image.service_time().max(reading.shown) } else { heartbeat };
            reading.known = Known { moment, at: now };
            reading.is_live = counts.is_some();
        } else if counts.is_none() && heartbeat > reading.known.moment {
            reading.known = Known { moment: heartbeat, at: now };
            reading.is_live = true;
        }
        reading.counted_by = counts;
        let since = now.since(reading.known.at);
        let passed = match counts {
            Some(_) => since,
            None if reading.is_live => since.min(HEARTBEAT),
            None => Duration::ZERO,
        };
        reading.shown = reading.shown.max(reading.known.moment + passed);
        what(&reading)
    }
}
