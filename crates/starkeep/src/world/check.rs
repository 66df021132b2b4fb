//! `starkeep world check`: generates many worlds on all cores and checks each against what every world promises.
//! The promises themselves are in the core.

use std::fmt::Write as _;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use serde_json::json;
use starkeep_map_core::{BrokenGuarantee, Layout, Spec, Style, check_guarantees, generate};

use crate::args::CheckArgs;
use crate::progress::ProgressBar;

/// At most so many broken worlds are listed.
const MOST_LISTED: usize = 20;

pub(super) struct Report {
    rows: Vec<Row>,
    pub(super) broken: Vec<BrokenWorld>,
}

/// All worlds of one spec.
struct Row {
    spec: Spec,
    worlds: u64,
    broken: u64,
    /// The largest ratio; none if there was a start worth nothing.
    worst_ratio: Option<f64>,
    sum_of_ratios: f64,
    least_distance: Option<u32>,
}

pub(super) struct BrokenWorld {
    spec: Spec,
    seed: u64,
    why: BrokenGuarantee,
}

/// What is known of one world.
struct Checked {
    row: usize,
    seed: u64,
    ratio: Option<f64>,
    least_distance: Option<u32>,
    outcome: Result<(), BrokenGuarantee>,
}

pub(super) fn check(args: &CheckArgs) -> Report {
    let styles = args.style.iter().map(|style| Style::from(*style));
    let specs: Vec<Spec> = styles
        .flat_map(|style| args.players.iter().map(move |players| Spec { players: *players, style }))
        .collect();
    let mut rows: Vec<Row> = specs.iter().map(|spec| Row::new(*spec)).collect();
    let mut broken = Vec::new();
    let seeds = args.seeds.end - args.seeds.start;
    let total = seeds * specs.len() as u64;
    let mut progress = ProgressBar::new("worlds", total);

    let next = AtomicU64::new(0);
    let (sender, checked) = mpsc::sync_channel(1024);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            let (sender, next, specs) = (sender.clone(), &next, &specs);
            let first = args.seeds.start;
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= total {
                        return;
                    }
                    let row = usize::try_from(number / seeds).expect("the number of a spec");
                    let one = check_one(row, specs[row], first + number % seeds);
                    if sender.send(one).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (done, one) in (1..).zip(checked) {
            let row = &mut rows[one.row];
            row.add(&one);
            if let Err(why) = one.outcome {
                broken.push(BrokenWorld { spec: row.spec, seed: one.seed, why });
            }
            progress.show(done);
        }
    });
    progress.end();
    broken.sort_by_key(|broken| broken.seed);
    Report { rows, broken }
}

fn line([style, players, worlds, kept, nearest, mean, worst]: [&str; 7]) -> String {
    format!("{style:<10} {players:>7} {worlds:>8} {kept:>8} {nearest:>18} {mean:>12} {worst:>15}\n")
}

fn check_one(row: usize, spec: Spec, seed: u64) -> Checked {
    let layout: Layout = generate(seed, &spec);
    let (ratio, least_distance) = (layout.fairness.spread().ratio(), layout.fairness.least_distance);
    Checked { row, seed, ratio, least_distance, outcome: check_guarantees(&layout, &spec) }
}

impl Row {
    fn new(spec: Spec) -> Self {
        Self { spec, worlds: 0, broken: 0, worst_ratio: Some(0.0), sum_of_ratios: 0.0, least_distance: None }
    }

    fn add(&mut self, one: &Checked) {
        self.worlds += 1;
        self.broken += u64::from(one.outcome.is_err());
        self.worst_ratio = self.worst_ratio.zip(one.ratio).map(|(worst, ratio)| worst.max(ratio));
        self.sum_of_ratios += one.ratio.unwrap_or(0.0);
        self.least_distance = self.least_distance.into_iter().chain(one.least_distance).min();
    }
}

impl Report {
    pub(super) fn table(&self) -> String {
        let mut text =
            "style      players   worlds   kept     nearest stations   mean ratio   largest ratio\n"
                .to_owned();
        for row in &self.rows {
            #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
            let mean = row.sum_of_ratios / row.worlds.max(1) as f64;
            let mean = row.worst_ratio.map_or("-".to_owned(), |_| format!("{mean:.3}"));
            let worst = row.worst_ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
            let nearest = row.least_distance.map_or("-".to_owned(), |moves| moves.to_string());
            let (players, worlds) = (row.spec.players.to_string(), row.worlds.to_string());
            let kept = (row.worlds - row.broken).to_string();
            text += &line([row.spec.style.as_str(), &players, &worlds, &kept, &nearest, &mean, &worst]);
        }
        text
    }

    /// A document a row.
    pub(super) fn json(&self) -> String {
        let row = |row: &Row| {
            #[expect(clippy::cast_precision_loss, reason = "a mean of far fewer worlds than that")]
            let mean = row.worst_ratio.map(|_| row.sum_of_ratios / row.worlds.max(1) as f64);
            let line = json!({
                "style": row.spec.style.as_str(), "players": row.spec.players, "worlds": row.worlds,
                "kept": row.worlds - row.broken, "leastDistance": row.least_distance, "meanRatio": mean,
                "largestRatio": row.worst_ratio,
            });
            format!("{line}\n")
        };
        self.rows.iter().map(row).collect::<Vec<_>>().concat()
    }

    pub(super) fn broken_worlds(&self) -> String {
        let mut text = format!("{} worlds do not keep what is promised:", self.broken.len());
        for BrokenWorld { spec: Spec { players, style }, seed, why } in self.broken.iter().take(MOST_LISTED) {
            let _ = write!(text, "\n  {} world for {players} players, seed {seed}: {why}", style.as_str());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{OutputArgs, StyleArg};

    #[test]
    fn every_world_is_checked_once() {
        let args = CheckArgs {
            seeds: 3..10,
            players: vec![1, 4],
            style: vec![StyleArg::Wild, StyleArg::Symmetric],
            output: OutputArgs::default(),
        };
        let report = check(&args);
        assert!(report.broken.is_empty(), "{}", report.broken_worlds());
        let counts: Vec<_> =
            report.rows.iter().map(|row| (row.spec.style, row.spec.players, row.worlds)).collect();
        assert_eq!(
            counts,
            [(Style::Wild, 1, 7), (Style::Wild, 4, 7), (Style::Symmetric, 1, 7), (Style::Symmetric, 4, 7)]
        );
        let table = report.table();
        assert!(table.contains("symmetric        4        7        7"), "{table}");
        let rows: Vec<serde_json::Value> =
            report.json().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((rows.len(), &rows[3]["kept"], &rows[3]["style"]), (4, &7.into(), &"symmetric".into()));
        assert_eq!(report.rows[2].worst_ratio, Some(1.0), "one player's two stations are twins");
    }
}
