//! The tables of worlds in docs/rules.md are what the rules say.

use starkeep_map_core::{ResourceKind, Ring, deposits_in, lies_in, side};

const RULES: &str = include_str!("../../../docs/rules.md");

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

#[test]
fn sizes_and_deposits_are_as_the_rules_say() {
    // The most players of each size, and the first of the next one.
    let sizes = [9, 19, 100].map(|players| {
        assert!(side(players) < side(players + 1), "{players} players");
        let counts = ResourceKind::ALL.map(|kind| deposits_in(kind, side(players)).to_string());
        let first = [format!("up to {players}"), side(players).to_string()];
        row(&[&first[..], &counts[..]].concat())
    });
    let kinds = ResourceKind::ALL.map(|kind| kind.as_str().to_owned());
    let head = row(&[&["players".to_owned(), "side".to_owned()][..], &kinds[..]].concat());
    let table = format!("{head}|---|---|---|---|---|---|---|\n{}", sizes.concat());
    assert!(RULES.contains(&table), "{table}");
}

#[test]
fn rings_are_as_the_rules_say() {
    for (ring, name) in [(Ring::Outer, "outer"), (Ring::Mid, "mid"), (Ring::Inner, "inner")] {
        let kinds = ResourceKind::ALL.into_iter().filter(|kind| lies_in(*kind, ring));
        let kinds: Vec<&str> = kinds.map(ResourceKind::as_str).collect();
        let row = format!("| {name} | {} | {}", ring.movement_difficulty(), kinds.join(", "));
        assert!(RULES.contains(&row), "{row}");
    }
}
