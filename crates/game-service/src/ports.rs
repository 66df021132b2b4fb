//! What the use cases need from outside, in the domain's words: a store, a map service, and who carries commands out.
//! No driver, socket or JSON shows in a signature.

mod lookups;
mod records;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_game_core::{
    Command, CommandId, Game, GameId, Kind, MadeWorld, Player, PlayerId, ReplenishmentMode, Retirement,
    Robot, RobotId, RoundId, Standing, WorldId,
};
use starkeep_platform::decision::{Failure, StoreFault};
use starkeep_platform::relay::BrokerSilent;
use starkeep_platform::store::Store as PlatformStore;
use uuid::Uuid;

pub use self::lookups::{LookupFault, Lookups, SeenByPlayer};
pub use self::records::{RecordedEvent, RecordedEvents, RecordedWorld, Records};
pub use crate::domain::PlayerSearch;
use crate::domain::{BatchState, CommandResult, Games, Known, Rejection};

pub trait Store: PlatformStore<Games> {
    /// An ended game.
    fn ended_game(&self, id: GameId) -> BoxFuture<'_, Result<Option<Game>, Unreadable>>;

    /// Ended games, newest first, after the given one.
    fn ended_games(&self, after: Option<Age>, limit: usize) -> BoxFuture<'_, Result<Vec<Game>, Unreadable>>;

    /// The ids of all ended games, in no order.
    fn ended_game_ids(&self) -> BoxFuture<'_, Result<Vec<GameId>, Unreadable>>;

    /// A command, and what has become of it.
    fn command(&self, id: CommandId) -> BoxFuture<'_, Result<Option<KeptCommand>, Unreadable>>;

    /// What has become of the commands of a round, in the order in which they were taken; without those that were replaced.
    fn carried_out(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Vec<KeptCommand>, Unreadable>>;

    /// A round that there was, with its commands.
    fn round(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Option<KeptRound>, Unreadable>>;

    /// How the players of a game stood when the last round was scored, in no order; None if nothing was ever told of the game.
    fn standings(&self, game: GameId) -> BoxFuture<'_, Result<Option<KeptStandings>, Unreadable>>;

    /// How they stood at the end of each round that is scored, in the order of the rounds.
    fn scores(&self, game: GameId) -> BoxFuture<'_, Result<Vec<KeptScore>, Unreadable>>;

    /// The players whom these find, in no order.
    fn players(&self, searches: Vec<PlayerSearch>) -> BoxFuture<'_, Result<Vec<Player>, Unreadable>>;

    /// What is known of these robots, in no order; nothing of those that were never reported.
    fn robots(&self, ids: Vec<RobotId>) -> BoxFuture<'_, Result<Vec<(RobotId, Robot)>, Unreadable>>;
}

/// Orders games by age: when it was created, and its id where two were at once.
pub type Age = (Timestamp, GameId);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCommand {
    pub command: Command,
    /// By a later one for the same robot.
    pub replaced: bool,
    /// Of its batch; none while that has not been begun.
    pub batch: Option<BatchState>,
    /// None while it is not known.
    pub result: Option<CommandResult>,
}

/// How each of these players stands, in no order.
pub type KeptStandings = Vec<(PlayerId, Standing)>;

/// How a player stood at the end of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptScore {
    pub round: u32,
    pub player: PlayerId,
    pub money: Option<u64>,
    pub robots_alive: u32,
    /// Of all resources together.
    pub mined: u64,
    pub fights_won: u32,
    pub known: Known,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRound {
    pub id: RoundId,
    /// In the order in which they were taken, without those that were replaced.
    pub commands: Vec<Command>,
}

/// The database could not be asked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl From<StoreFault> for Unreadable {
    fn from(fault: StoreFault) -> Self {
        Self(fault.to_string())
    }
}

/// The map service.
pub trait MapGateway: Send + Sync + 'static {
    /// Makes a world. Asking again with the same id gives the same world.
    fn make(&self, order: WorldOrder) -> BoxFuture<'_, Result<MadeWorld, MapFault>>;

    /// What the map says of the world; None if it has no such one.
    fn look_up(&self, world: WorldId) -> BoxFuture<'_, Result<Option<KnownWorld>, MapFault>>;

    /// Has the deposits of the world replenished, after that round. Asking again with the same key does nothing more.
    fn replenish(&self, world: WorldId, round: u32, key: Uuid) -> BoxFuture<'_, Result<(), MapFault>>;

    /// Asks whether the map is there and can work. It is not waited for as long as an order may take.
    fn probe(&self) -> BoxFuture<'_, Result<(), MapFault>>;

    /// Why the last call failed, if it did.
    fn fault(&self) -> Option<MapFault>;

    /// Tells the map that nobody plays in the world any longer. Telling it again is harmless.
    fn retire(&self, retirement: Retirement) -> BoxFuture<'_, Result<(), MapFault>>;
}

/// The world that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldOrder {
    pub id: WorldId,
    pub players: u32,
    pub rounds: u32,
    pub seed: Option<u64>,
    pub nonce: Option<String>,
    pub style: Option<String>,
}

/// A world that the map has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownWorld {
    pub is_active: bool,
    pub replenishment: ReplenishmentMode,
}

/// Why the map did not do as asked; whether it did all the same is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapFault {
    #[error("the map service at {url} does not answer: {reason}")]
    Away { url: String, reason: String },
    #[error("the map service at {url} refuses with {status}: {reason}")]
    Refused { url: String, status: u16, reason: String },
}

impl MapFault {
    /// Would the same call be refused again, however often it is sent?
    pub fn is_final(&self) -> bool {
        match self {
            Self::Away { .. } => false,
            // Too slow, too many: not the call itself.
            Self::Refused { status, .. } => (400..500).contains(status) && !matches!(status, 408 | 429),
        }
    }
}

/// Whoever carries commands out: the trading service, or the robot service. Those of the existing stack do not recognise a batch that
/// they have seen.
pub trait Executor: Send + Sync + 'static {
    /// Hands over a batch, once. A connection that does not come about in the time that is left is given up: later the batch
    /// would arrive in another round. The answer is waited for as long as it takes; the time-out is the caller's.
    fn take<'a>(&'a self, batch: &'a Batch, time_left: Duration) -> BoxFuture<'a, Result<Taken, BatchFault>>;

    /// Asks how it is; the reason if it does not answer. It is not waited for as long as a batch may take.
    fn probe(&self) -> BoxFuture<'_, Result<ExecutorHealth, String>>;
}

/// What an executor says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutorHealth {
    /// It carries a batch out once, however often it comes.
    pub executes_once: bool,
    /// What is wrong with it, if anything is.
    pub fault: Option<String>,
}

/// The robot service, asked for a robot that it has not told of.
pub trait RobotDirectory: Send + Sync + 'static {
    /// What it says of the robot; None if it has none with this id. The error says why that is not known.
    fn find(&self, robot: RobotId) -> BoxFuture<'_, Result<Option<FoundRobot>, String>>;
}

/// A robot that exists, or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundRobot {
    pub owner: PlayerId,
    pub alive: bool,
    /// Its game, where the service says it: ours do.
    pub game: Option<GameId>,
}

/// The commands of one kind and round.
#[derive(Clone, Debug)]
pub struct Batch {
    pub game: GameId,
    pub round: u32,
    /// What the round's random choices are drawn from.
    pub seed: u64,
    pub kind: Kind,
    /// In the order in which they were taken.
    pub commands: Vec<Arc<Command>>,
}

/// A batch was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Where the executor's log stood afterwards, if it says so.
    pub position: Option<String>,
}

/// Why a batch was not taken, by what is certain about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchFault {
    /// No connection came about: it has not arrived.
    #[error("no connection: {0}")]
    NotReached(String),
    /// It was turned down as a whole: nothing of it is carried out.
    #[error("turned down: {0}")]
    TurnedDown(String),
    /// The executor says that nothing was carried out yet and that it may come again. Only the word of one counts that
    /// carries a batch out once.
    #[error("not carried out yet: {0}")]
    NotNow(String),
    /// It may have arrived, in whole or in part.
    #[error("unclear whether it arrived: {0}")]
    Unclear(String),
}

/// Why something that crosses two services did not come about. Nothing of it stays behind for long.
#[derive(Debug)]
pub enum IntentFailure {
    Store(Failure<Rejection>),
    Map(MapFault),
    /// What has to be in Kafka beforehand did not get there.
    Kafka(BrokerSilent),
}

impl From<starkeep_game_core::Rejection> for IntentFailure {
    fn from(rule: starkeep_game_core::Rejection) -> Self {
        Self::Store(Failure::Rejected(rule.into()))
    }
}

impl From<Failure<Rejection>> for IntentFailure {
    fn from(failure: Failure<Rejection>) -> Self {
        Self::Store(failure)
    }
}
