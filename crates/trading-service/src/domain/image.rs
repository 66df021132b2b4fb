//! The image that reads are rendered from and decisions are made on: the games that are followed, the market of each game
//! that has not ended, and the trades that are not settled. Markets of ended games are only in the store.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::OrdMap;
use jiff::Timestamp;
use starkeep_executor::{Followed, GameStatus, Games};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_trading_core::{GameId, Market, PlanetId, WorldId};

use super::change::{Booking, Move, Received, Stream, Traded};
use super::transaction::Transaction;
use super::wave::Wave;

/// Cheap to clone: a clone shares everything that it does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    pub(crate) games: Games,
    pub(crate) markets: OrdMap<GameId, Market>,
    /// Gameworlds that no game plays yet.
    pub(crate) unclaimed: OrdMap<WorldId, UnclaimedWorld>,
    /// The wave of each game whose calls are not all answered.
    pub(crate) open: OrdMap<GameId, Intent<Wave>>,
    pub(crate) game_stream: StreamState,
    pub(crate) map_stream: StreamState,
    /// Of the commands that this batch asked about.
    executed: BTreeSet<Transaction>,
    /// Games whose markets this batch loaded, or of which it moved something: at its end they are evicted unless they are kept.
    to_check: BTreeSet<GameId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnclaimedWorld {
    /// A larger number: received later.
    pub(crate) number: u64,
    pub(crate) stations: Arc<[PlanetId]>,
}

/// How far another service's events were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamState {
    pub(crate) position: Option<String>,
    /// When events were last missed.
    pub(crate) gap: Option<Timestamp>,
}

impl Followed for Image {
    fn games(&self) -> &Games {
        &self.games
    }

    fn knows_world(&self, game: GameId) -> bool {
        self.games.get(game).is_none_or(|game| game.world.is_none() || game.status == GameStatus::Ended)
            || self.markets.get(&game).is_some_and(|market| market.sites.stations.is_some())
    }
}

impl Image {
    pub(crate) fn is_executed(&self, transaction: &Transaction) -> bool {
        self.executed.contains(transaction)
    }

    pub(crate) fn load_executed(&mut self, transaction: Transaction) {
        self.executed.insert(transaction);
    }

    /// Gameworlds that are played and of which nothing was received from the map yet.
    pub(crate) fn without_world(&self) -> impl Iterator<Item = WorldId> {
        let lacking = self.games.iter().filter(|(id, _)| !self.knows_world(*id));
        lacking.filter_map(|(_, game)| game.world)
    }

    pub(crate) fn stream(&self, stream: Stream) -> &StreamState {
        match stream {
            Stream::Game => &self.game_stream,
            Stream::Map => &self.map_stream,
        }
    }

    pub(super) fn stream_mut(&mut self, stream: Stream) -> &mut StreamState {
        match stream {
            Stream::Game => &mut self.game_stream,
            Stream::Map => &mut self.map_stream,
        }
    }

    /// A game that has ended stays until its last trades are settled.
    pub(crate) fn is_kept(&self, game: GameId) -> bool {
        self.open.contains_key(&game)
            || self.games.get(game).is_some_and(|game| game.status != GameStatus::Ended)
    }

    pub(crate) fn forget_executed(&mut self) {
        self.executed = BTreeSet::new();
    }

    pub(super) fn evict(&mut self) {
        self.forget_executed();
        for game in std::mem::take(&mut self.to_check) {
            if !self.is_kept(game) {
                self.markets.remove(&game);
            }
        }
    }

    /// Is the market of a known game not in memory? What the image knows goes before what the store says: a game that the running batch
    /// has deleted is still there, and one whose creation a replica follows late has a market there that is ahead of it.
    pub(crate) fn lacks_market(&self, game: GameId) -> bool {
        self.games.get(game).is_some() && !self.markets.contains_key(&game)
    }

    /// Of a game that has ended.
    pub(crate) fn load_market_for_batch(&mut self, game: GameId, market: Market) {
        self.markets.insert(game, market);
        self.to_check.insert(game);
    }

    pub(super) fn absorb_received(&mut self, received: &Received) {
        received.moves.iter().for_each(|step| self.absorb_move(step));
        if let Some((stream, position)) = &received.position {
            let stream = self.stream_mut(*stream);
            stream.position = Some(position.clone());
            stream.gap = received.gap.or(stream.gap);
        }
    }

    pub(crate) fn absorb_move(&mut self, step: &Move) {
        match step {
            Move::Game { game, state } => {
                self.games.restore(*game, *state);
                self.markets.entry(*game).or_default();
                self.to_check.insert(*game);
            }
            Move::Deleted { game } => {
                self.games.remove(*game);
                self.markets.remove(game);
                self.open.remove(game);
            }
            Move::Joined { game, player, money } => {
                self.change(*game, |market| {
                    market.join(*player, *money);
                });
            }
            Move::Left { game, player } => self.change(*game, |market| market.leave(*player)),
            Move::Prices { game, round, prices } => {
                self.change(*game, |market| market.begin_round(*round, *prices));
            }
            Move::Balances { game, round } => self.change(*game, |market| market.end_round(*round)),
            Move::World { world, number, stations } => {
                let stations = stations.clone().into();
                self.unclaimed.insert(*world, UnclaimedWorld { number: *number, stations });
            }
            Move::WorldDropped { world } => drop(self.unclaimed.remove(world)),
            Move::Stations { game, world } => {
                if let Some(claimed) = self.unclaimed.remove(world) {
                    self.change(*game, |market| market.set_stations(claimed.stations));
                }
            }
        }
    }

    pub(super) fn absorb_traded(&mut self, traded: &Traded) {
        if traded.settled.is_some() {
            self.open.remove(&traded.game);
            self.to_check.insert(traded.game);
        }
        self.change(traded.game, |market| {
            traded.bookings.iter().for_each(|booking| book(market, booking));
            if let Some(begun) = &traded.begun {
                begun.intent.call.reservations().for_each(|reservation| market.reserve(reservation));
                market.sites.rng_state = begun.rng_state;
            }
        });
        self.executed.extend(traded.executed.iter().cloned());
        if let Some(begun) = &traded.begun {
            self.open.insert(traded.game, begun.intent.clone());
        }
    }

    pub(super) fn take_over(&mut self, game: GameId, wave: IntentId, by: ReplicaId) {
        if let Some(open) = self.open.get_mut(&game).filter(|open| open.id == wave) {
            open.owner = by;
        }
    }

    fn change(&mut self, game: GameId, change: impl FnOnce(&mut Market)) {
        if let Some(market) = self.markets.get_mut(&game) {
            change(market);
        }
    }
}

pub(crate) fn book(market: &mut Market, booking: &Booking) {
    match booking {
        Booking::Bought(reservation) => market.complete(reservation),
        Booking::Cancelled(reservation) => market.cancel(reservation),
        Booking::Sold { player, round, amounts, income } => {
            market.book_sale(*player, *round, *amounts, *income);
        }
    }
}
