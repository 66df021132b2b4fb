//! `/planets`: a planet, its neighbours and its deposit, for everybody, unless the map is closed.
//! Coordinates are not shown here: bots have to explore.

use std::sync::Arc;

use axum::extract::State;
use http::Uri;
use starkeep_contract::PlanetId;
use starkeep_contract::map::{Planet, Resource};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{BadParameter, StorageUnreadable};
use starkeep_platform::http::{ErrorResponse, Id, Params};
use uuid::Uuid;

use super::Api;
use super::access::MapAccess;
use super::paging::PageOfPlanets;
use super::refusals::{MapClosed, UnknownPlanet};
use super::refused;
use crate::app::{App, PlanetView};
use crate::wire;

/// Lists the planets of active gameworlds by id, 50 a page.
///
/// Needs the admin token where the map is closed.
#[utoipa::path(
    get, path = "/planets", operation_id = "listPlanets", tag = "open", security((), ("admin" = [])), params(PageOfPlanets),
    responses(
        (status = 200, body = Vec<Planet>, description = "The planets.",
            headers(("Link" = String, description = "Leads to the next and the previous page, where there is one"))),
        MapClosed, BadParameter,
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    access: MapAccess,
    query: Result<Params<PageOfPlanets>, ErrorResponse>,
) -> Result<Answer, ErrorResponse> {
    access.check_all_planets()?;
    let Params(query) = query?;
    let page = app.planets(query.kind(), query.skipped(), PageOfPlanets::SIZE).await;
    let page = page.map_err(refused(&app))?;
    let planets: Vec<Planet> = page.planets.iter().map(view).collect();
    Ok(query.links(page.is_last).on(Answer::ok(&planets)))
}

/// Shows a planet with its neighbours and its deposit.
///
/// Where the map is closed, this needs the admin token as long as the gameworld is active.
#[utoipa::path(
    get, path = "/planets/{planet_id}", operation_id = "getPlanet", tag = "open", security((), ("admin" = [])), params(("planet_id" = PlanetId, Path, description = "The planet's id")),
    responses(
        (status = 200, body = Planet, description = "The planet."),
        MapClosed, UnknownPlanet, StorageUnreadable,
    )
)]
pub(super) async fn show(
    State(app): State<Arc<App>>,
    access: MapAccess,
    id: Result<Id<PlanetId>, ErrorResponse>,
) -> Result<Answer, ErrorResponse> {
    let planet = find(&app, access, id).await?;
    Ok(Answer::ok(&view(&planet)))
}

/// The same for a planet of an active gameworld, where everybody may look.
pub(super) fn from_memory(api: &Api, uri: &Uri) -> Option<Answer> {
    let id = uri.path().strip_prefix("/planets/").filter(|_| !api.is_map_closed)?;
    let planet = api.app.planet_in_memory(wire::planet_id(PlanetId(Uuid::try_parse(id).ok()?)))?;
    Some(Answer::ok(&view(&planet)))
}

/// Shows the planets next to a planet, in the order north, east, south, west.
///
/// Where the map is closed, this needs the admin token as long as the gameworld is active.
#[utoipa::path(
    get, path = "/planets/{planet_id}/neighbours", operation_id = "listNeighbours", tag = "open", security((), ("admin" = [])), params(("planet_id" = PlanetId, Path, description = "The planet's id")),
    responses(
        (status = 200, body = Vec<Planet>, description = "The neighbours."),
        MapClosed, UnknownPlanet, StorageUnreadable,
    )
)]
pub(super) async fn neighbours(
    State(app): State<Arc<App>>,
    access: MapAccess,
    id: Result<Id<PlanetId>, ErrorResponse>,
) -> Result<Answer, ErrorResponse> {
    let PlanetView { world, slot } = find(&app, access, id).await?;
    let neighbours = world.terrain.neighbours(slot);
    let planets: Vec<Planet> = neighbours.map(|(_, slot)| wire::planet(&world, slot)).collect();
    Ok(Answer::ok(&planets))
}

/// Shows the deposit of a planet: a list of one, or an empty one.
///
/// Where the map is closed, this needs the admin token as long as the gameworld is active.
#[utoipa::path(
    get, path = "/planets/{planet_id}/resources", operation_id = "listResources", tag = "open", security((), ("admin" = [])), params(("planet_id" = PlanetId, Path, description = "The planet's id")),
    responses(
        (status = 200, body = Vec<Resource>, description = "The deposit, if there is one."),
        MapClosed, UnknownPlanet, StorageUnreadable,
    )
)]
pub(super) async fn resources(
    State(app): State<Arc<App>>,
    access: MapAccess,
    id: Result<Id<PlanetId>, ErrorResponse>,
) -> Result<Answer, ErrorResponse> {
    let PlanetView { world, slot } = find(&app, access, id).await?;
    let resources: Vec<Resource> = wire::resource(&world, slot).into_iter().collect();
    Ok(Answer::ok(&resources))
}

async fn find(
    app: &App,
    access: MapAccess,
    id: Result<Id<PlanetId>, ErrorResponse>,
) -> Result<PlanetView, ErrorResponse> {
    let found = match id {
        Ok(Id(id)) => app.planet(wire::planet_id(id)).await.map_err(refused(app)),
        Err(refusal) => Err(refusal),
    };
    access.check_planets(found, |planet| planet.world.is_hidden())
}

fn view(seen: &PlanetView) -> Planet {
    wire::planet(&seen.world, seen.slot)
}
