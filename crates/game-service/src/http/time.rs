//! `/games/{gameId}/time`: how far a game has come.

use axum::extract::State;
use starkeep_contract::game::GameTime;
use starkeep_contract::{GameId, PathId};
use starkeep_game_core::GameId as CoreGameId;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::StorageUnreadable;
use starkeep_platform::http::{ErrorResponse, Id};
use uuid::Uuid;

use super::Shared;
use super::games::unreadable;
use super::refusals::UnknownGame;

/// Show a game's time: whole seconds, with milliseconds and the phase beside them. Frozen after the end.
#[utoipa::path(get, path = "/games/{gameId}/time", operation_id = "getGameTime", tag = "games",
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 200, body = GameTime, description = "The game's time"),
    UnknownGame, StorageUnreadable,
))]
pub(super) async fn show(State(app): State<Shared>, Id(id): Id<GameId>) -> Result<Answer, ErrorResponse> {
    let clock =
        app.time(CoreGameId(id.0)).await.map_err(|fault| unreadable(&fault))?.ok_or_else(GameId::unknown)?;
    Ok(Answer::ok(&app.wire.time(clock)))
}

/// The same for a game that is created or running.
pub(super) fn from_memory(api: &Shared, id: &str) -> Option<Answer> {
    let clock = api.time_in_memory(CoreGameId(Uuid::try_parse(id).ok()?))?;
    Some(Answer::ok(&api.wire.time(clock)))
}
