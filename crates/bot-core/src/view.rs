//! What a bot is shown in each round: its money, the prices, its robots, and the planets on which they stand.
//! The order of robots and neighbours decides where a bot has to choose between equals, so it must not depend on ids.

use starkeep_core_types::{Amounts, Levels, PlanetId, ResourceKind, RobotId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The round whose commands are collected.
    pub round: u32,
    /// The game's last one.
    pub last_round: u32,
    pub money: u64,
    /// Those in force, in the order of [`ResourceKind::ALL`].
    pub prices: [u64; 5],
    /// In the order in which they were bought.
    pub robots: Vec<OwnRobot>,
    /// Those on which the robots stand, in any order.
    pub planets: Vec<SeenPlanet>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnRobot {
    pub id: RobotId,
    pub planet: PlanetId,
    pub health: i64,
    pub energy: u32,
    pub levels: Levels,
    pub cargo: Amounts,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPlanet {
    pub id: PlanetId,
    /// What it costs to move there.
    pub movement_difficulty: u32,
    pub is_station: bool,
    pub deposit: Option<Deposit>,
    /// In the order north, east, south, west.
    pub neighbours: Vec<Neighbour>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deposit {
    pub kind: ResourceKind,
    /// What is left of it.
    pub amount: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub planet: PlanetId,
    pub movement_difficulty: u32,
    pub direction: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    North,
    East,
    South,
    West,
}

impl View {
    /// How many rounds come after this one.
    pub(crate) fn rounds_left(&self) -> u32 {
        self.last_round.saturating_sub(self.round)
    }

    /// What these resources bring now.
    pub(crate) fn worth(&self, cargo: Amounts) -> u64 {
        let worth = cargo.each().map(|(kind, amount)| amount.saturating_mul(self.prices[kind.index()]));
        worth.into_iter().fold(0, u64::saturating_add)
    }
}

impl OwnRobot {
    pub(crate) fn free_storage(&self) -> u64 {
        self.levels.max_storage().saturating_sub(self.cargo.total())
    }

    /// It may not survive the next fight.
    pub(crate) fn is_wounded(&self) -> bool {
        self.health.saturating_mul(3) <= self.levels.max_health()
    }
}
