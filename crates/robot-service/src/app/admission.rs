//! Whether a batch is executed, and when: its game is found, its round and its turn are waited for, and what the map still
//! owes of an earlier batch is finished first.

use starkeep_executor::{BatchHeaders, GameLock, admit, meant_game};
use starkeep_platform::clock::{Monotonic, within};
use starkeep_robot_core::{CommandId, GameId, Rng};

use super::{App, Outcome, rejected};
use crate::domain::{RECEIVED, Rejection};

/// A batch whose turn it is. No other batch of the game is executed while this lives.
pub(super) struct Admitted<'a> {
    pub(super) game: GameId,
    pub(super) round: Option<u32>,
    /// Nothing is begun after this instant.
    pub(super) until: Monotonic,
    seed: u64,
    _turn: GameLock<'a>,
}

impl Admitted<'_> {
    /// What the batch's random choices are drawn from.
    pub(super) fn rng(&self) -> Rng {
        Rng::from_seed(self.seed)
    }
}

impl App {
    /// The round first: a batch of a round that is far away must not hold up the others.
    pub(super) async fn admit(
        &self,
        headers: BatchHeaders,
        transactions: &[CommandId],
    ) -> Outcome<Admitted<'_>> {
        let until = self.clock.monotonic().after(headers.timeout);
        let game = self.named_or_only(headers, until).await?;
        let round = self.await_round(game, headers, until).await?;
        let left = until.since(self.clock.monotonic());
        let turn = within(&*self.clock, left, self.locks.lock(game)).await;
        let Some(turn) = turn else { return rejected(Rejection::Busy { game }) };
        if !self.settle_open_minings(game, until).await? {
            let is_begun = self.is_begun(game, transactions).await?;
            return rejected(if is_begun {
                Rejection::MapOwesMinings { game }
            } else {
                Rejection::Busy { game }
            });
        }
        let seed = headers.seed.unwrap_or_else(|| self.chance.bits());
        Ok(Admitted { game, round, until, seed, _turn: turn })
    }

    /// Was anything of the batch executed, now or before? Who is told otherwise may count on it.
    pub(super) async fn is_begun(&self, game: GameId, transactions: &[CommandId]) -> Outcome<bool> {
        let image = self.store.fresh().await?;
        let robots = image.robots_of(game);
        Ok(robots.is_some_and(|robots| transactions.iter().any(|id| robots.executed.contains(*id))))
    }

    /// The game that an order is for, and its round, once that is known here. Orders need no turn: each is one decision.
    pub(super) async fn game_of_order(&self, headers: BatchHeaders) -> Outcome<(GameId, Option<u32>)> {
        let until = self.clock.monotonic().after(headers.timeout);
        let game = self.named_or_only(headers, until).await?;
        Ok((game, self.await_round(game, headers, until).await?))
    }

    async fn named_or_only(&self, headers: BatchHeaders, until: Monotonic) -> Outcome<GameId> {
        if let Some(game) = headers.game {
            return Ok(game);
        }
        let meant =
            meant_game(None, &*self.clock, until, self.store.commits(RECEIVED), || self.store.image()).await;
        meant.or_else(|refusal| rejected(refusal.into()))
    }

    /// The round that events are told with: the one that the request names, otherwise the last one that is known.
    async fn await_round(
        &self,
        game: GameId,
        headers: BatchHeaders,
        until: Monotonic,
    ) -> Outcome<Option<u32>> {
        let headers = BatchHeaders { game: Some(game), ..headers };
        let commits = self.store.commits(RECEIVED);
        let admitted = admit(&headers, &*self.clock, until, commits, || self.store.image()).await;
        admitted.or_else(|refusal| rejected(refusal.into()))?;
        let image = self.store.fresh().await?;
        let known = image.games.get(game).map(|game| game.round).filter(|round| *round > 0);
        Ok(headers.round.or(known))
    }
}
