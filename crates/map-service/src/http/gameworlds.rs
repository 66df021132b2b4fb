//! `/gameworlds`: the host and the game service make, deactivate and withdraw worlds; everybody may list them.
//! Single planets: see `planets`.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use starkeep_contract::map::{
    CreateGameworld, Gameworld, GameworldMade, IgnoredField, PatchGameworld, PlacedPlanet,
};
use starkeep_contract::{Code, WorldId};
use starkeep_map_core::World;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{
    Away, BadBody, BadParameter, HostOnly, StorageUnreadable,
};
use starkeep_platform::http::{ErrorResponse, Id, Json, JsonText, Params};
use starkeep_platform::idempotency::IdempotencyContext;
use utoipa::IntoParams;

use super::access::MapAccess;
use super::paging::ListOfWorlds;
use super::refusals::{ChartClosed, GameworldGone, NoGameworldId, UnknownGameworld};
use super::refused;
use crate::app::App;
use crate::domain::Overview;
use crate::wire;

/// The planets of the largest gameworld, with all that is needed of each and some more.
pub(super) const LARGEST_BODY: usize = 32 * 1024 * 1024;

/// Makes a gameworld.
///
/// Its size follows from `player_amount`, unless `planets` say how it is. The result is announced on `gameworld-created`, then
/// each of its space stations on `spacestation-created`. The body has at most 32 MiB.
#[utoipa::path(
    post, path = "/gameworlds", operation_id = "createGameworld", tag = "host", security(("admin" = [])), request_body = CreateGameworld,
    responses(
        (status = 201, body = GameworldMade, description = "The gameworld.",
            headers(("Location" = String, description = "The gameworld's address"))),
        BadBody, HostOnly, GameworldGone, Away,
    )
)]
pub(super) async fn make(
    State(app): State<Arc<App>>,
    once: IdempotencyContext,
    body: JsonText<LARGEST_BODY>,
) -> Result<Answer, ErrorResponse> {
    let read = app.run_blocking(move || {
        let (request, ignored) = body.parse::<CreateGameworld>()?;
        Ok::<_, ErrorResponse>((wire::world_request(request)?, ignored.of::<CreateGameworld>()))
    });
    let (request, ignored) = read.await.map_err(|fault| ErrorResponse::new(Code::Internal, fault))??;
    let ignored: Vec<_> = ignored.into_iter().map(IgnoredField::from).collect();
    let made = move |world: &Overview| made(world, ignored.clone());
    let world = app.make_world(request, once.with(made.clone())).await;
    world.map(|world| made(&world)).map_err(refused(&app))
}

fn made(world: &Overview, ignored_fields: Vec<IgnoredField>) -> Answer {
    let made = GameworldMade { gameworld: wire::gameworld(world), ignored_fields };
    Answer::created(&made).at(&format!("/gameworlds/{}", world.id))
}

/// Lists the gameworlds, newest first, inactive ones included.
#[utoipa::path(
    get, path = "/gameworlds", operation_id = "listGameworlds", tag = "open", params(ListOfWorlds),
    responses(
        (status = 200, body = Vec<Gameworld>, description = "The gameworlds.",
            headers(("Link" = String, description = "Leads to the next page, if there is one"))),
        BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(query): Params<ListOfWorlds>,
) -> Result<Answer, ErrorResponse> {
    let limit = query.limit();
    // One more than is shown, to know whether there is a next page.
    let mut worlds = app.overviews(query.cursor(), limit + 1).await.map_err(refused(&app))?;
    let is_last = worlds.len() <= limit;
    worlds.truncate(limit);
    let answer = Answer::ok(&worlds.iter().map(wire::gameworld).collect::<Vec<_>>());
    Ok(match worlds.last() {
        Some(last) if !is_last => query.link_after(last).on(answer),
        _ => answer,
    })
}

/// Shows a gameworld, also an inactive one.
#[utoipa::path(
    get, path = "/gameworlds/{id}", operation_id = "getGameworld", tag = "open", params(("id" = WorldId, Path, description = "The gameworld's id")),
    responses(
        (status = 200, body = Gameworld, description = "The gameworld."),
        UnknownGameworld, StorageUnreadable,
    )
)]
pub(super) async fn show(State(app): State<Arc<App>>, Id(id): Id<WorldId>) -> Result<Answer, ErrorResponse> {
    let world = app.overview(wire::world_id(id)).await;
    world.map(|world| Answer::ok(&wire::gameworld(&world))).map_err(refused(&app))
}

/// Makes a gameworld inactive.
///
/// It is no longer mined or replenished, but can still be read, with its nonce and seed unless it is sealed. It never becomes
/// active again.
#[utoipa::path(
    patch, path = "/gameworlds/{id}", operation_id = "deactivateGameworld", tag = "host", security(("admin" = [])),
    params(("id" = WorldId, Path, description = "The gameworld's id")), request_body = PatchGameworld,
    responses(
        (status = 200, body = Gameworld, description = "The gameworld, inactive; also if it was before."),
        BadBody, HostOnly, UnknownGameworld, Away,
    )
)]
pub(super) async fn change(
    State(app): State<Arc<App>>,
    Id(id): Id<WorldId>,
    // The type allows one status only: whatever can be read means "inactive".
    Json(PatchGameworld { gameworld }): Json<PatchGameworld>,
) -> Result<Answer, ErrorResponse> {
    let world = app.deactivate_world(wire::world_id(id), gameworld.sealed == Some(true)).await;
    world.map(|world| Answer::ok(&wire::gameworld(&world))).map_err(refused(&app))
}

/// Withdraws a gameworld with all that is in it.
///
/// An id that is not known yet is withdrawn as well: a request for it that arrives later is refused.
#[utoipa::path(
    delete, path = "/gameworlds/{id}", operation_id = "withdrawGameworld", tag = "host", security(("admin" = [])), params(("id" = WorldId, Path, description = "The gameworld's id")),
    responses(
        (status = 204, description = "There is no such gameworld any more, and there will be none."),
        HostOnly, NoGameworldId, Away,
    )
)]
pub(super) async fn withdraw(
    State(app): State<Arc<App>>,
    Id(id): Id<WorldId>,
) -> Result<Answer, ErrorResponse> {
    let withdrawn = app.withdraw_world(wire::world_id(id)).await;
    withdrawn.map(|()| Answer::nothing()).map_err(refused(&app))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Moment {
    /// Whether deposits are shown as the gameworld was made with them, instead of as they are now.
    #[serde(default)]
    as_made: bool,
}

/// Shows all planets of a gameworld with their coordinates, row by row from the south west.
///
/// For the host; once the gameworld is inactive, and not sealed, for everybody.
#[utoipa::path(
    get, path = "/gameworlds/{id}/planets", operation_id = "listPlanetsOfGameworld", tag = "open", security((), ("admin" = [])), params(("id" = WorldId, Path, description = "The gameworld's id"), Moment),
    responses(
        (status = 200, body = Vec<PlacedPlanet>, description = "The planets."),
        BadParameter, ChartClosed, UnknownGameworld, Away,
    )
)]
pub(super) async fn chart(
    State(app): State<Arc<App>>,
    access: MapAccess,
    id: Result<Id<WorldId>, ErrorResponse>,
    Params(moment): Params<Moment>,
) -> Result<Answer, ErrorResponse> {
    let mut world = access.check_chart(find(&app, id).await, |world| world.is_hidden())?;
    if moment.as_made {
        world = app.world_as_made(world.id).await.map_err(refused(&app))?;
    }
    // A large world takes long to serialise, and rounds are timed on the same threads.
    let written = app.run_blocking(move || Answer::ok(&wire::Chart(&world)));
    written.await.map_err(|fault| ErrorResponse::new(Code::Internal, fault))
}

/// The whole world.
pub(super) async fn find(
    app: &App,
    id: Result<Id<WorldId>, ErrorResponse>,
) -> Result<Arc<World>, ErrorResponse> {
    let Id(id) = id?;
    app.world(wire::world_id(id)).await.map_err(refused(app))
}
