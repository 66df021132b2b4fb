//! The regression guard: counts the instructions of hot paths and the pages of commits, and compares them with the checked-in figures.
//! `scripts/instruction-counts` runs it, built like a release.

mod callgrind;
mod comparison;
mod figures;
mod measured;
mod pages;
mod scenarios;
mod serving;
mod toolchain;
mod write_ahead_log;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::comparison::Row;
use crate::figures::{Counted, Counts, Figures, Table};
use crate::scenarios::{COMMITS, SCENARIOS};
use crate::toolchain::Toolchain;

/// Of a comparison that means nothing here: the toolchain is not that of the figures.
const OTHER_TOOLCHAIN: u8 = 3;

/// Counts the instructions of hot paths and the pages of commits, and compares them with the checked-in figures.
///
/// Exit codes: 0 as before, 1 more or fewer than the figures allow, 3 the figures of instructions were made with another toolchain.
#[derive(Parser)]
#[command(name = "instruction-counts")]
struct Arguments {
    /// Writes the figures anew instead of comparing with them.
    #[arg(long)]
    write: bool,
    #[command(subcommand)]
    command: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Runs one scenario: what callgrind is started with.
    #[command(name = callgrind::RUN, hide = true)]
    Run { name: String },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Some(Action::Run { name }) => run(&name),
        None => guard(arguments.write),
    };
    done.unwrap_or_else(|fault| {
        eprintln!("{fault}");
        ExitCode::FAILURE
    })
}

fn run(name: &str) -> Result<ExitCode, String> {
    let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name);
    let scenario = scenario.ok_or_else(|| format!("there is no scenario {name:?}"))?;
    (scenario.run)(scenario.times);
    Ok(ExitCode::SUCCESS)
}

fn guard(write: bool) -> Result<ExitCode, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("figures.toml");
    let told = |fault: &dyn std::fmt::Display| format!("{}: {fault}", path.display());
    let text = std::fs::read_to_string(&path).map_err(|fault| told(&fault))?;
    let figures = Figures::parse(&text).map_err(|fault| told(&fault))?;
    let (toolchain, counts) = (toolchain::here(), count_all()?);
    let code = show_comparison(&figures, &toolchain, &counts);
    if !write {
        return Ok(code);
    }
    let renewed = figures.renewed(toolchain, &counts);
    std::fs::write(&path, renewed.to_text()).map_err(|fault| told(&fault))?;
    println!("\nThe figures are written: read the diff of {}", path.display());
    Ok(ExitCode::SUCCESS)
}

fn count_all() -> Result<Counts, String> {
    let pages = COMMITS.iter().map(|commits| (commits.name.to_owned(), commits.pages(commits.times)));
    let count =
        |scenario: &scenarios::Scenario| Ok((scenario.name.to_owned(), callgrind::instructions(scenario)?));
    let instructions = SCENARIOS.iter().map(count).collect::<Result<_, String>>()?;
    Ok(Counts { instructions, pages: pages.collect() })
}

fn show_comparison(figures: &Figures, toolchain: &Toolchain, counts: &Counts) -> ExitCode {
    let pages = show_table("pages of 100 commits", &figures.pages, &counts.pages);
    let instructions = show_table("instructions", &figures.instructions, &counts.instructions);
    let differences = toolchain::differences(&figures.toolchain, toolchain);
    if !differences.is_empty() {
        println!(
            "\nInstructions are shown, but not judged: counts of another toolchain mean little beside these figures."
        );
        for difference in &differences {
            println!("  {difference}");
        }
    }
    let is_judged = |_: &&Row| differences.is_empty();
    let rows = pages.iter().chain(instructions.iter().filter(is_judged));
    let failures: Vec<_> = rows.filter(|row| row.verdict.is_failure()).collect();
    if failures.is_empty() {
        return if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(OTHER_TOOLCHAIN) };
    }
    println!("\n{} differ by more than they may:", failures.len());
    for row in failures {
        println!("  {row}");
    }
    println!(
        "If that is meant, `scripts/instruction-counts --write` renews the figures; say why in the commit."
    );
    ExitCode::FAILURE
}

fn show_table(title: &str, figures: &Table, counts: &Counted) -> Vec<Row> {
    println!("{title:<44} {:>13} {:>13} {:>12}", "figure", "now", "difference");
    let rows = comparison::compare(figures, counts);
    for row in &rows {
        println!("{row}");
    }
    println!();
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_scenario_runs_and_has_a_figure() {
        let figures = Figures::parse(include_str!("../figures.toml")).unwrap();
        let names: BTreeSet<_> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
        assert_eq!(names, figures.instructions.keys().map(String::as_str).collect());
        for scenario in SCENARIOS {
            (scenario.run)(2);
        }
        let names: BTreeSet<_> = COMMITS.iter().map(|commits| commits.name).collect();
        assert_eq!(names, figures.pages.keys().map(String::as_str).collect());
        for commits in COMMITS {
            assert!(commits.pages(2) >= 100, "{}: a commit is a page at least", commits.name);
        }
    }
}
