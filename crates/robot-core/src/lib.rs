//! The rules of robots: what they are, how they are upgraded, and what a batch of commands makes of them.
//! Everything here is a plain function of its arguments: no I/O, no clock, no wire format; planets, ids and chance are passed in.

mod books;
mod fighting;
mod fleet;
mod loot;
mod mining;
mod movement;
mod planet;
mod regeneration;
mod robot;
mod shares;
mod upgrade;

pub use starkeep_core_types::{
    Amounts, CommandId, GameId, IdGenerator, Levels, PlanetId, PlayerId, ResourceKind, Rng, RobotId, Upgrade,
};

pub use books::{Books, Imbalance};
pub use fighting::{Attack, AttackFailure, AttackResult, Battle, Destroyed, fight};
pub use fleet::Fleet;
pub use mining::{
    Miner, MiningFailure, MiningOrder, MiningPlan, MiningRefusal, MiningResult, MiningSite, plan_mining,
    settle_mining,
};
pub use movement::{Move, MoveFailure, MoveResult, move_robots};
pub use planet::{Neighbour, Planet, PlanetFault};
pub use regeneration::{Regeneration, RegenerationResult, regenerate};
pub use robot::Robot;
pub use upgrade::{Restoration, UpgradeRefusal};
