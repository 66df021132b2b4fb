//! Translates between the contract and the domain: requests into the domain's terms, results into the contract's.
//! Nothing is decided here.

pub(crate) mod events;
mod fairness;
mod new_world;
mod problem;
mod view;

use starkeep_contract::{PlanetId as WirePlanetId, WorldId as WireWorldId, map};
use starkeep_map_core::{PlanetId, PlanetKind, WorldId};

pub(crate) use self::fairness::fairness;
pub(crate) use self::new_world::world_request;
pub(crate) use self::problem::refuse;
pub(crate) use self::view::{Chart, gameworld, mining, planet, replenishment, resource};
use crate::domain::MiningRequest;

pub(crate) fn world_id(id: WireWorldId) -> WorldId {
    WorldId(id.0)
}

pub(crate) fn planet_id(id: WirePlanetId) -> PlanetId {
    PlanetId(id.0)
}

pub(crate) fn planet_kind(kind: map::PlanetType) -> PlanetKind {
    match kind {
        map::PlanetType::Default => PlanetKind::Default,
        map::PlanetType::Spacestation => PlanetKind::SpaceStation,
    }
}

pub(crate) fn mining_request(
    planet: WirePlanetId,
    request: &map::CreateMining,
    round: Option<u32>,
) -> MiningRequest {
    let new = &request.mining;
    MiningRequest {
        planet: planet_id(planet),
        amount: new.amount_requested.get(),
        transaction: new.transaction_id.map(|id| id.0),
        robot: new.robot_id.map(|id| id.0),
        round,
    }
}
