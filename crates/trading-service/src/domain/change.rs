//! What is to be written: what was received about games and gameworlds, trades, and who finishes them. A change says what moved.

use jiff::Timestamp;
use starkeep_executor::FollowedGame;
use starkeep_platform::documents::{KeyBytes, KeyPart};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_trading_core::{Amounts, GameId, PlanetId, PlayerId, PriceList, Reservation, WorldId};

use super::transaction::Transaction;
use super::wave::Wave;

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Received(Received),
    Traded(Traded),
    /// A wave whose owner is gone belongs to this replica.
    TakenOver {
        game: GameId,
        wave: IntentId,
        by: ReplicaId,
    },
}

/// What was received from another service, with the position in its stream up to which it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    pub(crate) moves: Vec<Move>,
    pub(crate) position: Option<(Stream, String)>,
    /// Events were missed, and what they would have said was asked for at this instant.
    pub(crate) gap: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Game,
    Map,
}

impl KeyPart for Stream {
    fn append(&self, bytes: &mut KeyBytes) {
        bytes.extend_from_slice(self.text().as_bytes());
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        std::str::from_utf8(std::mem::take(bytes)).ok().and_then(Self::parse)
    }

    fn text(&self) -> String {
        match self {
            Self::Game => "game".to_owned(),
            Self::Map => "map".to_owned(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Game, Self::Map].into_iter().find(|stream| stream.text() == text)
    }
}

/// One thing that moved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Move {
    /// How the game stands now; one that was unknown gets a market.
    Game {
        game: GameId,
        state: FollowedGame,
    },
    /// With everything that belongs to it.
    Deleted {
        game: GameId,
    },
    Joined {
        game: GameId,
        player: PlayerId,
        money: u64,
    },
    Left {
        game: GameId,
        player: PlayerId,
    },
    /// The prices of a round that began.
    Prices {
        game: GameId,
        round: u32,
        prices: PriceList,
    },
    /// A round ended: its balances are those of this moment.
    Balances {
        game: GameId,
        round: u32,
    },
    /// A gameworld that no game plays yet.
    World {
        world: WorldId,
        number: u64,
        stations: Vec<PlanetId>,
    },
    /// A gameworld that nobody is going to play.
    WorldDropped {
        world: WorldId,
    },
    /// The game plays this gameworld: its stations are the game's.
    Stations {
        game: GameId,
        world: WorldId,
    },
}

impl Move {
    pub(crate) fn game(&self) -> Option<GameId> {
        match self {
            Self::Game { game, .. }
            | Self::Deleted { game }
            | Self::Joined { game, .. }
            | Self::Left { game, .. }
            | Self::Prices { game, .. }
            | Self::Balances { game, .. }
            | Self::Stations { game, .. } => Some(*game),
            Self::World { .. } | Self::WorldDropped { .. } => None,
        }
    }
}

/// Trades of one game: what was settled, and what is begun with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Traded {
    pub(crate) game: GameId,
    /// The wave that is settled.
    pub(crate) settled: Option<IntentId>,
    pub(crate) bookings: Vec<Booking>,
    pub(crate) executed: Vec<Transaction>,
    pub(crate) begun: Option<Begun>,
}

/// What came of an order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Booking {
    Bought(Reservation),
    Cancelled(Reservation),
    /// In the round whose prices it was sold for.
    Sold {
        player: PlayerId,
        round: u32,
        amounts: Amounts,
        income: u64,
    },
}

/// A wave that is written down before its calls are made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Begun {
    pub(crate) intent: Intent<Wave>,
    /// What further stations are drawn from.
    pub(crate) rng_state: Option<u64>,
}
