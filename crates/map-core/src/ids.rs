//! The names of worlds, planets and deposits, each a type of its own so that none is taken for another.
//! Nothing here draws an id: whoever founds a world hands them in.

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
    /// One deposit, from its appearance until it is exhausted and vanishes.
    DepositId
);
