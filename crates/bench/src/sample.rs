//! What one turn of one side gave: how much was done, how long it took, and what it cost the process that was measured.
//! A slice says how long a turn is.

use std::time::Duration;

use serde::Serialize;

use crate::failure::{During, Failure};
use crate::paths::Figure;
use crate::stats::percentile;

/// One turn of one side: answers during the warm-up are not counted.
#[derive(Clone, Copy)]
pub(crate) struct Slice {
    pub(crate) warm_up: Duration,
    pub(crate) counted: Duration,
}

impl Slice {
    pub(crate) fn times(self, longer: u32) -> Self {
        Self { warm_up: self.warm_up * longer, counted: self.counted * longer }
    }

    pub(crate) fn whole(self) -> Duration {
        self.warm_up + self.counted
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct Sample {
    pub(crate) per_second: f64,
    pub(crate) p50_micros: f64,
    pub(crate) p99_micros: f64,
    /// How many times were measured for these figures.
    pub(crate) count: u32,
    /// How much was done in the whole turn, the warm-up included: what the CPU time is divided by.
    pub(crate) done: u32,
    /// User and system time of the process in the whole turn, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu_seconds: Option<f64>,
    /// Of the process, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_bytes: Option<u64>,
}

impl Sample {
    /// Answers that took so long each, and together.
    pub(crate) fn of_latencies(mut nanos: Vec<u32>, took: Duration) -> Result<Self, Failure> {
        nanos.sort_unstable();
        let count = u32::try_from(nanos.len()).during("counting the answers")?;
        let micros = |percent| f64::from(percentile(&nanos, percent)) / 1_000.0;
        Ok(Self {
            per_second: f64::from(count) / took.as_secs_f64(),
            p50_micros: micros(50),
            p99_micros: micros(99),
            count,
            done: count,
            ..Self::default()
        })
    }

    /// So much was done in this time.
    pub(crate) fn of_rate(done: u32, took: Duration) -> Self {
        let per_second = f64::from(done) / took.as_secs_f64();
        Self { per_second, count: done, done, ..Self::default() }
    }

    /// One thing that took so long.
    pub(crate) fn of_one(took: Duration) -> Self {
        let micros = 1_000_000.0 * took.as_secs_f64();
        Self { p50_micros: micros, p99_micros: micros, ..Self::of_rate(1, took) }
    }

    pub(crate) fn of_memory(bytes: u64) -> Self {
        Self { memory_bytes: Some(bytes), count: 1, ..Self::default() }
    }

    pub(crate) fn at_least_as_late_as(self, late: Duration) -> Self {
        Self { p99_micros: self.p99_micros.max(1_000_000.0 * late.as_secs_f64()), ..self }
    }

    /// The rate in units of which each of those measured is so many.
    pub(crate) fn in_parts(self, of_each: u32) -> Self {
        let (per_second, done) = (self.per_second * f64::from(of_each), self.done.saturating_mul(of_each));
        Self { per_second, done, ..self }
    }

    pub(crate) fn shown(&self, figure: Figure) -> String {
        let p99 = format!("p99 {:.2} ms", self.p99_micros / 1_000.0);
        let memory = self.memory_bytes.map(|bytes| format!("{} MB", bytes.div_ceil(1_000_000)));
        match (figure, memory) {
            (Figure::Memory, memory) => memory.unwrap_or_default(),
            (Figure::Lateness, _) => p99,
            (Figure::Rate, memory) => {
                let mut text = rate(self.per_second);
                if self.p99_micros > 0.0 {
                    text = format!("{text}, {p99}");
                }
                memory.map_or(text.clone(), |memory| format!("{text}, at most {memory}"))
            }
        }
    }
}

/// Slow ones with two decimals, the others without.
fn rate(per_second: f64) -> String {
    if per_second < 10.0 { format!("{per_second:.2}/s") } else { format!("{per_second:.0}/s") }
}

/// A latency as it is kept; what takes longer than four seconds counts as four.
pub(crate) fn nanos(took: Duration) -> u32 {
    u32::try_from(took.as_nanos()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_become_percentiles_and_a_rate() {
        let nanos = (1..=100).rev().map(|number| 1_000 * number).collect();
        let sample = Sample::of_latencies(nanos, Duration::from_secs(2)).unwrap();
        let expected = Sample {
            per_second: 50.0,
            p50_micros: 50.0,
            p99_micros: 99.0,
            count: 100,
            done: 100,
            ..Sample::default()
        };
        assert_eq!(sample, expected);
    }

    #[test]
    fn a_batch_counts_as_its_parts() {
        let sample = Sample::of_rate(10, Duration::from_secs(1)).in_parts(50);
        assert_eq!((sample.per_second.total_cmp(&500.0).is_eq(), sample.done, sample.count), (true, 500, 10));
    }

    #[test]
    fn each_figure_is_shown_as_what_it_is() {
        let sample = Sample { p99_micros: 1_500.0, ..Sample::of_rate(30, Duration::from_secs(10)) };
        assert_eq!(sample.shown(Figure::Rate), "3.00/s, p99 1.50 ms");
        assert_eq!(sample.shown(Figure::Lateness), "p99 1.50 ms");
        assert_eq!(Sample::of_memory(25_000_000).shown(Figure::Memory), "25 MB");
        assert_eq!(Sample::of_rate(5_000, Duration::from_secs(1)).shown(Figure::Rate), "5000/s");
    }
}
