//! The rules of the game as far as a bot counts with them: prices, and what a level is worth.
//! They are written down a second time on purpose: a bot is a client and has read them. Its tests compare them with the cores.

use starkeep_core_types::{ResourceKind, Upgrade};

pub const ROBOT_PRICE: u64 = 100;
pub const HEALTH_PRICE: u64 = 50;
pub const ENERGY_PRICE: u64 = 75;
/// The most that resources bring, in the order of [`ResourceKind::ALL`].
pub const START_PRICES: [u64; 5] = [5, 15, 30, 50, 60];

/// Of a level of 1 to 5.
pub fn upgrade_price(level: u8) -> u64 {
    [50, 300, 1500, 4000, 15000][usize::from(level.clamp(1, 5)) - 1]
}

/// A robot's levels, in the order of [`Upgrade::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels(pub [u8; 7]);

impl Levels {
    pub fn of(self, upgrade: Upgrade) -> u8 {
        self.0[upgrade as usize]
    }

    /// With the next level of that; none if there is no higher one.
    pub fn raised(mut self, upgrade: Upgrade) -> Option<Self> {
        let level = &mut self.0[upgrade as usize];
        *level = level.saturating_add(1);
        (*level <= upgrade.highest()).then_some(self)
    }

    /// How many upgrades the robot has had.
    pub(crate) fn total(self) -> u32 {
        self.0.into_iter().map(u32::from).sum()
    }

    pub fn storage(self) -> u64 {
        [20, 50, 100, 200, 400, 1000][self.index(Upgrade::Storage)]
    }

    pub fn max_health(self) -> i64 {
        [10, 25, 50, 100, 200, 500][self.index(Upgrade::Health)]
    }

    pub fn attack_energy(self) -> u32 {
        u32::from(self.of(Upgrade::Damage)) + 1
    }

    pub fn mining_speed(self) -> u64 {
        [2, 5, 10, 15, 20, 40][self.index(Upgrade::MiningSpeed)]
    }

    pub fn can_mine(self, kind: ResourceKind) -> bool {
        usize::from(self.of(Upgrade::Mining)) >= kind.index()
    }

    pub fn max_energy(self) -> u32 {
        [20, 30, 40, 60, 100, 200][self.index(Upgrade::MaxEnergy)]
    }

    pub fn energy_regen(self) -> u32 {
        [4, 6, 8, 10, 15, 20][self.index(Upgrade::EnergyRegen)]
    }

    /// Whatever a service says, a bot does not look beyond the table.
    fn index(self, upgrade: Upgrade) -> usize {
        usize::from(self.of(upgrade).min(5))
    }
}
