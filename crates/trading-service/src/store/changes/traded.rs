//! Trades in their serialised form.

use serde::{Deserialize, Serialize};
use starkeep_platform::domain::UnreadableChange;
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_trading_core::{Amounts, GameId, PlayerId, ResourceKind};
use uuid::Uuid;

use crate::domain::forms::{StoredReservation, StoredTransaction, StoredWave};
use crate::domain::{Begun, Booking, Traded, Transaction};

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
