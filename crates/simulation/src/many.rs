//! Many seeds at a time, as many as there are processors; what did not hold is told with the smallest plan that leads to it.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{available_parallelism, scope};
use std::time::Instant;

use crate::args::Args;
use crate::child::{Report, again, simulate_in_child};
use crate::smallest::not_needed;

/// So many violations are made smaller; more of them would take long, and tell little.
const MOST_MADE_SMALLER: usize = 5;

/// Whether nothing was found.
#[expect(clippy::disallowed_methods, reason = "how long it takes is measured on the real clock")]
pub(crate) fn simulate_all(args: &Args) -> bool {
    let begin = Instant::now();
    let (total, next) = (Mutex::new(Total::default()), AtomicU64::new(args.seeds.start));
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= args.seeds.end {
                        return;
                    }
                    let report = simulate_in_child(seed, &[], args.planted);
                    let mut total = total.lock().expect("nobody panics with it");
                    total.add(seed, report);
                    total.show_progress(args.seeds.end - args.seeds.start);
                }
            });
        }
    });
    let mut total = total.into_inner().expect("nobody panics with it");
    println!(
        "{} seeds, {} faults, {} rounds, {} operations acknowledged, {} hours simulated in {} s: {} violated",
        total.seeds,
        total.faults,
        total.rounds,
        total.acknowledged,
        total.simulated_millis / 3_600_000,
        begin.elapsed().as_secs(),
        total.violated.len()
    );
    total.violated.sort_unstable();
    for (number, (seed, sentences)) in total.violated.iter().enumerate() {
        let without = if number < MOST_MADE_SMALLER { not_needed(*seed, args.planted) } else { Vec::new() };
        println!(
            "\nseed {seed}; again: starkeep-simulation {}",
            again(*seed, &without, args.planted).join(" ")
        );
        for sentence in sentences {
            println!("  {sentence}");
        }
    }
    total.violated.is_empty()
}

#[derive(Default)]
struct Total {
    seeds: u64,
    faults: u64,
    rounds: u64,
    acknowledged: u64,
    simulated_millis: u64,
    violated: Vec<(u64, Vec<String>)>,
}

impl Total {
    fn add(&mut self, seed: u64, report: Report) {
        self.seeds += 1;
        self.faults += report.faults;
        self.rounds += report.rounds;
        self.acknowledged += report.acknowledged;
        self.simulated_millis += report.simulated_millis;
        if !report.violations.is_empty() {
            self.violated.push((seed, report.violations));
        }
    }

    fn show_progress(&self, all: u64) {
        if stderr().is_terminal() {
            let _ = write!(stderr(), "\r{} of {all} seeds, {} violated", self.seeds, self.violated.len());
        }
    }
}
