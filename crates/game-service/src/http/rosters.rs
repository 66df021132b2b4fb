//! `/rosters`: for robot and trading services that have missed events.

use axum::extract::State;
use starkeep_contract::GameId;
use starkeep_contract::game_roster::Rosters;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::documented_problems::{HostOnly, StorageUnreadable};

use super::Shared;
use super::games::unreadable;

/// Show who plays in which game.
///
/// It is what `gameRoster` and `roundStatus` told of the games that are created or running, and the ids of the ended games that
/// are kept. A game that is not in the answer was deleted.
#[utoipa::path(get, path = "/rosters", operation_id = "listRosters", tag = "games", security(("admin" = [])), responses(
    (status = 200, body = Rosters, description = "The games"),
    HostOnly, StorageUnreadable,
))]
pub(super) async fn list(State(app): State<Shared>) -> Result<Answer, ErrorResponse> {
    let (games, ended) = app.all_games().await.map_err(|fault| unreadable(&fault))?;
    let games = games.iter().map(|game| app.wire.roster(game)).collect();
    let ended_games = ended.into_iter().map(|game| GameId(game.0)).collect();
    Ok(Answer::ok(&Rosters { games, ended_games }))
}
