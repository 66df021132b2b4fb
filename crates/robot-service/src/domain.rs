//! What the robot service keeps, in the store's terms: what a decision loads, what it changes and why it is refused.
//! The rules of robots are the core's; here is how a change moves the image.

mod change;
mod executed_ids;
mod image;

use starkeep_executor::{BatchRefusal, GameRefusal};
use starkeep_platform::domain::{Domain, Interest};
use starkeep_robot_core::{CommandId, GameId, PlanetFault, PlanetId, RobotId, Upgrade, UpgradeRefusal};

pub(crate) use self::change::{
    Change, Mining, ReceivedGame, RobotsMoved, SpawnedRobots, Surroundings, added,
};
pub use self::change::{MiningCall, Order};
pub(crate) use self::executed_ids::ExecutedIds;
pub(crate) use self::image::{GameRobots, Image};

/// The robots of this installation.
pub enum Robots {}

/// What a decision reads and memory does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// An order with this transaction, if it was carried out before.
    Order(CommandId),
}

/// Events of games that were received.
pub(crate) const RECEIVED: Interest = Interest::bit(0);

/// Minings were begun, settled or taken over.
pub(crate) const MININGS: Interest = Interest::bit(1);

/// Robots were spawned whose surroundings are yet to be told.
pub(crate) const SURROUNDINGS: Interest = Interest::bit(2);

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// Of a game that takes no orders, or whose events did not come in time.
    Batch(BatchRefusal),
    /// An earlier batch of the game is still being executed, or its minings are.
    Busy {
        game: GameId,
    },
    /// The batch's time was over before anything of it was executed.
    TooLate,
    /// The map has not answered some of the minings; they will be finished. Others of the batch may be done.
    MapOwesMinings {
        game: GameId,
    },
    UnknownRobot {
        robot: RobotId,
    },
    Upgrade {
        robot: RobotId,
        upgrade: Upgrade,
        level: u32,
        refusal: UpgradeRefusal,
    },
    /// There is no planet to spawn a robot on for each of them.
    TooFewPlanets,
    /// Robots cannot be spawned there.
    Planet {
        planet: PlanetId,
        fault: PlanetFault,
    },
    /// The transaction was used for another order.
    TransactionReused {
        transaction: CommandId,
    },
    /// The order was carried out before: its answer is given again, and nothing is written.
    Repeated(Order),
    /// Everything is as the caller wants it already, so nothing is written.
    NothingToDo,
    /// The game service could not be asked whose token it is.
    GameServiceAway {
        fault: String,
    },
    /// The storage could not be read; why is for the log only.
    Unreadable {
        fault: String,
    },
}

impl From<BatchRefusal> for Rejection {
    fn from(refusal: BatchRefusal) -> Self {
        Self::Batch(refusal)
    }
}

impl From<GameRefusal> for Rejection {
    fn from(refusal: GameRefusal) -> Self {
        Self::Batch(BatchRefusal::Game(refusal))
    }
}

impl Domain for Robots {
    type Key = Key;
    type Image = Image;
    type Change = Change;
    type Rejection = Rejection;

    fn absorb(image: &mut Image, change: &Change) {
        match change {
            Change::Received { position, gap, games } => image.absorb_received(position, *gap, games),
            Change::Robots(moved) => image.move_robots(moved),
            Change::TakenOver { minings, by } => {
                for mining in minings {
                    image.minings.take_over(*mining, *by);
                }
            }
        }
    }

    fn concerns(change: &Change) -> Interest {
        match change {
            Change::Received { .. } => RECEIVED,
            Change::Robots(moved) => {
                let is_mined = !(moved.begun.is_empty() && moved.settled.is_empty());
                let mined = if is_mined { MININGS } else { Interest::NONE };
                if moved.untold.is_some() { mined.or(SURROUNDINGS) } else { mined }
            }
            Change::TakenOver { .. } => MININGS,
        }
    }

    fn evict(image: &mut Image) {
        image.evict_loaded();
    }
}
