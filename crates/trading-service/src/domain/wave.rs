//! A wave: as many commands of a batch, in their order, as can be decided before the robot service is asked. It is written
//! down as one intent; the calls are made; then it is settled as a whole.

use starkeep_trading_core::{GameId, PlayerId, Reservation, RobotId};

use super::transaction::Transaction;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    pub(crate) game: GameId,
    /// The round whose prices hold for it.
    pub(crate) price_round: u32,
    /// The round that its events are about.
    pub(crate) round: Option<u32>,
    /// As the batch came with it, to be passed on.
    pub(crate) seed: Option<u64>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) transaction: Option<Transaction>,
    pub(crate) side: Side,
    pub(crate) player: Option<PlayerId>,
    pub(crate) robot: Option<RobotId>,
    pub(crate) order: Order,
}

/// Decides which error a command that fails is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Buy,
    Sell,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// With the sentence for the player.
    Refused(String),
    Buy(Reservation),
    Sell {
        player: PlayerId,
        robot: RobotId,
    },
}

impl Wave {
    /// Purchases that are paid and not delivered yet.
    pub(crate) fn reservations(&self) -> impl Iterator<Item = &Reservation> {
        self.steps.iter().filter_map(|step| match &step.order {
            Order::Buy(reservation) => Some(reservation),
            Order::Refused(_) | Order::Sell { .. } => None,
        })
    }

    pub(crate) fn reserved_by(&self, player: PlayerId) -> u64 {
        self.reservations().filter(|order| order.player == player).map(|order| order.cost).sum()
    }
}

impl Step {
    pub(crate) fn is_call(&self) -> bool {
        !matches!(self.order, Order::Refused(_))
    }
}
