//! The benchmark: starts the real program and bare programs side by side and prints the ratios of one
//! interleaved run.
//! Absolute figures belong to a machine; a ratio to a bare program on the same machine, in the same minute,
//! shows what our own code costs.

mod bare;
mod clock;
mod connection;
mod failure;
mod http;
mod kafka;
mod large_round;
mod lateness;
mod load;
mod long_log;
mod one_core;
mod pairs;
mod paths;
mod prepare;
mod program;
mod report;
mod starting;
mod stats;
mod streaming;
mod turbo;
mod turbo_game;
mod worlds;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, builder::PossibleValuesParser};

use crate::failure::Failure;
use crate::load::Slice;
use crate::paths::{Figure, MeasuredPath, PATHS};
use crate::report::{Measured, Report, Round};

/// Measures starkeep beside bare programs and prints the ratios.
#[derive(Parser)]
#[command(name = "starkeep-bench", args_conflicts_with_subcommands = true)]
struct Cli {
    /// Take more and longer rounds than the quick run, which takes about six minutes.
    #[arg(long)]
    full: bool,
    /// Print one JSON document with every round instead of the table.
    #[arg(long)]
    json: bool,
    /// Measure this path alone; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(PATHS.iter().map(|path| path.name)))]
    only: Vec<String>,
    /// Measure this executable instead of building the program: for a comparison of two versions.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Be one of the bare programs; the benchmark starts them itself.
    #[command(subcommand, hide = true)]
    Bare(bare::Bare),
}

/// How much is measured: so many rounds, in each a slice of every side.
struct Plan {
    name: &'static str,
    rounds: usize,
    slice: Slice,
}

/// Short turns: the closer two slices follow one another, the more alike the machine was for both.
const QUICK: Plan = Plan {
    name: "quick",
    rounds: 11,
    slice: Slice { warm_up: Duration::from_millis(100), counted: Duration::from_millis(400) },
};

impl Plan {
    /// Boundaries come a few times in a second, so that their lateness needs longer turns, and fewer are enough.
    fn turns(&self, figure: Figure) -> (usize, Slice) {
        match figure {
            Figure::Rate => (self.rounds, self.slice),
            Figure::Lateness => (self.rounds.div_ceil(4), self.slice.times(8)),
        }
    }
}

const FULL: Plan = Plan {
    name: "full",
    rounds: 31,
    slice: Slice { warm_up: Duration::from_millis(250), counted: Duration::from_secs(1) },
};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match &cli.command {
        Some(Command::Bare(bare)) => bare::run(bare),
        None => measure(&cli),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(cli: &Cli) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        return Err(Failure::new(
            "a debug build measures nothing of worth: cargo run --release -p starkeep-bench",
        ));
    }
    let plan = if cli.full { FULL } else { QUICK };
    let executable = match &cli.program {
        Some(executable) => executable.clone(),
        None => program::build()?,
    };
    eprintln!("measuring {}", executable.display());

    let chosen =
        PATHS.iter().filter(|path| cli.only.is_empty() || cli.only.iter().any(|name| name == path.name));
    let measured = chosen.map(|path| measure_path(path, &plan, &executable)).collect::<Result<_, _>>()?;

    let report = Report { mode: plan.name, slice: plan.slice, measured };
    if cli.json {
        println!("{}", report.to_json());
    } else {
        print!("{}", report.to_table());
    }
    Ok(())
}

/// Both sides are up for the whole path and take turns, so that a slow minute of the machine slows both.
fn measure_path(path: &'static MeasuredPath, plan: &Plan, executable: &Path) -> Result<Measured, Failure> {
    eprintln!("{}: preparing", path.name);
    let mut pair = (path.prepare)(executable).map_err(|failure| failure.during(path.name))?;
    let (turns, slice) = plan.turns(path.figure);
    let mut rounds = Vec::with_capacity(turns);
    for number in 1..=turns {
        let ours = (pair.ours)(slice).map_err(|failure| failure.during(path.name))?;
        let bare = (pair.bare)(slice).map_err(|failure| failure.during(path.beside))?;
        let round = Round { ours, bare };
        eprintln!(
            "{}: round {number} of {turns}: {ours} beside {bare}, ratio {:.2}",
            path.name,
            round.ratio(path.figure)
        );
        rounds.push(round);
    }
    Ok(Measured { path, rounds })
}
