//! Robots, amounts and answers to orders in the contract's form.

use starkeep_contract::robot_service::{Inventory, ResourceAmounts, Robot as WireRobot};
use starkeep_contract::{PlanetId, PlayerId, RobotId};
use starkeep_robot_core::{Amounts, ResourceKind, Restoration, Robot, Upgrade};

use crate::domain::Order;

pub(crate) fn robot(robot: &Robot) -> WireRobot {
    let levels = robot.levels;
    let held = amounts(robot.cargo);
    WireRobot {
        id: RobotId(robot.id.0),
        player: PlayerId(robot.player.0),
        planet: PlanetId(robot.planet.0),
        alive: robot.health > 0,
        max_health: levels.max_health(),
        max_energy: levels.max_energy(),
        energy_regen: levels.energy_regen(),
        attack_damage: levels.attack_damage(),
        mining_speed: levels.mining_speed(),
        health: robot.health,
        energy: robot.energy,
        health_level: levels.of(Upgrade::Health),
        damage_level: levels.of(Upgrade::Damage),
        mining_speed_level: levels.of(Upgrade::MiningSpeed),
        mining_level: levels.of(Upgrade::Mining),
        energy_level: levels.of(Upgrade::MaxEnergy),
        energy_regen_level: levels.of(Upgrade::EnergyRegen),
        storage_level: levels.of(Upgrade::Storage),
        inventory: Inventory {
            max_storage: levels.max_storage(),
            used_storage: robot.cargo.total(),
            stored_coal: held.coal,
            stored_iron: held.iron,
            stored_gem: held.gem,
            stored_gold: held.gold,
            stored_platin: held.platin,
        },
    }
}

pub(crate) fn robots(robots: &[Robot]) -> Vec<WireRobot> {
    robots.iter().map(robot).collect()
}

pub(crate) fn amounts(amounts: Amounts) -> ResourceAmounts {
    ResourceAmounts {
        coal: amounts.of(ResourceKind::Coal),
        iron: amounts.of(ResourceKind::Iron),
        gem: amounts.of(ResourceKind::Gem),
        gold: amounts.of(ResourceKind::Gold),
        platin: amounts.of(ResourceKind::Platin),
    }
}

/// What an order for one robot is answered with; trading passes it on to players.
pub(crate) fn order_answer(order: &Order) -> String {
    match order {
        Order::Upgrade { robot, upgrade, level } => {
            format!("{} of robot {robot} has been updated to LVL{level}", upgrade.as_str())
        }
        Order::Restore { robot, restoration: Restoration::Health } => {
            format!("robot {robot} health restored")
        }
        Order::Restore { robot, restoration: Restoration::Energy } => {
            format!("robot {robot} energy restored")
        }
        // Robots that are spawned are answered with themselves.
        Order::Spawn { robots, .. } => format!("{} robots spawned", robots.len()),
    }
}
