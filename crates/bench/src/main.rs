//! The benchmark: starts the real program and bare programs side by side and prints the ratios of one
//! interleaved run.
//! Absolute figures belong to a machine; a ratio to a bare program on the same machine, in the same minute,
//! shows what our own code costs.

mod bare;
mod clock;
mod connection;
mod failure;
mod http;
mod joining;
mod kafka;
mod large_round;
mod lateness;
mod load;
mod long_log;
mod one_core;
mod open_loop;
mod pairs;
mod paths;
mod pgbench;
mod postgres;
mod prepare;
mod process;
mod program;
mod report;
mod results;
mod sample;
mod several;
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

use crate::failure::{During, Failure};
use crate::paths::{Figure, MeasuredPath, Mode};
use crate::report::{Measured, Report, Round};
use crate::sample::Slice;

/// Measures starkeep beside bare programs and prints the ratios.
#[derive(Parser)]
#[command(name = "starkeep-bench", args_conflicts_with_subcommands = true)]
struct Cli {
    /// Measure everything, in more and longer turns: under 20 minutes instead of under 3.
    #[arg(long)]
    full: bool,
    /// Print one JSON document with every turn instead of the table.
    #[arg(long)]
    json: bool,
    /// Measure this path alone; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(paths::all().map(|path| path.name)))]
    only: Vec<String>,
    /// Where bench.csv and bench.svg are written; by default `bench` in the build's directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
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

/// How much is measured: so many turns, in each a slice of every side.
struct Plan {
    name: &'static str,
    mode: Mode,
    turns: usize,
    slice: Slice,
    /// Of what needs a process of its own for each figure.
    memory_turns: usize,
}

/// Short turns: the closer two slices follow one another, the more alike the machine was for both.
const QUICK: Plan = Plan {
    name: "quick",
    mode: Mode::Quick,
    turns: 5,
    slice: Slice { warm_up: Duration::from_millis(60), counted: Duration::from_millis(240) },
    memory_turns: 1,
};

const FULL: Plan = Plan {
    name: "full",
    mode: Mode::Full,
    turns: 7,
    slice: Slice { warm_up: Duration::from_millis(150), counted: Duration::from_millis(600) },
    memory_turns: 3,
};

impl Plan {
    /// The latest hundredth needs hundreds of samples: what has its time comes a few times in a second, so its turns are longer.
    fn turns(&self, figure: Figure) -> (usize, Slice) {
        match figure {
            Figure::Rate => (self.turns, self.slice),
            Figure::Lateness => (self.turns, self.slice.times(3)),
            Figure::Memory => (self.memory_turns, self.slice),
        }
    }
}

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
    let begin = clock::now();
    // Two thousand readers are more connections than a shell allows by default.
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        eprintln!("the limit of open files stays as it is: {error}");
    }

    let is_chosen = |path: &&MeasuredPath| match cli.only.as_slice() {
        [] => path.mode <= plan.mode,
        only => only.iter().any(|name| name == path.name),
    };
    let mut failed = Vec::new();
    let mut measured = Vec::new();
    for path in paths::all().filter(is_chosen) {
        let rounds = measure_path(path, &plan, &executable).map_err(|failure| {
            eprintln!("{failure}");
            if !failure.is_absence() {
                failed.push(path.name);
            }
            failure.to_string()
        });
        measured.push(Measured { path, rounds });
    }

    let report = Report { mode: plan.name, slice: plan.slice, measured };
    let out = cli.out.clone().map_or_else(program::report_directory, Ok)?;
    write_beside(&out, &report)?;
    if cli.json {
        println!("{}", report.to_json());
    } else {
        print!("{}", report.to_text());
    }
    eprintln!("took {} s; see also {}", (clock::now() - begin).as_secs(), out.join("bench.svg").display());
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("not measured: {}; the reasons are above", failed.join(", "))))
}

fn write_beside(out: &Path, report: &Report) -> Result<(), Failure> {
    std::fs::create_dir_all(out).during(format!("making {}", out.display()))?;
    for (name, text) in [("bench.csv", report.to_csv()), ("bench.svg", report.to_svg())] {
        let file = out.join(name);
        std::fs::write(&file, text).during(format!("writing {}", file.display()))?;
    }
    Ok(())
}

/// Both sides are up for the whole path and take turns, so that a slow minute of the machine slows both.
fn measure_path(path: &MeasuredPath, plan: &Plan, executable: &Path) -> Result<Vec<Round>, Failure> {
    let begin = clock::now();
    eprintln!("{}: preparing", path.name);
    let mut pair = (path.prepare)(executable).map_err(|failure| failure.during(path.name))?;
    eprintln!("{}: prepared in {:.1} s", path.name, (clock::now() - begin).as_secs_f64());
    let (turns, slice) = plan.turns(path.figure);
    let mut rounds = Vec::with_capacity(turns);
    for number in 1..=turns {
        let ours = (pair.ours)(slice).map_err(|failure| failure.during(path.name))?;
        let bare = (pair.bare)(slice).map_err(|failure| failure.during(path.beside))?;
        let round = Round { ours, bare };
        eprintln!(
            "{}: turn {number} of {turns}: {} beside {}, ratio {:.2}",
            path.name,
            ours.shown(path.figure),
            bare.shown(path.figure),
            round.ratio(path.figure)
        );
        rounds.push(round);
    }
    eprintln!("{}: done in {:.1} s", path.name, (clock::now() - begin).as_secs_f64());
    Ok(rounds)
}
