//! What the map service keeps, in the store's terms: what a decision loads, what it changes and why it is refused.
//! The rules of a world are the core's; here is how a change moves the image.

mod image;
mod overview;
mod planets_by_id;
mod request;

use jiff::Timestamp;
use starkeep_map_core::{CustomFault, Deactivated, Mined, PlanetId, Replenished, WorldId};
use starkeep_platform::domain::{Domain, Interest};

pub(crate) use self::image::{Evicted, Image, WorldState};
pub(crate) use self::overview::Overview;
pub(crate) use self::request::{
    LayoutRequest, Mining, MiningRequest, ReplenishedDeposit, Replenishing, WorldRequest,
};

/// The worlds of this installation.
pub enum Maps {}

/// What a decision reads and memory may not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Whether a world that is not active is inactive, withdrawn or unknown.
    World(WorldId),
    /// The inactive world that a planet belongs to.
    Planet(PlanetId),
    /// A world as it was written before the change that makes it.
    StagedWorld(WorldId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A staged world became active. It is large, so the change only names it.
    WorldMade {
        world: WorldId,
        /// The first of its stations that is not announced yet, in slot order from 0; `None` if all are.
        unannounced_from: Option<u32>,
    },
    /// More of its stations were announced.
    StationsAnnounced {
        world: WorldId,
        unannounced_from: Option<u32>,
    },
    Mined {
        world: WorldId,
        mined: Mined,
    },
    Replenished {
        world: WorldId,
        replenished: Replenished,
    },
    Deactivated(Deactivated),
    /// The world is removed, if there was one, and its id is never used again.
    Withdrawn {
        world: WorldId,
        at: Timestamp,
    },
}

/// Worlds were made, deactivated or withdrawn.
pub(crate) const WORLDS: Interest = Interest::bit(0);

/// Why a request was refused.
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
    /// The world that was to be made is not staged any more: somebody else has replaced or removed it.
    NotStaged {
        world: WorldId,
    },
    /// The planets of a world that is made by hand are not as they must be.
    BadPlanets(CustomFault),
    /// The world is not one that is replenished on request.
    ReplenishedAutomatically {
        world: WorldId,
    },
    /// The world already is as the caller wants it, so nothing is written.
    NothingToDo,
    Rule(starkeep_map_core::Rejection),
    /// The storage could not be read; why is for the log only.
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
            Change::WorldMade { world, unannounced_from } => {
                image.activate_staged(*world);
                image.set_unannounced(*world, *unannounced_from);
            }
            Change::StationsAnnounced { world, unannounced_from } => {
                image.set_unannounced(*world, *unannounced_from);
            }
            Change::Mined { world, mined } => image.change(*world, |world| world.apply_mined(mined)),
            Change::Replenished { world, replenished } => {
                image.change(*world, |world| world.apply_replenished(replenished));
            }
            Change::Deactivated(deactivated) => image.deactivate(deactivated.world),
            Change::Withdrawn { world, .. } => image.withdraw(*world),
        }
    }

    fn needed_by(change: &Change) -> Vec<Key> {
        match change {
            Change::WorldMade { world, .. } => vec![Key::StagedWorld(*world)],
            _ => Vec::new(),
        }
    }

    /// No task waits for minings, replenishments or announcements, so their commits wake nobody.
    fn concerns(change: &Change) -> Interest {
        match change {
            Change::WorldMade { .. } | Change::Deactivated(_) | Change::Withdrawn { .. } => WORLDS,
            Change::StationsAnnounced { .. } | Change::Mined { .. } | Change::Replenished { .. } => {
                Interest::NONE
            }
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
