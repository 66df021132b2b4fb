//! What clients ask for and what comes of it, in the service's own terms.
//! The wire translates to and from the contract; the use cases carry it out.

use jiff::Timestamp;
use starkeep_map_core::{Mined, PlanetId, Style, WorldId};
use uuid::Uuid;

/// A world to be made; what is left open is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldRequest {
    pub(crate) id: Option<WorldId>,
    pub(crate) player_amount: u32,
    pub(crate) round_amount: Option<u32>,
    pub(crate) seed: Option<u64>,
    pub(crate) style: Style,
}

/// An amount to be mined, and the ids that its event carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MiningRequest {
    pub(crate) planet: PlanetId,
    pub(crate) amount: i64,
    pub(crate) transaction: Option<Uuid>,
    pub(crate) robot: Option<Uuid>,
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
