//! A command of a batch in the service's own terms. One that cannot be read is kept with the reason: it gets its event, and
//! the others are carried out.

use starkeep_trading_core::{Item, PlanetId, PlayerId, RobotId};

use super::transaction::Transaction;
use super::wave::Side;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TradeCommand {
    /// None where the command has none. It is refused then, and a repeat of it is refused again, with an event of its own:
    /// nothing on the wire tells a repeat from a second such command. Neither does anything, and the game service gives every
    /// command an id.
    pub(crate) transaction: Option<Transaction>,
    pub(crate) side: Side,
    /// As far as they could be read, for the event.
    pub(crate) player: Option<PlayerId>,
    pub(crate) robot: Option<RobotId>,
    /// What is to be done, or a sentence that says why it cannot be read.
    pub(crate) trade: Result<Trade, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trade {
    Robots {
        player: PlayerId,
        amount: i64,
    },
    Item {
        player: PlayerId,
        robot: RobotId,
        item: Item,
        /// The planet that the command names, if any.
        planet: Option<PlanetId>,
    },
    Sale {
        player: PlayerId,
        robot: RobotId,
        planet: Option<PlanetId>,
    },
}

impl Trade {
    pub(crate) fn player(self) -> PlayerId {
        match self {
            Self::Robots { player, .. } | Self::Item { player, .. } | Self::Sale { player, .. } => player,
        }
    }

    /// The robot that has to be known before.
    pub(crate) fn robot(self) -> Option<RobotId> {
        match self {
            Self::Robots { .. } => None,
            Self::Item { robot, .. } | Self::Sale { robot, .. } => Some(robot),
        }
    }
}
