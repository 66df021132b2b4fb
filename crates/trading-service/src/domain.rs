//! What the trading service keeps, in the store's terms: what a decision loads, what it changes and why it is refused.
//! The rules of markets are the core's; here is how a change moves the image.

mod change;
mod command;
mod entities;
pub(crate) mod forms;
mod image;
mod transaction;
mod wave;

use starkeep_executor::GameRefusal;
use starkeep_platform::documents::{DocumentWrites, writes};
use starkeep_platform::domain::{Domain, Interest};
use starkeep_platform::intent::Intent;
use starkeep_trading_core::GameId;

pub(crate) use self::change::Change;
pub(crate) use self::change::{Begun, Booking, Move, Received, Stream, Traded};
pub(crate) use self::command::{Trade, TradeCommand};
pub(crate) use self::entities::{market_of, market_questions};
pub(crate) use self::image::Image;
pub(crate) use self::image::{StreamState, UnclaimedWorld, book};
pub(crate) use self::transaction::Transaction;
pub(crate) use self::wave::{Order, Side, Step, Wave};

/// The markets of this installation.
pub enum Trading {}

/// What a decision reads and memory may not hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The market of a game that has ended; others are in memory.
    Market(GameId),
    /// Whether a command was executed.
    Executed(Transaction),
}

/// Events of games and gameworlds were received.
pub(crate) const RECEIVED: Interest = Interest::bit(0);
/// Trades were begun, settled or taken over.
pub(crate) const TRADES: Interest = Interest::bit(1);

/// Why a decision was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    Game(GameRefusal),
    /// An earlier batch of the game is being executed, and nothing of this one was.
    Busy {
        game: GameId,
    },
    /// Earlier trades of the game are not settled yet.
    Unfinished(Box<Intent<Wave>>),
    /// The trades were settled by another replica, or are going to be.
    Overtaken,
    /// Everything is known or executed already, so nothing is written.
    NothingToDo,
    /// The storage could not be read; why is for the log only.
    Unreadable {
        fault: String,
    },
}

impl Domain for Trading {
    type Key = Key;
    type Image = Image;
    type Change = Change;
    type Rejection = Rejection;

    fn absorb(image: &mut Image, change: &Change) {
        match change {
            Change::Received(received) => image.absorb_received(received),
            Change::Traded(traded) => image.absorb_traded(traded),
            Change::TakenOver { game, wave, by } => image.take_over(*game, *wave, *by),
        }
    }

    fn needed_by(change: &Change) -> Vec<Key> {
        match change {
            Change::Received(received) => {
                received.moves.iter().filter_map(Move::game).map(Key::Market).collect()
            }
            Change::Traded(traded) => vec![Key::Market(traded.game)],
            Change::TakenOver { .. } => Vec::new(),
        }
    }

    fn concerns(change: &Change) -> Interest {
        match change {
            Change::Received(_) => RECEIVED,
            Change::Traded(_) | Change::TakenOver { .. } => TRADES,
        }
    }

    fn evict(image: &mut Image) {
        image.evict();
    }

    fn documents(before: &Image, after: &Image, changes: &[Change]) -> Result<DocumentWrites, String> {
        writes::<Self>(before, after, changes)
    }
}
