//! Translates between the contract and the domain: requests into the domain's terms, results into the contract's.
//! Nothing is decided here.

pub(crate) mod commands;
pub(crate) mod events;
mod messages;
mod problem;
mod view;

use starkeep_contract::robot_service::{RestorationType, SpawnRobots, UpgradeType};
use starkeep_robot_core::{CommandId, PlanetId, PlayerId, Restoration, Upgrade};

pub(crate) use self::problem::{not_accepted, refuse};
pub(crate) use self::view::{amounts, order_answer, robot, robots};

/// The transaction, the player, the planets and how many.
pub(crate) fn spawn_request(request: &SpawnRobots) -> (CommandId, PlayerId, Vec<PlanetId>, usize) {
    (
        CommandId(request.transaction_id.0),
        PlayerId(request.player.0),
        request.planets.iter().map(|planet| PlanetId(planet.0)).collect(),
        request.quantity.map_or(0, |quantity| quantity.as_u32() as usize),
    )
}

pub(crate) fn upgrade(upgrade: UpgradeType) -> Upgrade {
    match upgrade {
        UpgradeType::Storage => Upgrade::Storage,
        UpgradeType::Health => Upgrade::Health,
        UpgradeType::Damage => Upgrade::Damage,
        UpgradeType::MiningSpeed => Upgrade::MiningSpeed,
        UpgradeType::Mining => Upgrade::Mining,
        UpgradeType::MaxEnergy => Upgrade::MaxEnergy,
        UpgradeType::EnergyRegen => Upgrade::EnergyRegen,
    }
}

pub(crate) fn restoration(restoration: RestorationType) -> Restoration {
    match restoration {
        RestorationType::Health => Restoration::Health,
        RestorationType::Energy => Restoration::Energy,
    }
}
