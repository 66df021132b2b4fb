//! What the other services show of a player's game right now. Nothing of it is kept here.

use futures::future::BoxFuture;
use starkeep_contract::map::Planet;
use starkeep_contract::robot_service::Robot;
use starkeep_contract::view::ResourcePrices;
use starkeep_game_core::{GameId, PlayerId};
use uuid::Uuid;

pub trait Lookups: Send + Sync + 'static {
    /// None where there is no robot service.
    fn robots(
        &self,
        game: GameId,
        player: PlayerId,
    ) -> BoxFuture<'_, Result<Option<Vec<Robot>>, LookupFault>>;

    /// None where there is no trading service.
    fn prices(&self, game: GameId) -> BoxFuture<'_, Result<Option<ResourcePrices>, LookupFault>>;

    /// None where there is no trading service, or no account.
    fn money(&self, game: GameId, player: PlayerId) -> BoxFuture<'_, Result<Option<u64>, LookupFault>>;

    /// In the order in which they are asked for.
    fn planets(&self, ids: Vec<Uuid>) -> BoxFuture<'_, Result<Vec<Planet>, LookupFault>>;
}

/// A service that should tell does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {service} service does not tell: {reason}")]
pub struct LookupFault {
    pub service: &'static str,
    pub reason: String,
}

/// What a player sees of a game that is not the game service's own to tell. None: there is no such service.
#[derive(Clone, Debug)]
pub struct SeenByPlayer {
    pub money: Option<u64>,
    pub prices: Option<ResourcePrices>,
    pub robots: Option<Vec<Robot>>,
    /// Each planet once.
    pub planets: Option<Vec<Planet>>,
}
