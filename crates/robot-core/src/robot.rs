//! A robot: whose it is, where it stands, what it has.
//! What it can do follows from its levels.

use starkeep_core_types::{Amounts, Levels, PlanetId, PlayerId, ResourceKind, RobotId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Robot {
    pub id: RobotId,
    /// Its place among the robots of its game, in the order in which they were spawned.
    pub number: u64,
    pub player: PlayerId,
    pub planet: PlanetId,
    /// 0 or less only until the end of the batch of attacks that destroys it.
    pub health: i64,
    pub energy: u32,
    pub levels: Levels,
    pub cargo: Amounts,
}

impl Robot {
    pub fn new(id: RobotId, number: u64, player: PlayerId, planet: PlanetId) -> Self {
        let levels = Levels::default();
        Self {
            id,
            number,
            player,
            planet,
            health: levels.max_health(),
            energy: levels.max_energy(),
            levels,
            cargo: Amounts::NONE,
        }
    }

    pub fn free_storage(&self) -> u64 {
        self.levels.max_storage().saturating_sub(self.cargo.total())
    }

    /// Takes in what fits, and says how much that is.
    pub(crate) fn take_in(&mut self, kind: ResourceKind, amount: u64) -> u64 {
        let fits = amount.min(self.free_storage());
        self.cargo.add(kind, fits);
        fits
    }

    /// Empties its storage: what was in it.
    #[must_use]
    pub fn unload(&mut self) -> Amounts {
        std::mem::take(&mut self.cargo)
    }

    /// None if it has less than that.
    pub(crate) fn without_energy(self, cost: u32) -> Option<Self> {
        self.energy.checked_sub(cost).map(|energy| Self { energy, ..self })
    }
}
