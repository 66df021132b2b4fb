//! Whether a batch is executed, and when: its game is found, its round and its turn are waited for, and what the map still
//! owes of an earlier batch is finished first.

use std::collections::BTreeSet;
use std::sync::Arc;

use starkeep_executor::{BatchHeaders, Followed, GameLock, Games, RoundState, admit, meant_game};
use starkeep_platform::clock::{Monotonic, within};
use starkeep_robot_core::{CommandId, GameId, Rng};

use tokio::sync::watch;

use super::read_ahead::ReadAhead;
use super::{App, Outcome, rejected};
use crate::domain::{Image, RECEIVED, Rejection};

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
        if !self.settle_open_minings(game, until, &BTreeSet::new()).await? {
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
        // Which one it is may have changed by what other replicas have committed.
        self.store.fresh().await?;
        let meant = meant_game(None, &*self.clock, until, self.changes_of_games(), || self.known()).await;
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
        let admitted = admit(&headers, &*self.clock, until, self.changes_of_games(), || self.known()).await;
        admitted.or_else(|refusal| rejected(refusal.into()))?;
        // First: it is emptied only after what was in it is committed.
        let read = self.read_ahead.round_of(game).map(|(round, _)| round);
        let image = self.store.fresh().await?;
        let committed = image.games.get(game).map(|game| game.round).filter(|round| *round > 0);
        Ok(headers.round.or(committed.max(read)))
    }

    fn known(&self) -> Arc<KnownGames<'_>> {
        Arc::new(KnownGames { image: self.store.image(), read_ahead: &self.read_ahead })
    }

    fn changes_of_games(&self) -> Vec<watch::Receiver<()>> {
        vec![self.store.commits(RECEIVED), self.read_ahead.changes()]
    }
}

/// What was read of the games, committed or not.
struct KnownGames<'a> {
    image: Arc<Image>,
    read_ahead: &'a ReadAhead,
}

impl Followed for KnownGames<'_> {
    fn games(&self) -> &Games {
        &self.image.games
    }

    fn has_reached(&self, game: GameId, round: u32) -> bool {
        self.image.games.has_reached(game, round)
            || self.read_ahead.round_of(game).is_some_and(|read| read >= (round, RoundState::InputEnded))
    }

    /// What a robot needs of the gameworld the map tells with each planet.
    fn knows_world(&self, _: GameId) -> bool {
        true
    }
}
