//! `/robots`: services spawn them; their owners, services and the host see them.

use axum::extract::State;
use http::{HeaderMap, HeaderName};
use serde::Deserialize;
use starkeep_contract::batch_headers;
use starkeep_contract::robot_service::{Robot as WireRobot, SpawnRobots};
use starkeep_contract::{GameId as WireGameId, PlayerId as WirePlayerId, RobotId as WireRobotId};
use starkeep_executor::BatchHeaders;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{Away, HostOnly, StorageUnreadable};
use starkeep_platform::http::{ErrorResponse, Params};
use starkeep_platform::idempotency::IdempotencyContext;
use starkeep_robot_core::{GameId, PlayerId, Robot};
use utoipa::IntoParams;

use super::Api;
use super::body::{Body, RobotInPath, id_in_query};
use super::refusals::{BadQuery, BatchRefused, NotAccepted, OwnerOnly, UnknownRobot};
use crate::app::SpawnRequest;
use crate::wire::{self, not_accepted};

/// Spawns robots.
///
/// All of them or none. Each is told on `spawn-notification`, then what is around it on `neighbours`. A transaction is carried out
/// once: a repeat gets the same answer. Needs the admin token where one is set.
#[utoipa::path(
    post, path = "/robots", operation_id = "spawnRobots", tag = "services", security(("admin" = [])), request_body = SpawnRobots,
    params(("Starkeep-Game" = Option<WireGameId>, Header, description = "The game; otherwise the only one that runs.")),
    responses(
        (status = 201, body = Vec<WireRobot>, description = "The robots as they are at the start."),
        NotAccepted, HostOnly, BatchRefused, Away,
    )
)]
pub(super) async fn spawn(
    State(Api { app, .. }): State<Api>,
    headers: HeaderMap,
    once: IdempotencyContext,
    Body(request): Body<SpawnRobots>,
) -> Result<Answer, ErrorResponse> {
    let headers = BatchHeaders::read(&headers)?;
    let (transaction, player, planets, quantity) = wire::spawn_request(&request);
    let request = SpawnRequest { transaction, player, planets, quantity };
    let spawned = app.spawn(headers, request, once.with(|robots: &Vec<Robot>| self::spawned(robots))).await;
    spawned.map(|robots| self::spawned(&robots)).map_err(wire::refuse)
}

fn spawned(robots: &[Robot]) -> Answer {
    Answer::created(&wire::robots(robots))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListOfRobots {
    /// Robots of this player; of games that have not ended, unless `game-id` names one.
    #[serde(rename = "player-id")]
    #[param(value_type = Option<WirePlayerId>)]
    player: Option<String>,
    /// Robots of this game, also of an ended one; without `player-id` for the host.
    #[serde(rename = "game-id")]
    #[param(value_type = Option<WireGameId>)]
    game: Option<String>,
}

/// Lists the robots of a player or of a game.
///
/// Those of a player: with the player's token, or the admin token; in the msd dialect for everybody. All of a game: for the host.
#[utoipa::path(
    get, path = "/robots", operation_id = "listRobots", tag = "open", security((), ("player" = []), ("admin" = [])),
    params(ListOfRobots),
    responses(
        (status = 200, body = Vec<WireRobot>, description = "The robots, in the order in which they were spawned."),
        BadQuery, OwnerOnly, StorageUnreadable,
    )
)]
pub(super) async fn list(
    State(Api { app, tokens }): State<Api>,
    headers: HeaderMap,
    Params(query): Params<ListOfRobots>,
) -> Result<Answer, ErrorResponse> {
    let player = id_in_query("player-id", query.player)?.map(PlayerId);
    let game = id_in_query("game-id", query.game)?.map(GameId);
    let robots = match (game, player) {
        (Some(game), None) => {
            tokens.host_only(&headers)?;
            app.robots_of_game(game, None).await
        }
        (Some(game), Some(player)) => {
            if tokens.host_only(&headers).is_err() {
                tokens.sight(&app, &headers).await?.of(player)?;
            }
            app.robots_of_game(game, Some(player)).await
        }
        (None, Some(player)) => {
            tokens.sight(&app, &headers).await?.of(player)?;
            app.robots_of_player(player).await
        }
        (None, None) => {
            let text = "name a player by `player-id`, or a game by `game-id`";
            return Err(not_accepted(text).at_field("player-id").into());
        }
    };
    robots.map(|robots| Answer::ok(&wire::robots(&robots))).map_err(wire::refuse)
}

/// Shows a robot, also one of an ended game.
///
/// With its owner's token, or the admin token; in the msd dialect for everybody.
#[utoipa::path(
    get, path = "/robots/{robotId}", operation_id = "getRobot", tag = "open", security((), ("player" = []), ("admin" = [])),
    params(("robotId" = WireRobotId, Path, description = "The robot's id")),
    responses(
        (status = 200, body = WireRobot, description = "The robot.",
            headers(("Starkeep-Game" = String, description = "Its game"))),
        BadQuery, OwnerOnly, UnknownRobot, StorageUnreadable,
    )
)]
pub(super) async fn show(
    State(Api { app, tokens }): State<Api>,
    headers: HeaderMap,
    RobotInPath(robot): RobotInPath,
) -> Result<Answer, ErrorResponse> {
    let sight = tokens.sight(&app, &headers).await?;
    let (game, robot) = app.robot(robot).await.map_err(wire::refuse)?;
    sight.of(robot.player)?;
    // The body is as existing clients know it.
    let name = HeaderName::from_static(batch_headers::GAME);
    Ok(Answer::ok(&wire::robot(&robot)).with(name, &game.to_string()))
}
