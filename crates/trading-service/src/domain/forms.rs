//! Forms of what several entities and changes have in them: waves, and the commands and purchases of which they are made.
//! The types here are not the domain's, so that a renamed field there never changes what was written before.

use serde::{Deserialize, Serialize};
use starkeep_platform::domain::UnreadableChange;
use starkeep_trading_core::{GameId, Item, PlanetId, PlayerId, Reservation, RobotId};
use uuid::Uuid;

use super::transaction::Transaction;
use super::wave::{Order, Side, Step, Wave};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredWave {
    game: Uuid,
    price_round: u32,
    round: Option<u32>,
    seed: Option<u64>,
    steps: Vec<StoredStep>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredStep {
    transaction: Option<StoredTransaction>,
    side: StoredSide,
    player: Option<Uuid>,
    robot: Option<Uuid>,
    order: StoredOrder,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoredTransaction {
    Id(Uuid),
    Text(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoredSide {
    Buy,
    Sell,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum StoredOrder {
    Refused(String),
    Buy(StoredReservation),
    Sell { player: Uuid, robot: Uuid },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredReservation {
    player: Uuid,
    item: String,
    count: u32,
    cost: u64,
    planets: Vec<Uuid>,
    is_first: bool,
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
    pub(crate) fn read(self) -> Result<Wave, UnreadableChange> {
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
    pub(crate) fn read(self) -> Result<Step, UnreadableChange> {
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
    pub(crate) fn read(self) -> Result<Reservation, UnreadableChange> {
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

fn unknown(what: &str, word: &str) -> UnreadableChange {
    UnreadableChange(format!("`{word}` is no {what}"))
}
