//! Trades in their serialised form; a wave has the same form in its row.

use serde::{Deserialize, Serialize};
use starkeep_platform::domain::UnreadableChange;
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_trading_core::{Amounts, GameId, Item, PlanetId, PlayerId, Reservation, ResourceKind, RobotId};
use uuid::Uuid;

use super::unknown;
use crate::domain::{Begun, Booking, Order, Side, Step, Traded, Transaction, Wave};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredTraded {
    game: Uuid,
    settled: Option<Uuid>,
    bookings: Vec<StoredBooking>,
    executed: Vec<StoredTransaction>,
    begun: Option<StoredBegun>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredBooking {
    Bought(StoredReservation),
    Cancelled(StoredReservation),
    Sold { player: Uuid, round: u32, amounts: [u64; 5], income: u64 },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBegun {
    id: Uuid,
    owner: Uuid,
    wave: StoredWave,
    rng_state: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredWave {
    /// Stays the first: the waves of a game are found by how their texts begin.
    #[serde(with = "uuid::serde::simple")]
    game: Uuid,
    price_round: u32,
    round: Option<u32>,
    seed: Option<u64>,
    steps: Vec<StoredStep>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredStep {
    transaction: Option<StoredTransaction>,
    side: StoredSide,
    player: Option<Uuid>,
    robot: Option<Uuid>,
    order: StoredOrder,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredTransaction {
    Id(Uuid),
    Text(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredSide {
    Buy,
    Sell,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredOrder {
    Refused(String),
    Buy(StoredReservation),
    Sell { player: Uuid, robot: Uuid },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredReservation {
    player: Uuid,
    item: String,
    count: u32,
    cost: u64,
    planets: Vec<Uuid>,
    is_first: bool,
}

impl From<&Traded> for StoredTraded {
    fn from(traded: &Traded) -> Self {
        Self {
            game: traded.game.0,
            settled: traded.settled.map(|id| id.0),
            bookings: traded.bookings.iter().map(StoredBooking::from).collect(),
            executed: traded.executed.iter().map(StoredTransaction::from).collect(),
            begun: traded.begun.as_ref().map(StoredBegun::from),
        }
    }
}

impl StoredTraded {
    pub(super) fn read(self) -> Result<Traded, UnreadableChange> {
        Ok(Traded {
            game: GameId(self.game),
            settled: self.settled.map(IntentId),
            bookings: self.bookings.into_iter().map(StoredBooking::read).collect::<Result<_, _>>()?,
            executed: self.executed.into_iter().map(Transaction::from).collect(),
            begun: self.begun.map(StoredBegun::read).transpose()?,
        })
    }
}

impl From<&Booking> for StoredBooking {
    fn from(booking: &Booking) -> Self {
        match booking {
            Booking::Bought(bought) => Self::Bought(bought.into()),
            Booking::Cancelled(cancelled) => Self::Cancelled(cancelled.into()),
            Booking::Sold { player, round, amounts, income } => Self::Sold {
                player: player.0,
                round: *round,
                amounts: ResourceKind::ALL.map(|kind| amounts.of(kind)),
                income: *income,
            },
        }
    }
}

impl StoredBooking {
    fn read(self) -> Result<Booking, UnreadableChange> {
        Ok(match self {
            Self::Bought(bought) => Booking::Bought(bought.read()?),
            Self::Cancelled(cancelled) => Booking::Cancelled(cancelled.read()?),
            Self::Sold { player, round, amounts, income } => {
                Booking::Sold { player: PlayerId(player), round, amounts: Amounts::new(amounts), income }
            }
        })
    }
}

impl From<&Begun> for StoredBegun {
    fn from(Begun { intent, rng_state }: &Begun) -> Self {
        let (id, owner) = (intent.id.0, intent.owner.0);
        Self { id, owner, wave: (&intent.call).into(), rng_state: *rng_state }
    }
}

impl StoredBegun {
    fn read(self) -> Result<Begun, UnreadableChange> {
        let (id, owner) = (IntentId(self.id), ReplicaId(self.owner));
        Ok(Begun { intent: Intent { id, owner, call: self.wave.read()? }, rng_state: self.rng_state })
    }
}

impl From<&Wave> for StoredWave {
    fn from(wave: &Wave) -> Self {
        Self {
            game: wave.game.0,
            price_round: wave.price_round,
            round: wave.round,
            seed: wave.seed,
            steps: wave.steps.iter().map(StoredStep::from).collect(),
        }
    }
}

impl StoredWave {
    pub(super) fn read(self) -> Result<Wave, UnreadableChange> {
        Ok(Wave {
            game: GameId(self.game),
            price_round: self.price_round,
            round: self.round,
            seed: self.seed,
            steps: self.steps.into_iter().map(StoredStep::read).collect::<Result<_, _>>()?,
        })
    }
}

impl From<&Step> for StoredStep {
    fn from(step: &Step) -> Self {
        Self {
            transaction: step.transaction.as_ref().map(StoredTransaction::from),
            side: match step.side {
                Side::Buy => StoredSide::Buy,
                Side::Sell => StoredSide::Sell,
            },
            player: step.player.map(|player| player.0),
            robot: step.robot.map(|robot| robot.0),
            order: match &step.order {
                Order::Refused(sentence) => StoredOrder::Refused(sentence.clone()),
                Order::Buy(bought) => StoredOrder::Buy(bought.into()),
                Order::Sell { player, robot } => StoredOrder::Sell { player: player.0, robot: robot.0 },
            },
        }
    }
}

impl StoredStep {
    fn read(self) -> Result<Step, UnreadableChange> {
        Ok(Step {
            transaction: self.transaction.map(Transaction::from),
            side: match self.side {
                StoredSide::Buy => Side::Buy,
                StoredSide::Sell => Side::Sell,
            },
            player: self.player.map(PlayerId),
            robot: self.robot.map(RobotId),
            order: match self.order {
                StoredOrder::Refused(sentence) => Order::Refused(sentence),
                StoredOrder::Buy(bought) => Order::Buy(bought.read()?),
                StoredOrder::Sell { player, robot } => {
                    Order::Sell { player: PlayerId(player), robot: RobotId(robot) }
                }
            },
        })
    }
}

impl From<&Transaction> for StoredTransaction {
    fn from(transaction: &Transaction) -> Self {
        match transaction {
            Transaction::Id(id) => Self::Id(*id),
            Transaction::Text(text) => Self::Text(text.clone()),
        }
    }
}

impl From<StoredTransaction> for Transaction {
    fn from(stored: StoredTransaction) -> Self {
        match stored {
            StoredTransaction::Id(id) => Self::Id(id),
            StoredTransaction::Text(text) => Self::Text(text),
        }
    }
}

impl From<&Reservation> for StoredReservation {
    fn from(reservation: &Reservation) -> Self {
        Self {
            player: reservation.player.0,
            item: reservation.item.name(),
            count: reservation.count,
            cost: reservation.cost,
            planets: reservation.planets.iter().map(|planet| planet.0).collect(),
            is_first: reservation.is_first,
        }
    }
}

impl StoredReservation {
    fn read(self) -> Result<Reservation, UnreadableChange> {
        Ok(Reservation {
            player: PlayerId(self.player),
            item: Item::find(&self.item).ok_or_else(|| unknown("item", &self.item))?,
            count: self.count,
            cost: self.cost,
            planets: self.planets.into_iter().map(PlanetId).collect(),
            is_first: self.is_first,
        })
    }
}
