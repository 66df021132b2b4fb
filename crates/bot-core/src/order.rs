//! What a bot can order. Each is a command of its own; a robot carries out one in a round.
//! How a command looks on the wire is not known here.

use starkeep_core_types::{PlanetId, RobotId, Upgrade};

use crate::rules::{ENERGY_PRICE, HEALTH_PRICE, upgrade_price};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    BuyRobots {
        amount: u32,
    },
    /// The robot stands on the planet.
    BuyItem {
        robot: RobotId,
        planet: PlanetId,
        item: Item,
    },
    /// Everything that the robot holds.
    Sell {
        robot: RobotId,
        planet: PlanetId,
    },
    Move {
        robot: RobotId,
        target: PlanetId,
    },
    Attack {
        robot: RobotId,
        target: RobotId,
    },
    Mine {
        robot: RobotId,
    },
    Regenerate {
        robot: RobotId,
    },
}

/// What can be bought for a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Restores its health.
    Health,
    /// Restores its energy.
    Energy,
    Upgrade {
        of: Upgrade,
        level: u8,
    },
}

impl Order {
    /// The robot that is to act.
    pub fn robot(&self) -> Option<RobotId> {
        match *self {
            Self::BuyRobots { .. } => None,
            Self::BuyItem { robot, .. }
            | Self::Sell { robot, .. }
            | Self::Move { robot, .. }
            | Self::Attack { robot, .. }
            | Self::Mine { robot }
            | Self::Regenerate { robot } => Some(robot),
        }
    }
}

impl Item {
    /// As in the price list.
    pub fn name(self) -> String {
        match self {
            Self::Health => "HEALTH".to_owned(),
            Self::Energy => "ENERGY".to_owned(),
            Self::Upgrade { of, level } => format!("{}_{level}", of.as_str()),
        }
    }

    pub(crate) fn price(self) -> u64 {
        match self {
            Self::Health => HEALTH_PRICE,
            Self::Energy => ENERGY_PRICE,
            Self::Upgrade { level, .. } => upgrade_price(level),
        }
    }
}
