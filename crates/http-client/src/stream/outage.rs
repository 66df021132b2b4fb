//! The time between two connections: as long as the service asks for, and longer while it stays unreachable, up to a second.
//! The loss of the connection is logged once, and so is the reconnection, unless somebody else tells of both.

use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::{Chance, Clock, Monotonic, jittered};

/// Until the service sends a `retry`. Short, because services that are started together are refused by those that do not
/// listen yet.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Also where the service asks for none: one that sends something and closes would be asked without a pause.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
/// A service that is back after a kill is noticed within a round, however long it was away.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Where the service asks for more than that.
const LONGEST_ASKED: Duration = Duration::from_secs(10);
/// A service that closes its streams stops. It may be started again, or this process is about to stop as well.
const STOP: Duration = Duration::from_secs(10);

pub(super) struct Outage {
    /// The next attempt is not made before.
    until: Monotonic,
    least: Duration,
    /// Connections that were lost or refused since something was received.
    losses: u32,
    /// Since when nothing was received, and whether that was told.
    lost: Option<(Monotonic, bool)>,
    /// None: all clients that lose the service in the same instant come back in the same instant.
    chance: Option<Arc<dyn Chance>>,
    /// Whether an operator is told.
    is_logged: bool,
}

/// How a connection ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The service ended its answer.
    Closed,
    Broken,
}

impl Outage {
    pub(super) fn new(clock: &dyn Clock) -> Self {
        let until = clock.monotonic();
        Self { until, least: FIRST_WAIT, losses: 0, lost: None, chance: None, is_logged: true }
    }

    pub(super) fn unlogged(self) -> Self {
        Self { is_logged: false, ..self }
    }

    pub(super) fn with_chance(self, chance: Arc<dyn Chance>) -> Self {
        Self { chance: Some(chance), ..self }
    }

    /// The same by another clock.
    pub(super) fn with_clock(self, clock: &dyn Clock) -> Self {
        Self { chance: self.chance, is_logged: self.is_logged, ..Self::new(clock) }
    }

    pub(super) fn wait_at_least(&mut self, wait: Duration) {
        self.least = wait.clamp(SHORTEST_WAIT, LONGEST_ASKED);
    }

    pub(super) fn begin(&mut self, clock: &dyn Clock, url: &str, end: End, reason: &str) {
        if self.is_to_be_told(clock.monotonic(), end) && self.is_logged {
            tracing::warn!(url, reason, "event stream lost; reconnecting");
        }
        self.rest(clock);
    }

    /// Once in an outage: at once where the connection broke, and where the service closed it, when that has lasted longer than a stop.
    fn is_to_be_told(&mut self, now: Monotonic, end: End) -> bool {
        let is_first = self.lost.is_none();
        let (since, is_told) = *self.lost.get_or_insert((now, false));
        let is_serious = is_first && end == End::Broken || now.since(since) >= STOP;
        self.lost = Some((since, is_told || is_serious));
        is_serious && !is_told
    }

    /// Delays the next attempt, twice as long each time.
    pub(super) fn rest(&mut self, clock: &dyn Clock) {
        let wait = self.least.saturating_mul(2_u32.saturating_pow(self.losses));
        let wait = wait.min(LONGEST_WAIT.max(self.least));
        let wait = self.chance.as_ref().map_or(wait, |chance| jittered(&**chance, wait));
        self.until = clock.monotonic().after(wait);
        self.losses = self.losses.saturating_add(1);
    }

    /// Waits until an attempt is due.
    pub(super) async fn pass(&self, clock: &dyn Clock) {
        clock.sleep_until(self.until).await;
    }

    /// Something was received.
    pub(super) fn is_over(&mut self, url: &str) {
        self.losses = 0;
        if let Some((_, true)) = self.lost.take()
            && self.is_logged
        {
            tracing::info!(url, "event stream resumed");
        }
    }
}

#[cfg(test)]
mod tests {
    use starkeep_clock::{ManualClock, SequentialIds};

    use super::*;

    /// The first waits of an outage, in milliseconds.
    fn waits(outage: &mut Outage, clock: &ManualClock) -> Vec<u64> {
        let wait = |outage: &mut Outage| {
            outage.rest(clock);
            outage.until.0 / 1_000_000
        };
        (0..6).map(|_| wait(outage)).collect()
    }

    #[test]
    fn waits_grow_to_a_second_and_begin_anew_once_something_was_received() {
        let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
        let mut outage = Outage::new(&*clock);
        let mut waits_where = |asked: Option<Duration>| {
            outage.is_over("");
            if let Some(asked) = asked {
                outage.wait_at_least(asked);
            }
            waits(&mut outage, &clock)
        };
        assert_eq!(waits_where(None), [100, 200, 400, 800, 1_000, 1_000]);
        assert_eq!(waits_where(Some(Duration::from_secs(1))), [1_000; 6]);
        assert_eq!(waits_where(Some(Duration::from_millis(300))), [300, 600, 1_000, 1_000, 1_000, 1_000]);
        assert_eq!(waits_where(Some(Duration::ZERO)), [10, 20, 40, 80, 160, 320]);
        // The service knows why it asks for more.
        assert_eq!(waits_where(Some(Duration::from_secs(3))), [3_000; 6]);
        assert_eq!(waits_where(Some(Duration::from_mins(1))), [10_000; 6]);
        for _ in 0..100 {
            outage.rest(&*clock);
        }
        assert_eq!(outage.until.0 / 1_000_000, 10_000);
    }

    #[test]
    fn with_chance_a_wait_is_up_to_half_shorter() {
        let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
        // These ids are the smallest ones.
        let mut outage = Outage::new(&*clock).with_chance(SequentialIds::new()).with_clock(&*clock);
        assert_eq!(waits(&mut outage, &clock), [50, 100, 200, 400, 500, 500]);
    }

    #[test]
    fn a_break_is_told_at_once_and_a_close_only_when_it_lasts_longer_than_a_stop() {
        let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
        let at = |millis: u64| Monotonic(millis * 1_000_000);
        let mut outage = Outage::new(&*clock);
        for end in [End::Broken, End::Closed] {
            let mut told = |millis, end| outage.is_to_be_told(at(millis), end);
            assert_eq!(told(0, end), end == End::Broken);
            // An attempt that fails is no close.
            assert!(!told(9_999, End::Broken));
            assert_eq!(told(10_000, End::Broken), end == End::Closed);
            assert!(!told(60_000, End::Broken));
            outage.is_over("");
        }
    }
}
