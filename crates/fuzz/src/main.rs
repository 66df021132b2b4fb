//! The long run: tries targets for as long as one likes, says how many inputs were tried, and keeps what goes wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use starkeep_fuzz::targets::{self, TARGETS};
use starkeep_fuzz::{Fuzzer, Target, corpus, try_alone};
use starkeep_platform::chance::{Chance as _, SystemChance};
use starkeep_platform::clock::{Clock, SystemClock};

/// Tries everything that reads bytes from outside with inputs that nobody would send.
///
/// An input that goes wrong is made as small as it can be and kept in the corpus, where every test run tries it from then on.
/// The target that it was found in is not tried further. The same seed tries the same inputs.
///
/// Exit codes: 0 nothing went wrong, 1 something did, 2 it was called wrongly.
#[derive(Parser)]
#[command(name = "starkeep-fuzz", after_help = list())]
struct Arguments {
    /// Only this target; all of them if absent.
    #[arg(long, value_name = "NAME", value_parser = target)]
    target: Option<&'static Target>,

    /// How long each target is tried.
    #[arg(long, default_value_t = 30)]
    seconds: u64,

    /// What all inputs are drawn from. Default: a random one, which is printed.
    #[arg(long)]
    seed: Option<u64>,

    /// Tries only the input in this file, and says what came of it.
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with_all = ["seconds", "seed"])]
    input: Option<PathBuf>,
}

fn list() -> String {
    let lines = TARGETS.iter().map(|target| format!("  {:<16} {}\n", target.name, target.about));
    format!("Targets:\n{}", lines.collect::<Vec<_>>().concat())
}

fn target(name: &str) -> Result<&'static Target, String> {
    targets::named(name).ok_or_else(|| "there is no such target; --help lists them".to_owned())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let is_good = match (arguments.target, &arguments.input) {
        (Some(target), Some(file)) => try_file(target, file),
        (target, _) => {
            let seed = arguments.seed.unwrap_or_else(|| SystemChance.bits());
            println!("seed {seed}");
            try_targets(target, Duration::from_secs(arguments.seconds), seed)
        }
    };
    match is_good {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}

fn try_file(target: &Target, file: &Path) -> Result<bool, String> {
    let input = std::fs::read(file).map_err(|fault| format!("{}: {fault}", file.display()))?;
    let verdict = try_alone(target, &input);
    match &verdict {
        Ok(outcome) => println!("good: {outcome}"),
        Err(fault) => println!("fault: {fault}"),
    }
    Ok(verdict.is_ok())
}

fn try_targets(only: Option<&'static Target>, span: Duration, seed: u64) -> Result<bool, String> {
    println!("{:<16} {:>12} {:>12} {:>8}", "target", "inputs", "per second", "faults");
    let mut is_good = true;
    for target in TARGETS.iter().filter(|target| only.is_none_or(|only| only.name == target.name)) {
        is_good &= try_target(target, span, seed)?;
    }
    Ok(is_good)
}

fn try_target(target: &Target, span: Duration, seed: u64) -> Result<bool, String> {
    let entries = corpus::of(target).map_err(|fault| format!("the corpus of {}: {fault}", target.name))?;
    let mut fuzzer = Fuzzer::new(target, entries.into_iter().map(|entry| entry.input), seed);
    let clock = SystemClock::start();
    let begin = clock.monotonic();
    let mut outcome = fuzzer.try_known();
    while outcome.is_ok() && clock.monotonic().since(begin) < span {
        outcome = fuzzer.try_next();
    }
    let (tried, took) = (fuzzer.tried(), clock.monotonic().since(begin));
    let per_second = u128::from(tried) * 1_000 / took.as_millis().max(1);
    println!("{:<16} {tried:>12} {per_second:>12} {:>8}", target.name, u8::from(outcome.is_err()));
    let Err(found) = outcome else { return Ok(true) };
    let file = corpus::add(target, &found.input).map_err(|fault| format!("the corpus: {fault}"))?;
    let (name, file) = (target.name, file.display());
    println!("  {}\n  the input is {file}; again with:", found.fault);
    println!("  cargo run --release -p starkeep-fuzz -- --target {name} --input {file}");
    Ok(false)
}
