//! One world: its terrain, its deposits, its books, and how it is created and deactivated.
//! Decisions are plain functions that return what happened; a second function, which cannot fail, applies it.

mod mining;
mod replenishment;

use std::sync::Arc;

use imbl::OrdMap;
use jiff::Timestamp;
use starkeep_core_types::{DepositId, IdGenerator, ResourceKind, Rng, WorldId};

pub use self::mining::Mined;
pub use self::replenishment::{Refill, Replenished};
use crate::books::{self, Books, Imbalance};
use crate::commitment::{Nonce, replenishment_rng, seed_commitment};
use crate::fairness::Fairness;
use crate::layout::Layout;
use crate::planet_ids::planet_id_in;
use crate::resource::Deposit;
use crate::spec::Style;
use crate::terrain::{Slot, Terrain};

/// Cheap to clone: the terrain is shared, and so are the deposits until they change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct World {
    pub id: WorldId,
    pub status: WorldStatus,
    /// Its seed, nonce and chart stay hidden when it is inactive: the world that replaced it may have the same seed.
    pub is_sealed: bool,
    pub player_amount: u32,
    pub round_amount: Option<u32>,
    pub origin: Origin,
    pub replenishment: ReplenishmentMode,
    pub seed: u64,
    /// Worlds of versions before the commitment have none.
    pub nonce: Option<Nonce>,
    pub created_at: Timestamp,
    /// When the world itself last changed; its deposits have dates of their own.
    pub updated_at: Timestamp,
    /// The random generator of its replenishments.
    pub rng: Rng,
    /// How fair its starts were when it was made. Worlds of versions before it have none.
    pub fairness: Option<Arc<Fairness>>,
    pub terrain: Arc<Terrain>,
    pub deposits: OrdMap<Slot, Deposit>,
    pub books: Books,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WorldStatus {
    Active,
    Inactive,
}

/// How a world came about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    Generated {
        style: Style,
        version: u32,
    },
    /// Made by hand.
    Custom,
}

/// When a world is replenished.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ReplenishmentMode {
    /// By the clock.
    #[default]
    Automatic,
    OnRequest,
}

/// What a new world follows from beside its layout: the same values give the same world, ids included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewWorld {
    pub id: WorldId,
    pub player_amount: u32,
    pub round_amount: Option<u32>,
    pub origin: Origin,
    pub replenishment: ReplenishmentMode,
    pub seed: u64,
    pub nonce: Nonce,
    /// The ids of planets and deposits follow from it. Drawn for every world, so that equal maps have different ids.
    pub id_seed: u64,
    pub created_at: Timestamp,
}

/// The world became inactive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deactivated {
    pub world: WorldId,
    /// What was hidden stays hidden.
    pub is_sealed: bool,
    pub at: Timestamp,
}

impl World {
    /// The ids go to the planets first, then to the deposits, both in slot order.
    pub fn create(new: &NewWorld, layout: Layout) -> Self {
        let &NewWorld { id, player_amount, round_amount, origin, replenishment, seed, nonce, .. } = new;
        let created_at = new.created_at;
        let mut ids = IdGenerator::from_seed(new.id_seed);
        let planets =
            layout.planets.into_iter().map(|planet| planet.with_id(planet_id_in(id, ids.next_id())));
        let terrain = Terrain::new(layout.side, planets.collect());
        let deposits: OrdMap<Slot, Deposit> = layout
            .deposits
            .into_iter()
            .map(|new| {
                let full = Deposit::full(DepositId(ids.next_id()), new.kind, new.max_amount, created_at);
                (new.slot, Deposit { current_amount: new.current_amount, ..full })
            })
            .collect();
        Self {
            id,
            status: WorldStatus::Active,
            is_sealed: false,
            player_amount,
            round_amount,
            origin,
            replenishment,
            seed,
            nonce: Some(nonce),
            created_at,
            updated_at: created_at,
            rng: replenishment_rng(&nonce, seed),
            fairness: Some(Arc::new(layout.fairness)),
            terrain: Arc::new(terrain),
            books: Books::opening(deposits.values()),
            deposits,
        }
    }

    /// Published from the beginning.
    pub fn seed_commitment(&self) -> Option<String> {
        self.nonce.map(|nonce| seed_commitment(&nonce, self.seed))
    }

    pub fn is_active(&self) -> bool {
        self.status == WorldStatus::Active
    }

    /// Nothing happens to a world that is inactive already.
    pub fn deactivate(&self, is_sealed: bool, now: Timestamp) -> Option<Deactivated> {
        self.is_active().then_some(Deactivated { world: self.id, is_sealed, at: now })
    }

    /// Whether its seed, nonce and chart are for the host only.
    pub fn is_hidden(&self) -> bool {
        self.is_active() || self.is_sealed
    }

    pub fn apply_deactivated(&mut self, deactivated: &Deactivated) {
        self.status = WorldStatus::Inactive;
        self.is_sealed = deactivated.is_sealed;
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

impl Origin {
    /// How the world was laid out, in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generated { style, .. } => style.as_str(),
            Self::Custom => "custom",
        }
    }

    pub fn generator_version(self) -> Option<u32> {
        match self {
            Self::Generated { version, .. } => Some(version),
            Self::Custom => None,
        }
    }

    /// From [`as_str`](Self::as_str) and [`generator_version`](Self::generator_version).
    pub fn parse(word: &str, version: Option<u32>) -> Option<Self> {
        match version {
            Some(version) => Style::parse(word).map(|style| Self::Generated { style, version }),
            None => (word == Self::Custom.as_str()).then_some(Self::Custom),
        }
    }
}

impl ReplenishmentMode {
    pub const ALL: [Self; 2] = [Self::Automatic, Self::OnRequest];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::OnRequest => "on_request",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text)
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
    use starkeep_core_types::PlanetId;
    use uuid::Uuid;

    use super::*;
    use crate::generate::generate;
    use crate::planet_ids::worlds_that_may_hold;
    use crate::spec::{FULL_DEPOSIT, GENERATOR_VERSION, Spec};

    /// A small world, and a generator for the ids of what is added to it.
    pub(crate) fn example_world() -> (World, IdGenerator) {
        let new = NewWorld {
            id: WorldId(Uuid::from_u128(1)),
            player_amount: 4,
            round_amount: Some(50),
            origin: Origin::Generated { style: Style::Balanced, version: GENERATOR_VERSION },
            replenishment: ReplenishmentMode::Automatic,
            seed: 42,
            nonce: Nonce::from_bits(1),
            id_seed: 1,
            created_at: at(0),
        };
        let layout = generate(42, &Spec { players: 4, style: Style::Balanced });
        (World::create(&new, layout), IdGenerator::from_seed(2))
    }

    pub(crate) fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_new_world_is_active_full_and_balanced() {
        let (world, _) = example_world();
        assert_eq!(world.status, WorldStatus::Active);
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
        assert_eq!(world.rng, replenishment_rng(&Nonce::from_bits(1), 42));
    }

    #[test]
    fn a_world_is_deactivated_once() {
        let (mut world, _) = example_world();
        assert!(world.is_hidden());
        let deactivated = world.deactivate(false, at(5)).unwrap();
        assert_eq!(deactivated, Deactivated { world: world.id, is_sealed: false, at: at(5) });
        world.apply_deactivated(&deactivated);
        assert_eq!((world.status, world.updated_at), (WorldStatus::Inactive, at(5)));
        assert!(!world.is_hidden());
        assert_eq!(world.deactivate(true, at(6)), None);
    }

    #[test]
    fn a_sealed_world_stays_hidden() {
        let (mut world, _) = example_world();
        world.apply_deactivated(&world.deactivate(true, at(5)).unwrap());
        assert!(!world.is_active() && world.is_hidden());
    }

    #[test]
    fn the_ids_of_planets_begin_as_the_world_does() {
        let (world, _) = example_world();
        for (slot, planet) in (0..).zip(world.terrain.planets()) {
            assert!(worlds_that_may_hold(planet.id).contains(&world.id));
            assert_eq!(world.terrain.slot_of(planet.id), Some(slot));
        }
        assert_eq!(world.terrain.slot_of(PlanetId(Uuid::from_u128(7))), None);
    }

    #[test]
    fn origins_and_modes_are_read_as_they_are_written() {
        let generated = Style::ALL.map(|style| Origin::Generated { style, version: 7 });
        for origin in generated.into_iter().chain([Origin::Custom]) {
            assert_eq!(Origin::parse(origin.as_str(), origin.generator_version()), Some(origin));
        }
        assert_eq!(Origin::parse("custom", Some(1)), None);
        assert_eq!(Origin::parse("wild", None), None);
        for mode in ReplenishmentMode::ALL {
            assert_eq!(ReplenishmentMode::parse(mode.as_str()), Some(mode));
        }
    }

    #[test]
    fn statuses_are_read_as_they_are_written() {
        for status in WorldStatus::ALL {
            assert_eq!(WorldStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(WorldStatus::parse("ended"), None);
    }
}
