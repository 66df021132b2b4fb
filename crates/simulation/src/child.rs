//! One seed in a process of its own: what a process has done before changes the order in which its tasks run.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use starkeep_simulation::{Outcome, PlantedBug};

/// A sentence that is longer is cut.
const LONGEST_SENTENCE: usize = 4_000;

/// What a child tells.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) violations: Vec<String>,
    pub(crate) rounds: u64,
    pub(crate) acknowledged: u64,
    pub(crate) faults: u64,
    pub(crate) simulated_millis: u64,
}

impl Report {
    pub(crate) fn of(outcome: &Outcome) -> Self {
        let cut = |sentence: &String| sentence.chars().take(LONGEST_SENTENCE).collect();
        Self {
            violations: outcome.violations.iter().map(cut).collect(),
            rounds: outcome.rounds,
            acknowledged: outcome.acknowledged as u64,
            faults: outcome.faults as u64,
            simulated_millis: u64::try_from(outcome.simulated.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn line(&self) -> String {
        let Self { violations, rounds, acknowledged, faults, simulated_millis } = self;
        json!({
            "violations": violations, "rounds": rounds, "acknowledged": acknowledged, "faults": faults,
            "simulatedMillis": simulated_millis,
        })
        .to_string()
    }

    fn parse(line: &str) -> Option<Self> {
        let told: Value = serde_json::from_str(line).ok()?;
        let sentences = told["violations"].as_array()?.iter();
        Some(Self {
            violations: sentences.filter_map(|sentence| sentence.as_str().map(str::to_owned)).collect(),
            rounds: told["rounds"].as_u64()?,
            acknowledged: told["acknowledged"].as_u64()?,
            faults: told["faults"].as_u64()?,
            simulated_millis: told["simulatedMillis"].as_u64()?,
        })
    }
}

/// Simulates the seed without the faults at these places. A child that dies has found something, too.
pub(crate) fn simulate_in_child(seed: u64, without: &[usize], planted: Option<PlantedBug>) -> Report {
    let mut command = Command::new(std::env::current_exe().expect("this program runs from a file"));
    command.args(again(seed, without, planted)).arg("--json").stdin(Stdio::null());
    let told = command.output().map(|output| {
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        (stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    });
    match told {
        Ok((stdout, stderr)) => Report::parse(&stdout).unwrap_or_else(|| Report {
            violations: vec![format!("the process that simulated it has ended: {stderr}")],
            ..Report::default()
        }),
        Err(fault) => {
            let violations = vec![format!("no process can be started: {fault}")];
            Report { violations, ..Report::default() }
        }
    }
}

/// The arguments that do it again.
pub(crate) fn again(seed: u64, without: &[usize], planted: Option<PlantedBug>) -> Vec<String> {
    let mut arguments = vec![format!("--seed={seed}")];
    if !without.is_empty() {
        let places: Vec<_> = without.iter().map(ToString::to_string).collect();
        arguments.push(format!("--without={}", places.join(",")));
    }
    arguments.extend(planted.map(|bug| format!("--planted={bug:?}")));
    arguments
}
