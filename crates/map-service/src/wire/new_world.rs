//! A gameworld that is asked for, in the domain's terms.
//! What is wrong with the planets of one that is made by hand is found by the core, except for what the contract's types refuse.

use starkeep_contract::{Code, Problem, game, map};
use starkeep_map_core::{
    CustomDeposit, CustomPlanet, FULL_DEPOSIT, Nonce, PlanetWithoutId, ReplenishmentMode, ResourceKind, Style,
};

use super::{planet_kind, world_id};
use crate::domain::{LayoutRequest, WorldRequest};

pub(crate) fn world_request(request: map::CreateGameworld) -> Result<WorldRequest, Problem> {
    let new = request.gameworld;
    Ok(WorldRequest {
        id: new.id.map(world_id),
        player_amount: new.player_amount.as_u32(),
        round_amount: new.round_amount.map(game::RoundsOfAnyGame::as_u32),
        seed: new.seed.map(game::Seed::as_u64),
        nonce: new.nonce.map(|nonce| Nonce::parse(nonce.as_str()).expect("the contract has checked it")),
        replenishment: match new.replenishment {
            None | Some(map::ReplenishmentMode::Automatic) => ReplenishmentMode::Automatic,
            Some(map::ReplenishmentMode::OnRequest) => ReplenishmentMode::OnRequest,
        },
        layout: match (new.planets, new.style) {
            (Some(_), Some(_)) => return Err(style_of_planets()),
            (Some(planets), None) => LayoutRequest::Custom(planets.iter().map(custom_planet).collect()),
            (None, style) => LayoutRequest::Generated(style.map_or(Style::Balanced, wanted_style)),
        },
    })
}

fn style_of_planets() -> Problem {
    let text = "`gameworld.style`: a world with `planets` is as they say; leave out one of both";
    Problem::new(Code::InvalidField, text).at_field("gameworld.style")
}

fn wanted_style(style: game::Style) -> Style {
    match style {
        game::Style::Balanced => Style::Balanced,
        game::Style::Symmetric => Style::Symmetric,
        game::Style::Wild => Style::Wild,
    }
}

fn custom_planet(new: &map::NewPlanet) -> CustomPlanet {
    let planet = PlanetWithoutId {
        x: small(new.x.as_u32()),
        y: small(new.y.as_u32()),
        kind: planet_kind(new.planet_type),
        movement_difficulty: small(new.movement_difficulty.as_u32()),
    };
    CustomPlanet { planet, deposit: new.resource.as_ref().map(custom_deposit) }
}

fn custom_deposit(new: &map::NewResource) -> CustomDeposit {
    let max_amount = new.max_amount.map_or(FULL_DEPOSIT, map::Amount::get);
    CustomDeposit {
        kind: resource_kind(new.resource_type),
        max_amount,
        current_amount: new.current_amount.map_or(max_amount, map::AmountLeft::get),
    }
}

fn resource_kind(kind: map::ResourceType) -> ResourceKind {
    match kind {
        map::ResourceType::Coal => ResourceKind::Coal,
        map::ResourceType::Iron => ResourceKind::Iron,
        map::ResourceType::Gem => ResourceKind::Gem,
        map::ResourceType::Gold => ResourceKind::Gold,
        map::ResourceType::Platin => ResourceKind::Platin,
    }
}

/// The contract's bounds lie within the core's types.
fn small<T: TryFrom<u32>>(value: u32) -> T {
    T::try_from(value).ok().expect("the contract has checked it")
}
