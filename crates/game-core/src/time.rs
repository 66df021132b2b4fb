//! Service time, the only time that schedules know, and how lengths in milliseconds become exact durations.
//! Wall-clock times are mere labels on a game (`jiff::Timestamp`) and are never computed with.

use std::ops::{Add, Sub};
use std::time::Duration;

/// Service time: nanoseconds that the service has been up, over all its processes. It survives restarts
/// because the service stores it in a heartbeat; time while it is down does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub u64);

impl Moment {
    /// The end of service time, 292 years after its beginning: what a signed 64-bit column of nanoseconds holds.
    ///
    /// The longest schedule that the bounds allow (a million rounds of a day each) goes far beyond it.
    /// Game time is a [`Duration`] and stays exact even there; only the moment at which a boundary is due stops
    /// here, which a service would have to be up for 292 years to notice.
    pub const LAST: Self = Self(i64::MAX.unsigned_abs());
}

/// Never beyond [`Moment::LAST`].
impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        let nanos = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(nanos)).min(Self::LAST)
    }
}

/// The time since an earlier moment; zero if that moment is in fact later.
impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Three quarters of a round, exactly: a length in whole milliseconds always divides.
pub(crate) fn input_span(round_length: u32) -> Duration {
    Duration::from_micros(u64::from(round_length) * 750)
}

pub(crate) fn round_span(round_length: u32) -> Duration {
    Duration::from_millis(u64::from(round_length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_stop_at_the_last_one_instead_of_wrapping() {
        assert_eq!(Moment(5) + Duration::from_nanos(7), Moment(12));
        assert_eq!(Moment(5) + Duration::MAX, Moment::LAST);
        assert_eq!(Moment::LAST + Duration::from_nanos(1), Moment::LAST);
        assert_eq!(Moment(u64::MAX) + Duration::from_nanos(1), Moment::LAST);
    }

    #[test]
    fn no_time_has_passed_since_a_later_moment() {
        assert_eq!(Moment(12) - Moment(5), Duration::from_nanos(7));
        assert_eq!(Moment(5) - Moment(12), Duration::ZERO);
    }

    #[test]
    fn input_takes_three_quarters_of_a_round_exactly() {
        assert_eq!(input_span(1), Duration::from_micros(750));
        assert_eq!(input_span(60_000), Duration::from_secs(45));
        assert_eq!(input_span(u32::MAX) / 3, round_span(u32::MAX) / 4);
    }
}
