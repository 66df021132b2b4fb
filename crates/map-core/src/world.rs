//! One world: its terrain, its deposits, its books, and how it is created and deactivated.
//! Decisions are plain functions that return what happened; a second function, which cannot fail, applies it.

mod mining;
mod replenishment;

use std::sync::Arc;

use imbl::OrdMap;
use jiff::Timestamp;
use starkeep_core_types::{DepositId, IdGenerator, PlanetId, ResourceKind, Rng, WorldId};

pub use self::mining::Mined;
pub use self::replenishment::{Refill, Replenished};
use crate::books::{self, Books, Imbalance};
use crate::generate::generate;
use crate::resource::Deposit;
use crate::spec::{FULL_DEPOSIT, GENERATOR_VERSION, Spec, Style};
use crate::terrain::{Slot, Terrain};

/// Cheap to clone: the terrain is shared, and so are the deposits until they change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct World {
    pub id: WorldId,
    pub status: WorldStatus,
    pub player_amount: u32,
    pub round_amount: Option<u32>,
    pub seed: u64,
    pub style: Style,
    pub generator_version: u32,
    pub created_at: Timestamp,
    /// When the world itself last changed; its deposits have dates of their own.
    pub updated_at: Timestamp,
    /// The world's own random generator: replenishment continues where generation stopped.
    pub rng: Rng,
    pub terrain: Arc<Terrain>,
    pub deposits: OrdMap<Slot, Deposit>,
    pub books: Books,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WorldStatus {
    Active,
    Inactive,
}

/// Everything that a new world follows from: the same values give the same world, ids included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewWorld {
    pub id: WorldId,
    pub player_amount: u32,
    pub round_amount: Option<u32>,
    pub seed: u64,
    pub style: Style,
    /// The ids of planets and deposits follow from it. Drawn for every world, so that equal maps have different ids.
    pub id_seed: u64,
    pub created_at: Timestamp,
}

/// The world became inactive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deactivated {
    pub world: WorldId,
    pub at: Timestamp,
}

impl World {
    /// Generates the world. The ids go to the planets first, then to the deposits, both in slot order.
    ///
    /// # Panics
    /// If the number of players is out of bounds.
    pub fn create(new: &NewWorld) -> Self {
        let &NewWorld { id, player_amount, round_amount, seed, style, id_seed, created_at } = new;
        let mut ids = IdGenerator::from_seed(id_seed);
        let map = generate(seed, &Spec { players: player_amount, style });

        let planets = map.planets.into_iter().map(|planet| planet.with_id(PlanetId(ids.next_id()))).collect();
        let deposits: OrdMap<Slot, Deposit> = map
            .deposits
            .into_iter()
            .map(|(slot, kind)| {
                (slot, Deposit::full(DepositId(ids.next_id()), kind, FULL_DEPOSIT, created_at))
            })
            .collect();

        Self {
            id,
            status: WorldStatus::Active,
            player_amount,
            round_amount,
            seed,
            style,
            generator_version: GENERATOR_VERSION,
            created_at,
            updated_at: created_at,
            rng: map.rng,
            terrain: Arc::new(Terrain::new(map.side, planets)),
            books: Books::opening(deposits.values()),
            deposits,
        }
    }

    pub fn is_active(&self) -> bool {
        self.status == WorldStatus::Active
    }

    /// Nothing happens to a world that is inactive already.
    pub fn deactivate(&self, now: Timestamp) -> Option<Deactivated> {
        self.is_active().then_some(Deactivated { world: self.id, at: now })
    }

    pub fn apply_deactivated(&mut self, deactivated: &Deactivated) {
        self.status = WorldStatus::Inactive;
        self.updated_at = deactivated.at;
    }

    /// How much of this kind is still in the deposits.
    pub fn remaining(&self, kind: ResourceKind) -> i64 {
        books::remaining(self.deposits.values())[kind.index()]
    }

    /// Compares the books with what is in the deposits.
    pub fn books_balance(&self) -> Result<(), Imbalance> {
        self.books.balance(self.deposits.values())
    }
}

impl WorldStatus {
    pub const ALL: [Self; 2] = [Self::Active, Self::Inactive];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use uuid::Uuid;

    use super::*;

    /// A small world, and a generator for the ids of what is added to it.
    pub(crate) fn example_world() -> (World, IdGenerator) {
        let new = NewWorld {
            id: WorldId(Uuid::from_u128(1)),
            player_amount: 4,
            round_amount: Some(50),
            seed: 42,
            style: Style::Balanced,
            id_seed: 1,
            created_at: at(0),
        };
        (World::create(&new), IdGenerator::from_seed(2))
    }

    pub(crate) fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_new_world_is_active_full_and_balanced() {
        let (world, _) = example_world();
        assert_eq!(world.status, WorldStatus::Active);
        assert_eq!(world.generator_version, GENERATOR_VERSION);
        assert_eq!(world.terrain.stations().count(), 8);
        assert!(
            world.deposits.values().all(|deposit| deposit.is_full() && deposit.max_amount == FULL_DEPOSIT)
        );
        assert_eq!(
            ResourceKind::ALL.map(|kind| world.remaining(kind)),
            [110_000, 70_000, 50_000, 40_000, 30_000]
        );
        assert_eq!(
            ResourceKind::ALL.map(|kind| world.books.of(kind).initial),
            ResourceKind::ALL.map(|kind| world.remaining(kind))
        );
        assert_eq!(world.books_balance(), Ok(()));
    }

    #[test]
    fn a_world_is_deactivated_once() {
        let (mut world, _) = example_world();
        let deactivated = world.deactivate(at(5)).unwrap();
        assert_eq!(deactivated, Deactivated { world: world.id, at: at(5) });
        world.apply_deactivated(&deactivated);
        assert_eq!((world.status, world.updated_at), (WorldStatus::Inactive, at(5)));
        assert_eq!(world.deactivate(at(6)), None);
    }

    #[test]
    fn statuses_are_read_as_they_are_written() {
        for status in WorldStatus::ALL {
            assert_eq!(WorldStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(WorldStatus::parse("ended"), None);
    }
}
