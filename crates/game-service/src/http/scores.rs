//! `/games/{gameId}/scoreboard` and `/scores`: how players stand, and how they stood at the end of every round.

use axum::extract::State;
use starkeep_contract::scores::{ScoreboardRow, Scores};
use starkeep_contract::{GameId, PathId};
use starkeep_game_core::{Game, GameId as CoreGameId};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::StorageUnreadable;
use starkeep_platform::http::{ErrorResponse, Id};

use super::Shared;
use super::games::unreadable;
use super::refusals::UnknownGame;

/// Show how the players of a game stand: by money, then robots, then fights won.
///
/// It stays after the end. With robot or trading services that are not Starkeep's own, what is not known is null.
#[utoipa::path(get, path = "/games/{gameId}/scoreboard", operation_id = "getScoreboard", tag = "games",
    params(("gameId" = uuid::Uuid, Path, description = "The game's id")), responses(
    (status = 200, body = Vec<ScoreboardRow>, description = "The players, the best first; equal ones share a rank"),
    UnknownGame, StorageUnreadable,
))]
pub(super) async fn scoreboard(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
) -> Result<Answer, ErrorResponse> {
    let game = known(&app, id).await?;
    let board = app.scoreboard(&game).await.map_err(|fault| unreadable(&fault))?;
    let rows = app.wire.scoreboard(board.standings.as_deref(), board.names, &game.roster, board.known);
    Ok(Answer::ok(&rows))
}

/// Show how the players stood at the end of every round: for plots and rewards.
///
/// The last round appears when everything that happened in it is known, shortly after its end. With robot or trading services that are not
/// Starkeep's own, what is not known is null; their rounds wait for their results for at most 10 s while Kafka can be read.
#[utoipa::path(get, path = "/games/{gameId}/scores", operation_id = "getScores", tag = "games",
    params(("gameId" = uuid::Uuid, Path, description = "The game's id")), responses(
    (status = 200, body = Scores, description = "The rounds, and a row of each player with a value for each of them"),
    UnknownGame, StorageUnreadable,
))]
pub(super) async fn show(State(app): State<Shared>, Id(id): Id<GameId>) -> Result<Answer, ErrorResponse> {
    let game = known(&app, id).await?;
    let (rows, names) = app.scores(&game).await.map_err(|fault| unreadable(&fault))?;
    Ok(Answer::ok(&app.wire.scores(&rows, names)))
}

async fn known(app: &Shared, id: GameId) -> Result<Game, ErrorResponse> {
    let game = app.game(CoreGameId(id.0)).await.map_err(|fault| unreadable(&fault))?;
    Ok(game.ok_or_else(GameId::unknown)?)
}
