//! What the rules of several services have in common: ids, resources, upgrades and their levels, seeded random numbers.
//! What only one core knows stays there.

mod amounts;
mod id_generator;
mod ids;
mod levels;
mod resource;
mod rng;
mod upgrade;

pub use amounts::Amounts;
pub use id_generator::IdGenerator;
pub use ids::{CommandId, DepositId, GameId, PlanetId, PlayerId, RobotId, RoundId, WorldId};
pub use levels::Levels;
pub use resource::ResourceKind;
pub use rng::Rng;
pub use upgrade::Upgrade;
