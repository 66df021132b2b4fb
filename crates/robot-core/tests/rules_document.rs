//! The tables in docs/rules.md are what the rules say.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use starkeep_robot_core::{Levels, Upgrade};

const RULES: &str = include_str!("../../../docs/rules.md");

/// What a level is worth.
type Value = fn(Levels) -> u64;

#[test]
fn the_table_of_upgrades_is_current() {
    let tables: [(Upgrade, Value); 6] = [
        (Upgrade::Storage, Levels::max_storage),
        (Upgrade::Health, |levels| levels.max_health().unsigned_abs()),
        (Upgrade::Damage, |levels| levels.attack_damage().unsigned_abs()),
        (Upgrade::MiningSpeed, Levels::mining_speed),
        (Upgrade::MaxEnergy, |levels| levels.max_energy().into()),
        (Upgrade::EnergyRegen, |levels| levels.energy_regen().into()),
    ];
    for (upgrade, value) in tables {
        let at = |level: u8| {
            let mut levels = [0; 7];
            levels[upgrade as usize] = level;
            value(Levels::new(levels).unwrap()).to_string()
        };
        let values = (0..=5).map(at).collect::<Vec<_>>().join(" | ");
        let name = format!("| `{}` |", upgrade.as_str());
        let row = RULES.lines().find(|line| line.starts_with(&name)).unwrap();
        assert!(row.ends_with(&format!("| {values} |")), "{row} should end with {values}");
    }
}
