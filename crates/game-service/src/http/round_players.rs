//! `GET /games/{gameId}/players`: what each player has done in the open round.

use axum::extract::State;
use starkeep_contract::round_player::RoundPlayer;
use starkeep_contract::{GameId, PathId};
use starkeep_game_core::GameId as CoreGameId;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::StorageUnreadable;
use starkeep_platform::http::{ErrorResponse, Id};

use super::Shared;
use super::games::unreadable;
use super::refusals::UnknownGame;

/// Show what each player has done in the open round: who is ready, and how many commands were taken and refused.
///
/// Who was taken out of the game is left out. Before the first round and after the end nobody is ready and all counts are 0.
#[utoipa::path(get, path = "/games/{gameId}/players", operation_id = "listPlayers", tag = "players",
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 200, body = Vec<RoundPlayer>, description = "The players in the order in which they joined"),
    UnknownGame, StorageUnreadable,
))]
pub(super) async fn list(State(app): State<Shared>, Id(id): Id<GameId>) -> Result<Answer, ErrorResponse> {
    let players = app.round_players(CoreGameId(id.0)).await.map_err(|fault| unreadable(&fault))?;
    let players = players.ok_or_else(GameId::unknown)?;
    let shown: Vec<_> = players.iter().map(|player| app.wire.round_player(player)).collect();
    Ok(Answer::ok(&shown))
}
