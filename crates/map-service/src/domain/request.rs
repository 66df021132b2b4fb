//! What clients ask for and what comes of it, in the service's own terms.
//! The wire translates to and from the contract; the use cases carry it out.

use jiff::Timestamp;
use starkeep_map_core::{CustomPlanet, Mined, Nonce, PlanetId, Refill, ReplenishmentMode, Style, WorldId};
use uuid::Uuid;

/// A world to be made; what is left open is drawn.
#[derive(Clone, Debug)]
pub(crate) struct WorldRequest {
    pub(crate) id: Option<WorldId>,
    pub(crate) player_amount: u32,
    pub(crate) round_amount: Option<u32>,
    pub(crate) seed: Option<u64>,
    pub(crate) nonce: Option<Nonce>,
    pub(crate) replenishment: ReplenishmentMode,
    pub(crate) layout: LayoutRequest,
}

/// Where the planets of a new world come from.
#[derive(Clone, Debug)]
pub(crate) enum LayoutRequest {
    Generated(Style),
    /// Made by hand: as they were given, not checked yet.
    Custom(Vec<CustomPlanet>),
}

/// An amount to be mined, and the ids that its event carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MiningRequest {
    pub(crate) planet: PlanetId,
    pub(crate) amount: i64,
    pub(crate) transaction: Option<Uuid>,
    pub(crate) robot: Option<Uuid>,
    pub(crate) round: Option<u32>,
}

/// A mining that was carried out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mining {
    pub(crate) id: Uuid,
    pub(crate) request: MiningRequest,
    pub(crate) mined: Mined,
    pub(crate) amount_left: i64,
}

impl Mining {
    pub(crate) fn at(&self) -> Timestamp {
        self.mined.at
    }
}

/// A replenishment that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Replenishing {
    pub(crate) world: WorldId,
    /// In the order in which it happened; none if there was nothing to do.
    pub(crate) deposits: Vec<ReplenishedDeposit>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplenishedDeposit {
    pub(crate) planet: PlanetId,
    pub(crate) refill: Refill,
}
