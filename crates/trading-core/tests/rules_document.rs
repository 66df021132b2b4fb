//! The prices in docs/rules.md are those of the rules.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use starkeep_trading_core::{Amounts, Item, PriceList, ResourceKind};

const RULES: &str = include_str!("../../../docs/rules.md");

#[test]
fn the_tables_of_prices_are_current() {
    let price = |name: &str| Item::find(name).unwrap().start_price();
    let upgrades = (1..=5).map(|level| price(&format!("STORAGE_{level}")).to_string()).collect::<Vec<_>>();
    assert!(RULES.contains(&format!("| price | {} |", upgrades.join(" | "))));
    let start = PriceList::of_round(0, Amounts::NONE, 1);
    let resources = ResourceKind::ALL.map(|kind| start.of(kind).to_string());
    assert!(RULES.contains(&format!("| {} |", resources.join(" | "))));
    for (name, text) in [
        ("ROBOT", "`ROBOT` costs"),
        ("HEALTH", "`HEALTH` (fills it up)"),
        ("ENERGY", "`ENERGY` (fills it up)"),
    ] {
        assert!(RULES.contains(&format!("{text} {}", price(name))), "{name}");
    }
}
