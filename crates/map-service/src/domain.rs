//! What the map service keeps, in the store's terms: what a decision loads, what it changes and why it is refused.
//! The rules of a world are the core's; here is only how worlds enter, change and leave the image.

mod image;
mod overview;

use std::sync::Arc;

use jiff::Timestamp;
use starkeep_map_core::{Deactivated, Mined, PlanetId, Replenished, World, WorldId};
use starkeep_platform::domain::Domain;

pub(crate) use self::image::{Evicted, Image, WorldState};
pub(crate) use self::overview::Overview;

/// The worlds of this installation.
pub enum Maps {}

/// What a decision needs to know about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    World(WorldId),
    Planet(PlanetId),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    WorldMade(Arc<World>),
    Mined {
        world: WorldId,
        mined: Mined,
    },
    Replenished {
        world: WorldId,
        replenished: Replenished,
    },
    Deactivated(Deactivated),
    /// The world is gone, if it was there, and its id is never used again.
    Withdrawn {
        world: WorldId,
        at: Timestamp,
    },
}

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    UnknownWorld {
        world: WorldId,
    },
    UnknownPlanet {
        planet: PlanetId,
    },
    WorldExists {
        world: WorldId,
    },
    WorldWithdrawn {
        world: WorldId,
    },
    /// The world already is as the caller wants it, so nothing is written.
    NothingToDo,
    Rule(starkeep_map_core::Rejection),
    Unreadable {
        fault: String,
    },
}

impl Domain for Maps {
    type Key = Key;
    type Image = Image;
    type Change = Change;
    type Rejection = Rejection;

    fn absorb(image: &mut Image, change: &Change) {
        match change {
            Change::WorldMade(world) => image.insert_world(world.clone()),
            Change::Mined { world, mined } => image.change(*world, |world| world.apply_mined(mined)),
            Change::Replenished { world, replenished } => {
                image.change(*world, |world| world.apply_replenished(replenished));
            }
            Change::Deactivated(deactivated) => image.retire(deactivated.world),
            Change::Withdrawn { world, .. } => image.withdraw(*world),
        }
    }

    fn evict(image: &mut Image) {
        image.evict_loaded();
    }
}

impl From<starkeep_map_core::Rejection> for Rejection {
    fn from(rule: starkeep_map_core::Rejection) -> Self {
        Self::Rule(rule)
    }
}
