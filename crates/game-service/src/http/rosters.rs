//! `/rosters`: for robot and trading services that have missed events.

use axum::extract::State;
use starkeep_contract::game_roster::GameRoster;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::documented_problems::{HostOnly, StorageUnreadable};

use super::Shared;
use super::games::unreadable;

/// Show who plays in which game: what `gameRoster` and `roundStatus` told of the games that are created or running.
#[utoipa::path(get, path = "/rosters", operation_id = "listRosters", tag = "games", security(("admin" = [])), responses(
    (status = 200, body = Vec<GameRoster>, description = "The games, the oldest first"),
    HostOnly, StorageUnreadable,
))]
pub(super) async fn list(State(app): State<Shared>) -> Result<Answer, ErrorResponse> {
    let games = app.active_games().await.map_err(|fault| unreadable(&fault))?;
    let rosters: Vec<_> = games.iter().map(|game| app.wire.roster(game)).collect();
    Ok(Answer::ok(&rosters))
}
