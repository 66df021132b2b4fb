//! One type for each kind of id, so that a player's id can never be handed in where a game's is meant.
//! Ids are made elsewhere (chance is passed in) and carry no meaning here beyond being equal or not.

use std::fmt;

use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    GameId
    PlayerId
    /// A command's, which links it to what comes of it.
    CommandId
    RoundId
    RobotId
    /// A gameworld's.
    WorldId
    /// A planet's, new in every world, also for the same seed.
    PlanetId
    /// A deposit's. One that moves gets a new id.
    DepositId
}
