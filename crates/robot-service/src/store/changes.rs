//! The serialised form of changes, version 1: JSON with the version in front. Replicas and replays read it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use starkeep_platform::domain::{ChangeCodec, UnreadableChange};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::versioned;
use starkeep_robot_core::{Amounts, Books, CommandId, GameId, RobotId};
use uuid::Uuid;

use super::forms::{GameForm, MiningCallForm, OrderForm, RobotForm, SpawnedForm, amounts_form};
use crate::domain::{Change, Mining, ReceivedGame, Robots, RobotsMoved};

const VERSION: u32 = 1;

impl ChangeCodec for Robots {
    fn encode(change: &Change) -> Vec<u8> {
        versioned::encode(VERSION, &StoredChange::from(change))
    }

    fn decode(bytes: &[u8]) -> Result<Change, UnreadableChange> {
        let stored: StoredChange = versioned::decode(VERSION, bytes)?;
        stored.try_into()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredChange {
    #[serde(rename = "heard")]
    Received {
        position: String,
        gap_at_millis: Option<i64>,
        games: Vec<(Uuid, Option<GameForm>)>,
    },
    Robots(Box<StoredMoved>),
    TakenOver {
        minings: Vec<Uuid>,
        by: Uuid,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMoved {
    game: Uuid,
    robots: Vec<RobotForm>,
    destroyed: Vec<Uuid>,
    mined: [u64; 5],
    sold: [u64; 5],
    lost: [u64; 5],
    executed: Vec<Uuid>,
    order: Option<(Uuid, OrderForm)>,
    begun: Vec<StoredMining>,
    settled: Vec<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    untold: Option<StoredSurroundings>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    told: Vec<Uuid>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSurroundings {
    id: Uuid,
    owner: Uuid,
    call: SpawnedForm,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMining {
    id: Uuid,
    owner: Uuid,
    call: MiningCallForm,
}

impl From<&Change> for StoredChange {
    fn from(change: &Change) -> Self {
        match change {
            Change::Received { position, gap, games } => {
                let form = |game: &ReceivedGame| (game.id.0, game.state.as_ref().map(GameForm::from));
                Self::Received {
                    position: position.clone(),
                    gap_at_millis: gap.map(Timestamp::as_millisecond),
                    games: games.iter().map(form).collect(),
                }
            }
            Change::Robots(moved) => Self::Robots(Box::new((&**moved).into())),
            Change::TakenOver { minings, by } => {
                Self::TakenOver { minings: minings.iter().map(|mining| mining.0).collect(), by: by.0 }
            }
        }
    }
}

impl From<&RobotsMoved> for StoredMoved {
    fn from(moved: &RobotsMoved) -> Self {
        let mining = |mining: &Mining| StoredMining {
            id: mining.id.0,
            owner: mining.owner.0,
            call: (&mining.call).into(),
        };
        Self {
            game: moved.game.0,
            robots: moved.robots.iter().map(RobotForm::from).collect(),
            destroyed: moved.destroyed.iter().map(|robot| robot.0).collect(),
            mined: amounts_form(moved.books.mined),
            sold: amounts_form(moved.books.sold),
            lost: amounts_form(moved.books.lost),
            executed: moved.executed.iter().map(|command| command.0).collect(),
            order: moved.order.as_ref().map(|(transaction, order)| (transaction.0, order.into())),
            begun: moved.begun.iter().map(mining).collect(),
            settled: moved.settled.iter().map(|mining| mining.0).collect(),
            untold: moved.untold.as_ref().map(|untold| StoredSurroundings {
                id: untold.id.0,
                owner: untold.owner.0,
                call: (&untold.call).into(),
            }),
            told: moved.told.iter().map(|told| told.0).collect(),
        }
    }
}

impl TryFrom<StoredChange> for Change {
    type Error = UnreadableChange;

    fn try_from(stored: StoredChange) -> Result<Self, UnreadableChange> {
        Ok(match stored {
            StoredChange::Received { position, gap_at_millis, games } => {
                let game = |(id, form): (Uuid, Option<GameForm>)| {
                    let state = form.map(TryInto::try_into).transpose()?;
                    Ok(ReceivedGame { id: GameId(id), state })
                };
                let games = games.into_iter().map(game).collect::<Result<_, UnreadableChange>>()?;
                let gap = gap_at_millis.map(Timestamp::from_millisecond).transpose();
                let gap = gap.map_err(|fault| UnreadableChange(fault.to_string()))?;
                Self::Received { position, gap, games }
            }
            StoredChange::Robots(moved) => RobotsMoved::try_from(*moved)?.into(),
            StoredChange::TakenOver { minings, by } => {
                Self::TakenOver { minings: minings.into_iter().map(IntentId).collect(), by: ReplicaId(by) }
            }
        })
    }
}

impl TryFrom<StoredMoved> for RobotsMoved {
    type Error = UnreadableChange;

    fn try_from(stored: StoredMoved) -> Result<Self, UnreadableChange> {
        let mining = |mining: StoredMining| {
            let call = mining.call.try_into()?;
            Ok(Intent { id: IntentId(mining.id), owner: ReplicaId(mining.owner), call })
        };
        let order = match stored.order {
            None => None,
            Some((transaction, order)) => Some((CommandId(transaction), order.try_into()?)),
        };
        Ok(Self {
            game: GameId(stored.game),
            robots: stored.robots.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            destroyed: stored.destroyed.into_iter().map(RobotId).collect(),
            books: Books {
                mined: Amounts::new(stored.mined),
                sold: Amounts::new(stored.sold),
                lost: Amounts::new(stored.lost),
            },
            executed: stored.executed.into_iter().map(CommandId).collect(),
            order,
            begun: stored.begun.into_iter().map(mining).collect::<Result<_, UnreadableChange>>()?,
            settled: stored.settled.into_iter().map(IntentId).collect(),
            untold: stored.untold.map(|StoredSurroundings { id, owner, call }| Intent {
                id: IntentId(id),
                owner: ReplicaId(owner),
                call: call.into(),
            }),
            told: stored.told.into_iter().map(IntentId).collect(),
        })
    }
}

#[cfg(test)]
mod tests;
