//! What a run found, as a table for people and as JSON for programs.
//! The ratio of a path is the median of its rounds' ratios, each made of two slices that followed one
//! another.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;

use crate::load::{Sample, Slice};
use crate::paths::{Figure, MeasuredPath};
use crate::stats::Summary;

pub(crate) struct Report {
    pub(crate) mode: &'static str,
    pub(crate) slice: Slice,
    pub(crate) measured: Vec<Measured>,
}

pub(crate) struct Measured {
    pub(crate) path: &'static MeasuredPath,
    pub(crate) rounds: Vec<Round>,
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
            Figure::Lateness => self.bare.p99_micros / self.ours.p99_micros,
        }
    }
}

impl Measured {
    fn ratio(&self) -> Summary {
        Summary::of(self.rounds.iter().map(|round| round.ratio(self.path.figure)))
    }

    /// Each figure of one side by itself.
    fn medians(&self, side: impl Fn(&Round) -> Sample) -> Sample {
        let median = |figure: fn(Sample) -> f64| {
            Summary::of(self.rounds.iter().map(|round| figure(side(round)))).median
        };
        Sample {
            per_second: median(|sample| sample.per_second),
            p50_micros: median(|sample| sample.p50_micros),
            p99_micros: median(|sample| sample.p99_micros),
            memory_bytes: self.rounds.iter().filter_map(|round| side(round).memory_bytes).max(),
        }
    }

    fn is_met(&self) -> bool {
        self.ratio().median >= self.path.at_least
    }
}

impl Report {
    pub(crate) fn to_table(&self) -> String {
        let head =
            ["path", "beside", "ratio", "spread", "target", "", "starkeep", "beside it"].map(str::to_owned);
        let rows = self.measured.iter().map(|measured| {
            let ratio = measured.ratio();
            [
                measured.path.what.to_owned(),
                measured.path.beside.to_owned(),
                format!("{:.2}", ratio.median),
                format!("{:.2} to {:.2}", ratio.low, ratio.high),
                format!("at least {:.2}", measured.path.at_least),
                if measured.is_met() { "met" } else { "missed" }.to_owned(),
                measured.medians(|round| round.ours).to_string(),
                measured.medians(|round| round.bare).to_string(),
            ]
        });
        table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        let paths = self.measured.iter().map(|measured| {
            json!({
                "name": measured.path.name,
                "path": measured.path.what,
                "beside": measured.path.beside,
                "ratio": measured.ratio(),
                "at_least": measured.path.at_least,
                "met": measured.is_met(),
                "rounds": measured.rounds,
            })
        });
        json!({
            "mode": self.mode,
            "slice_seconds": self.slice.counted.as_secs_f64(),
            "paths": paths.collect::<Vec<_>>(),
        })
    }
}

/// Columns as wide as their widest cell, in a form that is also Markdown.
fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let widths: [usize; COLUMNS] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if number == 0 {
            for width in widths {
                let _ = write!(text, "|{:-<1$}", "", width + 2);
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::PATHS;

    fn sample(per_second: f64) -> Sample {
        Sample { per_second, p50_micros: 500.0, p99_micros: 1_500.0, memory_bytes: None }
    }

    fn report(ours: [f64; 3]) -> Report {
        let rounds = ours.map(|ours| Round { ours: sample(ours), bare: sample(1_000.0) }).to_vec();
        let slice = Slice { warm_up: std::time::Duration::ZERO, counted: std::time::Duration::from_secs(1) };
        Report { mode: "quick", slice, measured: vec![Measured { path: &PATHS[0], rounds }] }
    }

    #[test]
    fn the_table_has_a_row_for_each_path() {
        let expected = "\
| path              | beside                | ratio | spread       | target        |     | starkeep           | beside it           |
|-------------------|-----------------------|-------|--------------|---------------|-----|--------------------|---------------------|
| GET /planets/{id} | bare axum, same bytes | 0.90  | 0.80 to 0.95 | at least 0.85 | met | 900/s, p99 1.50 ms | 1000/s, p99 1.50 ms |
";
        assert_eq!(report([800.0, 950.0, 900.0]).to_table(), expected);
    }

    #[test]
    fn half_the_lateness_is_twice_as_good() {
        let (ours, bare) = (sample(20.0), Sample { p99_micros: 3_000.0, ..sample(20.0) });
        assert_eq!(Round { ours, bare }.ratio(Figure::Lateness).total_cmp(&2.0), std::cmp::Ordering::Equal);
    }

    #[test]
    fn a_ratio_below_the_target_is_missed() {
        let json = report([700.0, 950.0, 800.0]).to_json();
        assert_eq!(json["paths"][0]["ratio"], json!({"median": 0.8, "low": 0.7, "high": 0.95}));
        assert_eq!(json["paths"][0]["met"], false);
        assert_eq!(json["paths"][0]["rounds"][1]["ours"]["per_second"], 950.0);
    }
}
