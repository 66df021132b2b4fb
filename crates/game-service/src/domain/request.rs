//! What use cases take and give: who joins, what a player commands, and what came of it.
//! Made by `wire` and `http`, decided on in `app`.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::{Command, GameId, Order, PlayerId};

use super::Rejection;

/// Somebody who joins a game.
#[derive(Clone, Debug)]
pub struct JoinRequest {
    pub player: PlayerId,
    pub name: String,
}

/// A command as a player sends it.
#[derive(Clone, Debug)]
pub struct CommandInput {
    /// None: the only running game of the player.
    pub game: Option<GameId>,
    pub player: PlayerId,
    pub order: Order,
}

/// A command that was accepted, and how long its round goes on accepting others.
#[derive(Clone, Debug)]
pub struct AcceptedCommand {
    pub command: Arc<Command>,
    pub collection_left: Duration,
}

/// What came of several inputs, each by itself.
pub(crate) type BatchResults = Vec<Result<AcceptedCommand, Rejection>>;
