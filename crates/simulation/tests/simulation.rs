//! The command as its users run it: a few seeds, the same seed again, and a bug that is planted. `scripts/test` simulates many more.

use std::process::{Command, Output};

fn simulate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_starkeep-simulation"))
        .args(arguments)
        .output()
        .expect("it can be started")
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it prints text")
}

#[test]
fn a_seed_comes_to_the_same_whenever_it_is_simulated() {
    let first = simulate(&["--seed", "4", "--json"]);
    assert!(first.status.success(), "{first:?}");
    assert_eq!(printed(&first), printed(&simulate(&["--seed", "4", "--json"])));
}

#[test]
fn nothing_is_violated_by_some_seeds() {
    let output = simulate(&["--seeds", "0..6"]);
    assert!(output.status.success(), "{}", printed(&output));
    assert!(printed(&output).starts_with("6 seeds, "), "{}", printed(&output));
    assert!(printed(&output).ends_with(": 0 violated\n"), "{}", printed(&output));
}

#[test]
fn a_planted_bug_is_found_and_told_with_a_smaller_plan_that_leads_to_it() {
    let output = simulate(&["--seeds", "4..5", "--planted", "StaleReads"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = printed(&output);
    assert!(printed.lines().any(|line| line.starts_with("  ")), "nothing is told of it: {printed}");
    let again = printed.lines().find_map(|line| line.split_once("again: starkeep-simulation ")).unwrap().1;
    assert!(again.contains("--without="), "{again}");
    let arguments: Vec<_> = again.split(' ').collect();
    assert_eq!(simulate(&arguments).status.code(), Some(1), "{again}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, word) in [
        (&["--seeds", "5..5"][..], "greater than the first"),
        (&["--planted", "Nonsense"], "NoEpochCheck"),
        (&["--without", "1"], "--seed"),
    ] {
        let output = simulate(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(word), "{said}");
    }
}
