//! Games as the commands see them: how one is read, and which one is meant.

mod choice;
mod shown;

use starkeep_client::GameClient;
use starkeep_contract::GameId;

pub(crate) use self::choice::choose;
pub(crate) use self::shown::ShownGame;
#[cfg(test)]
pub(crate) use self::shown::game as test_game;
use crate::failure::CommandError;

/// The game that is meant: by its id, a beginning of it or its name; without, the only active one.
pub(crate) async fn find(client: &GameClient, wanted: Option<&str>) -> Result<ShownGame, CommandError> {
    if let Some(id) = wanted.and_then(|wanted| serde_json::from_value::<GameId>(wanted.into()).ok()) {
        return show(client, id).await;
    }
    let games = match wanted {
        None => active(client).await?,
        Some(_) => list(client, "/games").await?,
    };
    Ok(choose(&games, wanted).map_err(CommandError::Asked)?.clone())
}

pub(crate) async fn show(client: &GameClient, id: GameId) -> Result<ShownGame, CommandError> {
    ShownGame::read(&client.get_raw(&format!("/games/{id}")).await?)
}

/// Those that are running, and then those that are created; the newest first.
pub(crate) async fn active(client: &GameClient) -> Result<Vec<ShownGame>, CommandError> {
    let mut games = list(client, "/games?status=running").await?;
    games.extend(list(client, "/games?status=created").await?);
    Ok(games)
}

pub(crate) async fn list(client: &GameClient, path: &str) -> Result<Vec<ShownGame>, CommandError> {
    client.list_raw(path).await?.iter().map(|game| ShownGame::read(game)).collect()
}
