//! The one home of time: a monotonic clock for lengths, a wall clock for time stamps, and sleeping.
//! Tests pass a `ManualClock` and move it themselves.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use crate::alarm::Alarm;

/// Nanoseconds on a clock that only goes forward and means nothing to another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Monotonic(pub u64);

impl Monotonic {
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)))
    }

    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)))
    }

    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

pub trait Clock: Send + Sync + 'static {
    fn monotonic(&self) -> Monotonic;
    /// To the millisecond: what is stored and what is shown are the same.
    fn wall(&self) -> Timestamp;
    /// Returns at once if the instant has passed.
    fn sleep_until(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// The same, not late by up to a millisecond. For few sleepers.
    fn sleep_until_exactly(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.sleep_until(instant)
    }
}

/// The future's output, or `None` if the span passed first.
pub async fn within<F: Future>(clock: &dyn Clock, span: Duration, future: F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = future => Some(output),
        () = clock.sleep_until(clock.monotonic().after(span)) => None,
    }
}

/// By so much the runtime's timers may be late, and a little more.
const TIMER_SLACK: Duration = Duration::from_millis(3);

/// The machine's clocks.
pub struct SystemClock {
    zero: tokio::time::Instant,
    alarm: Alarm,
    /// By how much the wall clock is ahead of the machine's.
    ahead: jiff::SignedDuration,
}

#[expect(clippy::disallowed_methods, reason = "this is the home of time")]
impl SystemClock {
    pub fn start() -> Arc<Self> {
        Self::start_ahead_by(0)
    }

    /// With a wall clock that is wrong by so many seconds, as that of a machine may be.
    pub fn start_ahead_by(seconds: i64) -> Arc<Self> {
        let ahead = jiff::SignedDuration::from_secs(seconds);
        Arc::new(Self { zero: tokio::time::Instant::now(), alarm: Alarm::default(), ahead })
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the home of time")]
impl Clock for SystemClock {
    fn monotonic(&self) -> Monotonic {
        Monotonic(0).after(self.zero.elapsed())
    }

    fn wall(&self) -> Timestamp {
        let now = Timestamp::now().saturating_add(self.ahead).unwrap_or(Timestamp::MAX);
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    fn sleep_until(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        // A deadline too far away to be represented is as good as none: the sleeper looks again in a year.
        let wait = instant.since(self.monotonic()).min(Duration::from_hours(24 * 365));
        Box::pin(tokio::time::sleep(wait))
    }

    fn sleep_until_exactly(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            let left = instant.since(self.monotonic());
            if left > TIMER_SLACK {
                self.sleep_until(instant.before(TIMER_SLACK)).await;
            }
            let left = instant.since(self.monotonic());
            if !left.is_zero() && self.alarm.at(std::time::Instant::now() + left).await.is_err() {
                self.sleep_until(instant).await;
            }
        })
    }
}

/// How much later it seems to be on a disturbed clock.
const DISTURBANCE: Duration = Duration::from_hours(5);

/// A clock that stands still until a test moves it.
pub struct ManualClock {
    wall_at_zero: Mutex<Timestamp>,
    elapsed: watch::Sender<u64>,
    is_disturbed: AtomicBool,
}

impl ManualClock {
    pub fn new(wall: Timestamp) -> Arc<Self> {
        Arc::new(Self {
            wall_at_zero: Mutex::new(wall),
            elapsed: watch::Sender::new(0),
            is_disturbed: AtomicBool::new(false),
        })
    }

    pub fn advance(&self, span: Duration) {
        let nanos = u64::try_from(span.as_nanos()).expect("a test's step fits");
        self.elapsed.send_modify(|elapsed| *elapsed += nanos);
    }

    /// Sets the wall clock forward or back; lengths of time are not affected.
    pub fn shift_wall(&self, by: jiff::SignedDuration) {
        let mut wall = self.wall_at_zero.lock().unwrap_or_else(PoisonError::into_inner);
        *wall = wall.saturating_add(by).expect("a span without calendar units");
    }

    /// While on, whoever asks is told that it is hours later; nobody is woken. A decision that reads the clock is noticed
    /// by this: made again, it comes to something else.
    pub fn disturb(&self, on: bool) {
        self.is_disturbed.store(on, Ordering::Relaxed);
    }

    fn shown(&self) -> Monotonic {
        let now = Monotonic(*self.elapsed.borrow());
        if self.is_disturbed.load(Ordering::Relaxed) { now.after(DISTURBANCE) } else { now }
    }
}

impl Clock for ManualClock {
    fn monotonic(&self) -> Monotonic {
        self.shown()
    }

    fn wall(&self) -> Timestamp {
        let zero = *self.wall_at_zero.lock().unwrap_or_else(PoisonError::into_inner);
        zero.saturating_add(self.shown().since(Monotonic(0))).expect("a span without calendar units")
    }

    fn sleep_until(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let mut elapsed = self.elapsed.subscribe();
        Box::pin(async move {
            // The sender lives as long as the clock that this future borrows.
            let _ = elapsed.wait_for(|elapsed| *elapsed >= instant.0).await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_manual_sleeper_wakes_exactly_when_its_instant_is_reached() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let mut sleeper = clock.sleep_until(Monotonic(0).after(Duration::from_secs(2)));
        assert!(futures::poll!(&mut sleeper).is_pending());
        clock.advance(Duration::from_millis(1_999));
        assert!(futures::poll!(&mut sleeper).is_pending());
        clock.advance(Duration::from_millis(1));
        assert!(futures::poll!(&mut sleeper).is_ready());
        assert_eq!(clock.wall(), Timestamp::from_second(2).unwrap());
    }

    #[tokio::test]
    async fn who_sleeps_exactly_never_wakes_early() {
        let clock = SystemClock::start();
        for millis in [0, 1, 5] {
            let instant = clock.monotonic().after(Duration::from_millis(millis));
            clock.sleep_until_exactly(instant).await;
            assert!(clock.monotonic() >= instant);
        }
    }

    #[tokio::test]
    async fn a_disturbed_clock_tells_a_later_time_and_wakes_nobody() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        clock.advance(Duration::from_secs(3));
        let (monotonic, wall) = (clock.monotonic(), clock.wall());
        let mut sleeper = clock.sleep_until(monotonic.after(Duration::from_millis(1)));
        clock.disturb(true);
        assert_eq!(clock.monotonic().since(monotonic), DISTURBANCE);
        assert_eq!(clock.wall().duration_since(wall).unsigned_abs(), DISTURBANCE);
        assert!(futures::poll!(&mut sleeper).is_pending());
        clock.disturb(false);
        assert!(futures::poll!(&mut sleeper).is_pending());
        assert_eq!((clock.monotonic(), clock.wall()), (monotonic, wall));
    }
}
