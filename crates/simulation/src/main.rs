//! The command that simulates many seeds, or one of them, and tells what did not hold.

mod args;
mod child;
mod many;
mod planted;
mod smallest;

use std::process::ExitCode;

use clap::Parser as _;
use starkeep_simulation::{Plan, simulate};

use self::args::Args;
use self::child::Report;

fn main() -> ExitCode {
    let args = Args::parse();
    let is_well = match args.seed {
        Some(seed) => one(seed, &args),
        None if args.planted_all => planted::find_all(&args),
        None => many::simulate_all(&args),
    };
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(seed: u64, args: &Args) -> bool {
    let plan = Plan::draw(seed).without(&args.without);
    if !args.json {
        println!("{plan:#?}");
    }
    let outcome = simulate(&plan, args.planted);
    if args.json {
        println!("{}", Report::of(&outcome).line());
    } else {
        println!("{outcome:#?}");
    }
    outcome.violations.is_empty()
}
