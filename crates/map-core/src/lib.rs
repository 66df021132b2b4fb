//! Worlds: generation from a seed, mining, replenishment.
//! Everything here is a plain function of its arguments: no I/O, no clock, no wire format; time and ids are passed in.

pub mod books;
pub mod commitment;
pub mod custom;
pub mod fairness;
pub mod generate;
mod graph;
pub mod guarantees;
pub mod layout;
pub mod planet_ids;
pub mod rejection;
pub mod resource;
pub mod spec;
pub mod terrain;
pub mod world;

pub use starkeep_core_types::{DepositId, IdGenerator, PlanetId, ResourceKind, Rng, WorldId};

pub use books::{Book, Books, Imbalance};
pub use commitment::{Nonce, replenishment_rng, seed_commitment};
pub use custom::{CustomDeposit, CustomFault, CustomPlanet, custom_layout};
pub use fairness::{COAL_REACH, Fairness, Spread, reach, value_as_number};
pub use generate::generate;
pub use guarantees::{BrokenGuarantee, check_guarantees};
pub use layout::Layout;
pub use planet_ids::worlds_that_may_hold;
pub use rejection::Rejection;
pub use resource::{Deposit, NewDeposit, deposits_in, lies_in};
pub use spec::{FULL_DEPOSIT, GENERATOR_VERSION, MINING_AMOUNTS, PLAYERS, SEEDS, Spec, Style, side};
pub use terrain::{Direction, Planet, PlanetKind, PlanetWithoutId, Ring, Slot, Terrain};
pub use world::{
    Deactivated, Mined, NewWorld, Origin, Refill, Replenished, ReplenishmentMode, World, WorldStatus,
};
