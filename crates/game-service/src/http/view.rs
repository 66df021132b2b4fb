//! `/games/{gameId}/view`: what a player sees of its game at one glance.

use axum::extract::State;
use http::HeaderMap;
use starkeep_contract::view::GameView;
use starkeep_contract::{Code, GameId, PathId, Problem};
use starkeep_game_core::GameId as CoreGameId;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{Away, Conflict, TokenNeeded};
use starkeep_platform::http::{ErrorResponse, Id};

use super::Shared;
use super::games::unreadable;
use super::identity::Identities;
use super::refusals::{TooManyGuesses, UnknownGameOrPlayer};

/// Show a player its game: money, prices, robots, and the planets on which they stand.
///
/// The player shows its token as `Authorization: Bearer`. One request a round is enough for a simple bot.
#[utoipa::path(get, path = "/games/{gameId}/view", operation_id = "getView", tag = "games", security(("player" = [])),
    params(("gameId" = uuid::Uuid, Path, description = "The game's id")), responses(
    (status = 200, body = GameView, description = "What the player sees"),
    TokenNeeded, TooManyGuesses, UnknownGameOrPlayer, Conflict, Away,
))]
pub(super) async fn show(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    headers: HeaderMap,
) -> Result<Answer, ErrorResponse> {
    let player = Identities::of(&app, &headers, None).await?.sender(None, None, &headers)?.id;
    let game = app.game(CoreGameId(id.0)).await.map_err(|fault| unreadable(&fault))?;
    let game = game.ok_or_else(GameId::unknown)?;
    if !game.roster.contains(player) {
        let text = format!("the player does not take part in game {}", game.id);
        return Err(Problem::new(Code::NotParticipating, text).into());
    }
    let clock = app.time(game.id).await.map_err(|fault| unreadable(&fault))?.ok_or_else(GameId::unknown)?;
    let seen = app.seen_by(game.id, player).await;
    let seen = seen.map_err(|fault| Problem::new(Code::ExecutorUnavailable, fault.to_string()))?;
    Ok(Answer::ok(&app.wire.view(game.id, clock, seen)))
}
