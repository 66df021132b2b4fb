//! What a run found: the ratio of each path, and its figures side by side.
//! The ratio of a path is the median of its rounds' ratios, each made of two slices that followed one
//! another. How it is written down is in `report/`.

mod chart;
mod csv;
mod json;
mod table;

use serde::Serialize;

use crate::paths::{Figure, MeasuredPath};
use crate::sample::{Sample, Slice};
use crate::stats::Summary;

pub(crate) struct Report {
    pub(crate) mode: &'static str,
    pub(crate) slice: Slice,
    pub(crate) measured: Vec<Measured>,
}

pub(crate) struct Measured {
    pub(crate) path: &'static MeasuredPath,
    /// Or why there are none.
    pub(crate) rounds: Result<Vec<Round>, String>,
}

/// A slice of each side, one after the other.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Round {
    pub(crate) ours: Sample,
    pub(crate) bare: Sample,
}

impl Round {
    /// More is better, and 1 is as good as bare.
    pub(crate) fn ratio(&self, figure: Figure) -> f64 {
        match figure {
            Figure::Rate => self.ours.per_second / self.bare.per_second,
            // What is not late at all is as late as the clock can tell.
            Figure::Lateness => self.bare.p99_micros.max(1.0) / self.ours.p99_micros.max(1.0),
            Figure::Memory => megabytes(self.bare) / megabytes(self.ours),
        }
    }
}

fn megabytes(sample: Sample) -> f64 {
    let kilobytes = sample.memory_bytes.unwrap_or_default() / 1_000;
    f64::from(u32::try_from(kilobytes).unwrap_or(u32::MAX)) / 1_000.0
}

/// What is said of a path that was measured.
pub(crate) struct Finding {
    pub(crate) ratio: Summary,
    pub(crate) is_met: bool,
    /// The median of each figure by itself.
    pub(crate) ours: Sample,
    pub(crate) bare: Sample,
    /// Server CPU of one unit, ours and bare, in microseconds.
    pub(crate) cpu_micros: Option<(f64, f64)>,
    /// How many times were measured on our side, in all rounds.
    pub(crate) samples: u32,
}

impl Measured {
    /// None where there was no round.
    pub(crate) fn finding(&self) -> Option<Finding> {
        let rounds = self.rounds.as_ref().ok().filter(|rounds| !rounds.is_empty())?;
        let ratio = Summary::of(rounds.iter().map(|round| round.ratio(self.path.figure)));
        let (ours, bare) = (side(rounds, |round| round.ours), side(rounds, |round| round.bare));
        let cpu_micros = match self.path.figure {
            Figure::Rate => {
                cpu_micros(rounds, |round| round.ours).zip(cpu_micros(rounds, |round| round.bare))
            }
            Figure::Lateness | Figure::Memory => None,
        };
        let samples = rounds.iter().map(|round| round.ours.count).fold(0, u32::saturating_add);
        Some(Finding { ratio, is_met: ratio.median >= self.path.at_least, ours, bare, cpu_micros, samples })
    }
}

impl Finding {
    /// More is better, and 1 is as cheap as bare.
    pub(crate) fn cpu_ratio(&self) -> Option<f64> {
        self.cpu_micros.map(|(ours, bare)| bare / ours)
    }
}

/// The median of each figure of one side.
fn side(rounds: &[Round], side: impl Fn(&Round) -> Sample) -> Sample {
    let median =
        |figure: fn(Sample) -> f64| Summary::of(rounds.iter().map(|round| figure(side(round)))).median;
    Sample {
        per_second: median(|sample| sample.per_second),
        p50_micros: median(|sample| sample.p50_micros),
        p99_micros: median(|sample| sample.p99_micros),
        memory_bytes: rounds.iter().filter_map(|round| side(round).memory_bytes).max(),
        ..Sample::default()
    }
}

/// All time by all work, because the time of a single slice is known only to a hundredth of a second.
fn cpu_micros(rounds: &[Round], side: impl Fn(&Round) -> Sample) -> Option<f64> {
    let seconds: f64 = rounds.iter().map(|round| side(round).cpu_seconds).sum::<Option<f64>>()?;
    let done: f64 = rounds.iter().map(|round| f64::from(side(round).done)).sum();
    (seconds > 0.0 && done > 0.0).then_some(1_000_000.0 * seconds / done)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use super::*;
    use crate::paths;

    fn sample(per_second: f64) -> Sample {
        Sample {
            per_second,
            p50_micros: 500.0,
            p99_micros: 1_500.0,
            count: 100,
            done: 200,
            cpu_seconds: Some(0.002),
            memory_bytes: None,
        }
    }

    /// Of a path with a target of 0.9, beside a bare side with 1,000 in a second.
    pub(crate) fn report(ours: [f64; 3]) -> Report {
        let cheaper = Sample { cpu_seconds: Some(0.001), ..sample(1_000.0) };
        let rounds = ours.map(|ours| Round { ours: sample(ours), bare: cheaper }).to_vec();
        let slice = Slice { warm_up: Duration::ZERO, counted: Duration::from_secs(1) };
        let path = paths::all().find(|path| path.name == "time").unwrap();
        Report { mode: "quick", slice, measured: vec![Measured { path, rounds: Ok(rounds) }] }
    }

    /// The same and a path that could not be measured.
    pub(crate) fn report_with_a_gap() -> Report {
        let mut report = report([800.0, 950.0, 900.0]);
        let path = paths::all().find(|path| path.name == "kafka-relay").unwrap();
        report.measured.push(Measured { path, rounds: Err("no <java> & \"mvn\", none".to_owned()) });
        report
    }

    #[test]
    fn half_the_lateness_and_half_the_memory_are_twice_as_good() {
        let (ours, bare) = (sample(20.0), Sample { p99_micros: 3_000.0, ..sample(20.0) });
        assert!(Round { ours, bare }.ratio(Figure::Lateness).total_cmp(&2.0).is_eq());
        let (ours, bare) = (Sample::of_memory(10_000_000), Sample::of_memory(20_000_000));
        assert!(Round { ours, bare }.ratio(Figure::Memory).total_cmp(&2.0).is_eq());
    }

    #[test]
    fn a_round_that_is_not_late_at_all_has_a_ratio() {
        let nothing = Sample { p99_micros: 0.0, ..sample(20.0) };
        assert!(Round { ours: nothing, bare: nothing }.ratio(Figure::Lateness).total_cmp(&1.0).is_eq());
    }

    #[test]
    fn cpu_time_is_that_of_all_rounds_by_what_they_did() {
        let finding = report([800.0, 950.0, 900.0]).measured[0].finding().unwrap();
        let (ours, bare) = finding.cpu_micros.unwrap();
        assert_eq!((format!("{ours:.3}"), format!("{bare:.3}")), ("10.000".to_owned(), "5.000".to_owned()));
        assert_eq!(format!("{:.3}", finding.cpu_ratio().unwrap()), "0.500");
        assert_eq!(finding.samples, 300);
    }

    #[test]
    fn a_side_whose_cpu_time_is_not_known_has_none() {
        let mut report = report([800.0, 950.0, 900.0]);
        report.measured[0].rounds.as_mut().unwrap()[1].bare.cpu_seconds = None;
        assert_eq!(report.measured[0].finding().unwrap().cpu_micros, None);
    }
}
