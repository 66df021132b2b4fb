//! The rules that a request to a world can break, each with its data.
//! Status codes and problem texts for clients are made by the service.

use std::error::Error;
use std::fmt;

use starkeep_core_types::{PlanetId, WorldId};

use crate::spec::MINING_AMOUNTS;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    WorldInactive { world: WorldId },
    NoDeposit { planet: PlanetId },
    AmountOutOfBounds { amount: i64 },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorldInactive { world } => write!(f, "gameworld {world} is inactive"),
            Self::NoDeposit { planet } => write!(f, "planet {planet} has no deposit"),
            Self::AmountOutOfBounds { amount } => {
                write!(
                    f,
                    "amount {amount} is not within {} and {}",
                    MINING_AMOUNTS.start(),
                    MINING_AMOUNTS.end()
                )
            }
        }
    }
}

impl Error for Rejection {}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_rejection_tells_its_data() {
        let nobody = Uuid::nil();
        let texts = [
            Rejection::WorldInactive { world: WorldId(nobody) },
            Rejection::NoDeposit { planet: PlanetId(nobody) },
            Rejection::AmountOutOfBounds { amount: -3 },
        ]
        .map(|rejection| rejection.to_string());
        assert_eq!(
            texts,
            [
                "gameworld 00000000-0000-0000-0000-000000000000 is inactive",
                "planet 00000000-0000-0000-0000-000000000000 has no deposit",
                "amount -3 is not within 1 and 1000000000",
            ]
        );
    }
}
