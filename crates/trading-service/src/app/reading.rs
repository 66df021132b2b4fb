//! Reading: the market of a game that is named, or of the one that is meant where none is.
//! Markets of games that have ended are read from the storage.

use starkeep_executor::{FollowedGame, GameRefusal};
use starkeep_platform::decision::Failure;
use starkeep_trading_core::{GameId, Market};

use super::{App, Outcome};
use crate::domain::{Rejection, market_of, market_questions};

/// A game in the list of games.
pub(crate) struct Shown {
    pub(crate) id: GameId,
    pub(crate) game: FollowedGame,
    pub(crate) is_current: bool,
}

impl App {
    /// None if no game is named, and there is none.
    pub(crate) async fn market(&self, named: Option<GameId>) -> Outcome<Option<Market>> {
        let image = self.store.fresh().await?;
        let Some(game) = named.or_else(|| image.games.current()) else { return Ok(None) };
        if let Some(market) = image.markets.get(&game) {
            return Ok(Some(market.clone()));
        }
        let unknown = Rejection::Game(GameRefusal::Unknown { game });
        let found = self.store.ask(market_questions(game)).await;
        let stored = found
            .and_then(|found| market_of(game, &found.concat()).map_err(|unreadable| unreadable.to_string()));
        let stored = stored.map_err(|fault| Failure::Rejected(Rejection::Unreadable { fault }))?;
        stored.map(Some).ok_or(Failure::Rejected(unknown))
    }

    /// In the order in which they were created.
    pub(crate) async fn games(&self) -> Outcome<Vec<Shown>> {
        let image = self.store.fresh().await?;
        let current = image.games.current();
        let shown =
            |(id, game): (GameId, &FollowedGame)| Shown { id, game: *game, is_current: current == Some(id) };
        let mut games: Vec<_> = image.games.iter().map(shown).collect();
        games.sort_by_key(|shown| shown.game.created);
        Ok(games)
    }
}
