//! The serialised form of changes: JSON of a version that is written into it, strict about what it does not know.
//! Replicas and replays read it, so a form that was ever written stays readable: what differs gets another version.

mod commands;
mod games;
mod intents;
mod scores;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use starkeep_game_core::{
    GameId, Moment, Player, PlayerId, RecoveryCodeHash, Retire, Retirement, Robot, RobotGame, RobotId, Token,
    WorldId,
};
use starkeep_platform::domain::{ChangeCodec, UnreadableChange};
use starkeep_platform::intent::IntentId;
use starkeep_platform::replica::ReplicaId;
use uuid::Uuid;

use self::commands::{BatchForm, BatchStateForm, NewCommandForm};
use self::games::{GameForm, MoveForm};
use self::intents::IntentForm;
pub(super) use self::intents::WorldCallForm;
use self::scores::{NewsForm, ScoreForm};
use crate::domain::{Change, Games, Known, Sender};

impl ChangeCodec for Games {
    fn encode(change: &Change) -> Vec<u8> {
        let form = Versioned { v: Version, change: change.into() };
        serde_json::to_vec(&form).expect("a change is plain data")
    }

    fn decode(bytes: &[u8]) -> Result<Change, UnreadableChange> {
        let form = serde_json::from_slice(bytes);
        form.map(|form: Versioned| form.change.into()).map_err(|fault| UnreadableChange(fault.to_string()))
    }
}

/// The version comes first, so that a newer form is refused for what it is and not for the first field that differs.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Versioned {
    v: Version,
    change: Form,
}

const VERSION: u32 = 1;

#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Version;

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        if version == VERSION {
            return Ok(Self);
        }
        Err(format!("it has version {version}, this program knows {VERSION}"))
    }
}

impl From<Version> for u32 {
    fn from(_: Version) -> Self {
        VERSION
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Form {
    GameCreated {
        game: Box<GameForm>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        intent: Option<Uuid>,
    },
    GameMoved(Box<MoveForm>),
    GameDeleted {
        game: Uuid,
        retire: Vec<RetirementForm>,
    },
    CreationBegun(IntentForm),
    CreationWithdrawn {
        intent: Uuid,
        retire: Vec<RetirementForm>,
    },
    WorldAbandoned(RetirementForm),
    WorldRetired(RetirementForm),
    ReplenishmentSettled {
        intent: Uuid,
    },
    /// Moments are nanoseconds of service time.
    Heartbeat {
        at: u64,
        wall: Timestamp,
        shifted: Vec<(Uuid, u64)>,
    },
    PlayerRegistered {
        id: Uuid,
        name: String,
        mail: String,
        token: Uuid,
        /// The salt, and the halves of the hash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recovery_code: Option<[Uuid; 3]>,
    },
    TokenRenewed {
        player: Uuid,
        token: Uuid,
    },
    RobotsReported {
        robots: Vec<RobotForm>,
        living: i64,
        position: Option<(String, String)>,
    },
    CommandsTaken(Vec<NewCommandForm>),
    BatchBegun {
        batch: BatchForm,
        sender: Option<Uuid>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        executes_once: bool,
    },
    BatchResumed {
        batch: BatchForm,
        sender: Uuid,
    },
    BatchSettled {
        batch: BatchForm,
        state: BatchStateForm,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<String>,
    },
    BatchesInterrupted(Vec<BatchForm>),
    ExecutorNewsRecorded(Box<NewsForm>),
    RoundScored {
        game: Uuid,
        round: u32,
        rows: Vec<ScoreForm>,
        #[serde(default = "all_known")]
        known: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        news: Option<Box<NewsForm>>,
    },
}

fn all_known() -> u8 {
    Known::ALL.bits()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RetirementForm {
    world: Uuid,
    how: RetireForm,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum RetireForm {
    Deactivate,
    Seal,
    Delete,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RobotForm {
    id: Uuid,
    owner: Option<Uuid>,
    alive: bool,
    /// None: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<RobotGameForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum RobotGameForm {
    Next,
    Only(Uuid),
    Own(Uuid),
    Past,
}

impl From<&Change> for Form {
    fn from(change: &Change) -> Self {
        match change {
            Change::GameCreated { game, intent } => Self::GameCreated {
                game: Box::new(game.as_ref().into()),
                intent: intent.map(|intent| intent.0),
            },
            Change::GameMoved(moved) => Self::GameMoved(Box::new(moved.as_ref().into())),
            Change::GameDeleted { game, retire } => {
                Self::GameDeleted { game: game.0, retire: retire.iter().map(Into::into).collect() }
            }
            Change::CreationBegun(intent) => Self::CreationBegun(intent.into()),
            Change::CreationWithdrawn { intent, retire } => {
                Self::CreationWithdrawn { intent: intent.0, retire: retire.iter().map(Into::into).collect() }
            }
            Change::WorldAbandoned(retirement) => Self::WorldAbandoned(retirement.into()),
            Change::WorldRetired(retirement) => Self::WorldRetired(retirement.into()),
            Change::ReplenishmentSettled(intent) => Self::ReplenishmentSettled { intent: intent.0 },
            Change::Heartbeat { at, wall, shifted } => {
                let shifted = shifted.iter().map(|(game, since)| (game.0, since.0)).collect();
                Self::Heartbeat { at: at.0, wall: *wall, shifted }
            }
            Change::PlayerRegistered(Player { id, name, mail, token, recovery_code }) => {
                Self::PlayerRegistered {
                    id: id.0,
                    name: name.clone(),
                    mail: mail.clone(),
                    token: token.0,
                    recovery_code: recovery_code.map(form_of_code),
                }
            }
            Change::TokenRenewed { player, token } => Self::TokenRenewed { player: player.0, token: token.0 },
            Change::RobotsReported { robots, living, position } => Self::RobotsReported {
                robots: robots.iter().map(Into::into).collect(),
                living: *living,
                position: position.clone(),
            },
            Change::CommandsTaken(taken) => Self::CommandsTaken(taken.iter().map(Into::into).collect()),
            Change::BatchBegun { batch, sender } => Self::BatchBegun {
                batch: batch.into(),
                sender: sender.map(|sender| sender.replica.0),
                executes_once: sender.is_some_and(|sender| sender.executes_once),
            },
            Change::BatchResumed { batch, sender } => {
                Self::BatchResumed { batch: batch.into(), sender: sender.0 }
            }
            Change::BatchSettled { batch, state, position } => {
                Self::BatchSettled { batch: batch.into(), state: (*state).into(), position: position.clone() }
            }
            Change::BatchesInterrupted(batches) => {
                Self::BatchesInterrupted(batches.iter().map(Into::into).collect())
            }
            Change::ExecutorNewsRecorded(news) => Self::ExecutorNewsRecorded(Box::new((&**news).into())),
            Change::RoundScored { game, round, rows, known, news } => {
                let rows = rows.iter().map(|(player, standing)| ScoreForm::of(*player, *standing)).collect();
                let news = news.as_deref().map(|news| Box::new(news.into()));
                Self::RoundScored { game: game.0, round: *round, rows, known: known.bits(), news }
            }
        }
    }
}

impl From<Form> for Change {
    fn from(form: Form) -> Self {
        match form {
            Form::GameCreated { game, intent } => {
                Self::GameCreated { game: Box::new((*game).into()), intent: intent.map(IntentId) }
            }
            Form::GameMoved(moved) => Self::GameMoved(Box::new((*moved).into())),
            Form::GameDeleted { game, retire } => {
                Self::GameDeleted { game: GameId(game), retire: retire.into_iter().map(Into::into).collect() }
            }
            Form::CreationBegun(intent) => Self::CreationBegun(intent.into()),
            Form::CreationWithdrawn { intent, retire } => Self::CreationWithdrawn {
                intent: IntentId(intent),
                retire: retire.into_iter().map(Into::into).collect(),
            },
            Form::WorldAbandoned(retirement) => Self::WorldAbandoned(retirement.into()),
            Form::WorldRetired(retirement) => Self::WorldRetired(retirement.into()),
            Form::ReplenishmentSettled { intent } => Self::ReplenishmentSettled(IntentId(intent)),
            Form::Heartbeat { at, wall, shifted } => {
                let shifted = shifted.into_iter().map(|(game, since)| (GameId(game), Moment(since)));
                Self::Heartbeat { at: Moment(at), wall, shifted: shifted.collect() }
            }
            Form::PlayerRegistered { id, name, mail, token, recovery_code } => {
                let recovery_code = recovery_code.map(code_of_form);
                Self::PlayerRegistered(Player {
                    id: PlayerId(id),
                    name,
                    mail,
                    token: Token(token),
                    recovery_code,
                })
            }
            Form::TokenRenewed { player, token } => {
                Self::TokenRenewed { player: PlayerId(player), token: Token(token) }
            }
            Form::RobotsReported { robots, living, position } => {
                let robots = robots.into_iter().map(Into::into).collect();
                Self::RobotsReported { robots, living, position }
            }
            Form::CommandsTaken(taken) => Self::CommandsTaken(taken.into_iter().map(Into::into).collect()),
            Form::BatchBegun { batch, sender, executes_once } => {
                let sender = sender.map(|replica| Sender { replica: ReplicaId(replica), executes_once });
                Self::BatchBegun { batch: batch.into(), sender }
            }
            Form::BatchResumed { batch, sender } => {
                Self::BatchResumed { batch: batch.into(), sender: ReplicaId(sender) }
            }
            Form::BatchSettled { batch, state, position } => {
                Self::BatchSettled { batch: batch.into(), state: state.into(), position }
            }
            Form::BatchesInterrupted(batches) => {
                Self::BatchesInterrupted(batches.into_iter().map(Into::into).collect())
            }
            Form::ExecutorNewsRecorded(news) => Self::ExecutorNewsRecorded(Box::new((*news).into())),
            Form::RoundScored { game, round, rows, known, news } => {
                let rows = rows.into_iter().map(ScoreForm::read).collect();
                let news = news.map(|news| Box::new((*news).into()));
                Self::RoundScored { game: GameId(game), round, rows, known: Known::from_bits(known), news }
            }
        }
    }
}

fn form_of_code(code: RecoveryCodeHash) -> [Uuid; 3] {
    let bytes = code.to_bytes();
    let (parts, _) = bytes.as_chunks();
    std::array::from_fn(|place| Uuid::from_bytes(parts[place]))
}

fn code_of_form(form: [Uuid; 3]) -> RecoveryCodeHash {
    let mut bytes = [0; RecoveryCodeHash::LENGTH];
    for (part, written) in bytes.as_chunks_mut().0.iter_mut().zip(form) {
        *part = written.into_bytes();
    }
    RecoveryCodeHash::from_bytes(bytes)
}

impl From<&Retirement> for RetirementForm {
    fn from(Retirement { world, how }: &Retirement) -> Self {
        let how = match how {
            Retire::Deactivate => RetireForm::Deactivate,
            Retire::Seal => RetireForm::Seal,
            Retire::Delete => RetireForm::Delete,
        };
        Self { world: world.0, how }
    }
}

impl From<RetirementForm> for Retirement {
    fn from(RetirementForm { world, how }: RetirementForm) -> Self {
        let how = match how {
            RetireForm::Deactivate => Retire::Deactivate,
            RetireForm::Seal => Retire::Seal,
            RetireForm::Delete => Retire::Delete,
        };
        Self { world: WorldId(world), how }
    }
}

impl From<&(RobotId, Robot)> for RobotForm {
    fn from((id, Robot { owner, alive, game }): &(RobotId, Robot)) -> Self {
        let game = match game {
            RobotGame::Any => None,
            RobotGame::Next => Some(RobotGameForm::Next),
            RobotGame::Only(game) => Some(RobotGameForm::Only(game.0)),
            RobotGame::Own(game) => Some(RobotGameForm::Own(game.0)),
            RobotGame::Past => Some(RobotGameForm::Past),
        };
        Self { id: id.0, owner: owner.map(|owner| owner.0), alive: *alive, game }
    }
}

impl From<RobotForm> for (RobotId, Robot) {
    fn from(RobotForm { id, owner, alive, game }: RobotForm) -> Self {
        let game = match game {
            None => RobotGame::Any,
            Some(RobotGameForm::Next) => RobotGame::Next,
            Some(RobotGameForm::Only(game)) => RobotGame::Only(GameId(game)),
            Some(RobotGameForm::Own(game)) => RobotGame::Own(GameId(game)),
            Some(RobotGameForm::Past) => RobotGame::Past,
        };
        (RobotId(id), Robot { owner: owner.map(PlayerId), alive, game })
    }
}
