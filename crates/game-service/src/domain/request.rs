//! What use cases take and give: who joins, what a player commands, and what came of it.
//! Made by `wire` and `http`, decided on in `app`.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::{Command, GameId, Order, Player, PlayerId};

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

/// A player of the open round.
pub(crate) struct RoundPlayer {
    pub(crate) player: Arc<Player>,
    pub(crate) is_ready: bool,
    /// Of those that replaced one another the last.
    pub(crate) commands: u32,
    pub(crate) refused: Refused,
}

/// How many commands of a player were refused in the open round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) refused: u32,
    /// Because the round took no commands any more. They are not among the refused ones.
    pub(crate) late: u32,
}
