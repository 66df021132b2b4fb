//! The lateness of rounds: how late their boundaries were committed, and when schedules were shifted.
//! It only measures; nothing is decided by these figures.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use starkeep_contract::health::Lateness;
use starkeep_game_core::BoundaryKind;

/// How many recent boundaries of each kind are in the summary.
const RECENT: usize = 4096;

pub(crate) struct ScheduleMetrics {
    lateness: Family<OfKind, Histogram>,
    recent: Mutex<BTreeMap<&'static str, VecDeque<Duration>>>,
    shifts: Family<OfCause, Counter>,
    shifted_by: Family<OfCause, Counter<f64, std::sync::atomic::AtomicU64>>,
    last_shift_at: Gauge,
    last_shift: Mutex<Option<Shift>>,
}

/// Why a schedule was shifted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause {
    /// No process was up.
    Downtime,
    /// The process was up and could not keep time: frozen, starved, or unable to write.
    Freeze,
}

/// By how much schedules were shifted, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    pub(crate) at: Timestamp,
    pub(crate) by: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    boundary: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfCause {
    cause: &'static str,
}

impl Default for ScheduleMetrics {
    fn default() -> Self {
        Self {
            // From a tenth of a millisecond to three seconds.
            lateness: Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.0001, 2.0, 16))),
            recent: Mutex::default(),
            shifts: Family::default(),
            shifted_by: Family::default(),
            last_shift_at: Gauge::default(),
            last_shift: Mutex::default(),
        }
    }
}

impl ScheduleMetrics {
    pub(crate) fn took(&self, kind: BoundaryKind, late: Duration) {
        let boundary = match kind {
            BoundaryKind::FirstRoundBegins => "firstRoundStarted",
            BoundaryKind::InputEnds => "inputEnded",
            BoundaryKind::RoundEnds => "roundEnded",
        };
        self.lateness.get_or_create(&OfKind { boundary }).observe(late.as_secs_f64());
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = recent.entry(boundary).or_default();
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(late);
    }

    pub(crate) fn shifted(&self, cause: Cause, by: Duration, at: Timestamp) {
        let cause = OfCause {
            cause: match cause {
                Cause::Downtime => "downtime",
                Cause::Freeze => "freeze",
            },
        };
        self.shifts.get_or_create(&cause).inc();
        self.shifted_by.get_or_create(&cause).inc_by(by.as_secs_f64());
        self.last_shift_at.set(at.as_second());
        *self.last_shift.lock().unwrap_or_else(PoisonError::into_inner) = Some(Shift { at, by });
    }

    pub(crate) fn last_shift(&self) -> Option<Shift> {
        *self.last_shift.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A summary of the recent boundaries, by kind.
    pub(crate) fn summary(&self) -> BTreeMap<String, Lateness> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        recent.into_iter().map(|(kind, late)| (kind.to_owned(), summary_of(late))).collect()
    }

    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "boundary_lateness",
            "Time from the scheduled instant of a round boundary to its commit",
            Unit::Seconds,
            self.lateness.clone(),
        );
        registry.register(
            "schedule_shifts",
            "How often the schedules of games were shifted",
            self.shifts.clone(),
        );
        registry.register_with_unit(
            "schedule_shifted",
            "By how much the schedules of games were shifted, in all",
            Unit::Seconds,
            self.shifted_by.clone(),
        );
        registry.register_with_unit(
            "schedule_last_shift_timestamp",
            "When the schedules of games were last shifted; 0 if never in this process",
            Unit::Seconds,
            self.last_shift_at.clone(),
        );
    }
}

fn summary_of(late: VecDeque<Duration>) -> Lateness {
    let mut late = Vec::from(late);
    late.sort_unstable();
    let millis = |share: usize| {
        let place = (late.len() * share).div_ceil(100).saturating_sub(1);
        late.get(place).map_or(0.0, |late| late.as_secs_f64() * 1_000.0)
    };
    Lateness {
        boundaries: late.len() as u64,
        p50_millis: millis(50),
        p99_millis: millis(99),
        max_millis: millis(100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_of_the_last_boundaries_of_each_kind() {
        let schedule_metrics = ScheduleMetrics::default();
        schedule_metrics.took(BoundaryKind::RoundEnds, Duration::from_secs(9));
        for late in 1..=RECENT as u64 {
            schedule_metrics.took(BoundaryKind::RoundEnds, Duration::from_micros(late));
        }
        schedule_metrics.took(BoundaryKind::InputEnds, Duration::from_millis(3));
        let summary = schedule_metrics.summary();
        let one = Lateness { boundaries: 1, p50_millis: 3.0, p99_millis: 3.0, max_millis: 3.0 };
        assert_eq!(summary["inputEnded"], one);
        let many = Lateness { boundaries: 4096, p50_millis: 2.048, p99_millis: 4.056, max_millis: 4.096 };
        assert_eq!(summary["roundEnded"], many);
    }
}
