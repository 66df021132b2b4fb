//! Every id has its own type, so that a planet's id never stands where a game's is meant.
//! On the wire each is a UUID in its usual text form.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        #[schema(value_type = Uuid)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    /// Identifies a game.
    GameId,
    /// Identifies a registered player.
    PlayerId,
    /// Identifies one round of one game.
    RoundId,
    /// Identifies a gameworld.
    WorldId,
    /// Identifies a planet; new for every gameworld.
    PlanetId,
    /// Identifies a deposit, the resource of a planet.
    DepositId,
    /// Identifies one mining.
    MiningId,
    /// Identifies a robot.
    RobotId,
    /// Links what a player asked for to what came of it.
    TransactionId,
}
