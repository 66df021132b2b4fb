//! The ids of worlds, planets and deposits, each a type of its own so that they cannot be mixed up.
//! Ids of planets and deposits are made by an `IdGenerator` from a seed that the caller has drawn.

use std::fmt;

use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// One gameworld.
    WorldId
);
id!(
    /// One planet, new in every world, also for the same seed.
    PlanetId
);
id!(
    /// One deposit. One that moves gets a new id.
    DepositId
);
