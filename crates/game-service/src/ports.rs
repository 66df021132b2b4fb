//! What the use cases need from outside, in the domain's words: a store and a map service.
//! No driver, socket or JSON shows in a signature.

use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_game_core::{Game, GameId, Retirement, WorldId};
use starkeep_platform::apply::Desk;
use starkeep_platform::groundwork::Groundwork;
use tokio::sync::watch;

use crate::domain::{Games, Image};

pub trait Store: Desk<Games> {
    /// Games that are created or running, as last committed. Waits for nobody.
    fn image(&self) -> Arc<Image>;

    /// Changes with every commit: a hint to look again.
    fn commits(&self) -> watch::Receiver<()>;

    /// An ended game.
    fn ended_game(&self, id: GameId) -> BoxFuture<'_, Result<Option<Game>, Unreadable>>;

    /// Ended games, newest first, after the given one.
    fn ended_games(&self, after: Option<Age>, limit: usize) -> BoxFuture<'_, Result<Vec<Game>, Unreadable>>;

    /// Kept answers, the log, and how the store is.
    fn groundwork(&self) -> Arc<dyn Groundwork>;
}

/// Orders games by age: when it was created, and its id where two were at once.
pub type Age = (Timestamp, GameId);

/// The database could not be asked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// The map service.
pub trait MapGateway: Send + Sync + 'static {
    /// Makes a world. Asking again with the same id gives the same world.
    fn make(&self, order: WorldOrder) -> BoxFuture<'_, Result<WorldId, MapFault>>;

    /// Asks whether the map is there and can work. It is not waited for as long as an order may take.
    fn look(&self) -> BoxFuture<'_, Result<(), MapFault>>;

    /// Why the last call failed, if it did.
    fn fault(&self) -> Option<MapFault>;

    /// Tells the map that nobody plays in the world any longer. Telling it again is harmless.
    fn retire(&self, retirement: Retirement) -> BoxFuture<'_, Result<(), MapFault>>;
}

/// The world that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldOrder {
    pub id: WorldId,
    pub players: u32,
    pub rounds: u32,
    pub seed: Option<u64>,
    pub style: Option<String>,
}

/// Why the map did not do as asked; whether it did all the same is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapFault {
    #[error("the map service at {url} does not answer: {reason}")]
    Away { url: String, reason: String },
    #[error("the map service at {url} refuses with {status}: {reason}")]
    Refused { url: String, status: u16, reason: String },
}
