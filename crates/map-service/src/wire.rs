//! Translates between the contract and the domain: requests into the domain's terms, results into the contract's.
//! Nothing is decided here.

pub(crate) mod events;
mod problem;
mod view;

use starkeep_contract::{PlanetId as WirePlanetId, WorldId as WireWorldId, game, map};
use starkeep_map_core::{Nonce, PlanetId, PlanetKind, ReplenishmentMode, Style, WorldId};

pub(crate) use self::problem::refuse;
pub(crate) use self::view::{gameworld, mining, placed_planet, planet, resource};
use crate::domain::{LayoutRequest, MiningRequest, WorldRequest};

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

pub(crate) fn world_request(request: &map::CreateGameworld) -> WorldRequest {
    let new = &request.gameworld;
    WorldRequest {
        id: new.id.map(world_id),
        player_amount: new.player_amount.as_u32(),
        round_amount: new.round_amount.map(game::RoundsOfAnyGame::as_u32),
        seed: new.seed.map(game::Seed::as_u64),
        nonce: new.nonce.as_ref().and_then(|nonce| Nonce::parse(nonce.as_str())),
        replenishment: match new.replenishment {
            None | Some(map::ReplenishmentMode::Automatic) => ReplenishmentMode::Automatic,
            Some(map::ReplenishmentMode::OnRequest) => ReplenishmentMode::OnRequest,
        },
        layout: LayoutRequest::Generated(match new.style {
            None | Some(game::Style::Balanced) => Style::Balanced,
            Some(game::Style::Symmetric) => Style::Symmetric,
            Some(game::Style::Wild) => Style::Wild,
        }),
    }
}

pub(crate) fn mining_request(planet: WirePlanetId, request: &map::CreateMining) -> MiningRequest {
    let new = &request.mining;
    MiningRequest {
        planet: planet_id(planet),
        amount: new.amount_requested.get(),
        transaction: new.transaction_id.map(|id| id.0),
        robot: new.robot_id.map(|id| id.0),
    }
}
