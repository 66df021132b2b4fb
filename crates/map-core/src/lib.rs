//! Worlds: generation from a seed, mining, replenishment.
//! Everything here is a plain function of its arguments: no I/O, no clock, no wire format; time and ids are passed in.

pub mod books;
pub mod generate;
pub mod id_generator;
pub mod ids;
pub mod rejection;
pub mod resource;
pub mod rng;
pub mod spec;
pub mod terrain;
pub mod world;

pub use books::{Book, Books, Imbalance};
pub use generate::{GeneratedMap, generate};
pub use id_generator::IdGenerator;
pub use ids::{DepositId, PlanetId, WorldId};
pub use rejection::Rejection;
pub use resource::{Deposit, ResourceKind};
pub use rng::Rng;
pub use spec::{FULL_DEPOSIT, GENERATOR_VERSION, MINING_AMOUNTS, PLAYERS, SEEDS, Spec, Style, side};
pub use terrain::{Direction, Planet, PlanetKind, PlanetWithoutId, Ring, Slot, Terrain};
pub use world::{Deactivated, Mined, NewWorld, Refill, Replenished, World, WorldStatus};
