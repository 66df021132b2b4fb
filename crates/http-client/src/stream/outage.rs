//! The time between two connections: as long as the service asks for, and longer while it stays unreachable.
//! The loss of the connection is logged once, and so is the reconnection, unless somebody else tells of both.

use std::time::Duration;

use starkeep_clock::{Clock, Monotonic};

/// Until the service sends a `retry`. Short, because services that are started together are refused by those that do not
/// listen yet.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Also where the service asks for none: one that sends something and closes would be asked without a pause.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

pub(super) struct Outage {
    /// The next attempt is not made before.
    until: Monotonic,
    least: Duration,
    /// Connections that were lost or refused since something was received.
    losses: u32,
    /// Whether an operator is told.
    is_logged: bool,
}

impl Outage {
    pub(super) fn new(clock: &dyn Clock) -> Self {
        Self { until: clock.monotonic(), least: FIRST_WAIT, losses: 0, is_logged: true }
    }

    pub(super) fn unlogged(self) -> Self {
        Self { is_logged: false, ..self }
    }

    /// The same by another clock.
    pub(super) fn with_clock(&self, clock: &dyn Clock) -> Self {
        Self { is_logged: self.is_logged, ..Self::new(clock) }
    }

    pub(super) fn wait_at_least(&mut self, wait: Duration) {
        self.least = wait.max(SHORTEST_WAIT);
    }

    pub(super) fn begin(&mut self, clock: &dyn Clock, url: &str, reason: &str) {
        if self.losses == 0 && self.is_logged {
            tracing::warn!(url, reason, "event stream lost; reconnecting");
        }
        self.rest(clock);
    }

    /// Delays the next attempt, twice as long each time.
    pub(super) fn rest(&mut self, clock: &dyn Clock) {
        let wait = self.least.saturating_mul(2_u32.saturating_pow(self.losses)).min(LONGEST_WAIT);
        self.until = clock.monotonic().after(wait);
        self.losses = self.losses.saturating_add(1);
    }

    /// Waits until an attempt is due.
    pub(super) async fn pass(&self, clock: &dyn Clock) {
        clock.sleep_until(self.until).await;
    }

    /// Something was received.
    pub(super) fn is_over(&mut self, url: &str) {
        if std::mem::take(&mut self.losses) > 0 && self.is_logged {
            tracing::info!(url, "event stream resumed");
        }
    }
}

#[cfg(test)]
mod tests {
    use starkeep_clock::ManualClock;

    use super::*;

    #[test]
    fn waits_grow_to_ten_seconds_and_begin_anew_once_something_was_received() {
        let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
        let mut outage = Outage::new(&*clock);
        let waits = |outage: &mut Outage| -> Vec<u64> {
            let wait = |outage: &mut Outage| {
                outage.rest(&*clock);
                outage.until.0 / 1_000_000
            };
            (0..6).map(|_| wait(outage)).collect()
        };
        assert_eq!(waits(&mut outage), [100, 200, 400, 800, 1_600, 3_200]);
        outage.is_over("");
        outage.wait_at_least(Duration::from_secs(1));
        assert_eq!(waits(&mut outage), [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
        outage.is_over("");
        outage.wait_at_least(Duration::from_millis(300));
        assert_eq!(waits(&mut outage), [300, 600, 1_200, 2_400, 4_800, 9_600]);
        outage.is_over("");
        outage.wait_at_least(Duration::ZERO);
        assert_eq!(waits(&mut outage), [10, 20, 40, 80, 160, 320]);
        outage.is_over("");
        outage.wait_at_least(Duration::from_mins(1));
        assert_eq!(waits(&mut outage)[0], 10_000);
        for _ in 0..100 {
            outage.rest(&*clock);
        }
        assert_eq!(waits(&mut outage)[0], 10_000);
    }
}
