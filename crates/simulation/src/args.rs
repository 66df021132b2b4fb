//! The flags of the command.

use std::ops::Range;

use clap::Parser;
use starkeep_simulation::PlantedBug;

/// Simulates all four services with their replicas, each seed with a plan of faults of its own, and checks what must hold. Ends with 1 where
/// something does not.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Args {
    /// The seeds that are simulated, each in a process of its own: from the first to before the second.
    #[arg(long, value_name = "FROM..TO", default_value = "0..1000", value_parser = range)]
    pub(crate) seeds: Range<u64>,

    /// Only this seed, with its plan and all that was found.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,

    /// With --seed: these faults of its plan are left out, counted from 0.
    #[arg(long, value_name = "PLACES", value_delimiter = ',', requires = "seed")]
    pub(crate) without: Vec<usize>,

    /// With this mistake in the simulated database.
    #[arg(long, value_name = "BUG", value_parser = bug)]
    pub(crate) planted: Option<PlantedBug>,

    /// Each mistake that can be planted, one after the other: with which seed is it found?
    #[arg(long, conflicts_with_all = ["seed", "planted"])]
    pub(crate) planted_all: bool,

    /// With --seed: what was found, as one line of JSON.
    #[arg(long, requires = "seed")]
    pub(crate) json: bool,
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let numbers = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let (from, to) = numbers.ok_or("two numbers are expected, such as 0..1000")?;
    if from < to { Ok(from..to) } else { Err("the second number must be greater than the first".to_owned()) }
}

fn bug(text: &str) -> Result<PlantedBug, String> {
    let is_meant = |bug: &PlantedBug| format!("{bug:?}") == text;
    PlantedBug::ALL.into_iter().find(is_meant).ok_or_else(|| {
        let names: Vec<_> = PlantedBug::ALL.iter().map(|bug| format!("{bug:?}")).collect();
        format!("one of these is expected: {}", names.join(", "))
    })
}
