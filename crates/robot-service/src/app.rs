//! The use cases of the robot service: each asks the clock, chance and other services first, then has one decision committed.
//! The rules are the core's; requests and answers are translated by the handlers and `wire`.

mod admission;
mod batches;
mod fighting;
mod mining;
mod moving;
mod open_minings;
mod orders;
mod planets;
mod read_ahead;
mod reading;
mod recording;
mod regenerating;
mod settling;
mod spawning;
mod surroundings;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_executor::{GameLocks, Reachability};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::{Decision, Failure, apply};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::store::CommonStore;
use starkeep_robot_core::{Fleet, GameId, Robot, RobotId};
use tokio::sync::watch;

pub(crate) use self::batches::Commands;
use self::read_ahead::ReadAhead;
pub(crate) use self::recording::ReceivedItem;
pub(crate) use self::spawning::SpawnRequest;
use crate::domain::{Rejection, Robots};
use crate::metrics::RobotMetrics;
use crate::ports::{GameService, Map, Store};
use crate::wire::events::Envelope;

/// How many calls to the map are under way at once. Minings that are waiting together share the map's commit.
const CALLS_AT_A_TIME: usize = 64;

pub(crate) struct App {
    pub(crate) settings: Settings,
    store: Arc<dyn Store>,
    /// The same store, as far as it says who leads and who else runs.
    replicas: Arc<dyn CommonStore>,
    map: Arc<dyn Map>,
    game_service: Arc<dyn GameService>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    metrics: RobotMetrics,
    locks: GameLocks,
    read_ahead: ReadAhead,
    map_reachability: Arc<Reachability>,
    /// Why what was missed of the game service's events is not known yet.
    gap: Mutex<Option<String>>,
    /// Whether the game service's events can be read, once they are followed.
    game_is_reached: Mutex<Option<watch::Receiver<bool>>>,
}

/// What a host decides, as far as the use cases need it.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) dialect: Dialect,
    /// How `movement` calls a space station.
    pub(crate) station_word: Arc<str>,
    /// What a mining costs.
    pub(crate) mining_energy: u32,
    /// How long after the last spawn of a game it is told what is around its new robots; zero: with the spawn.
    pub(crate) neighbours_delay: Duration,
}

/// The other services, as ports.
pub struct Gateways {
    pub map: Arc<dyn Map>,
    pub game: Arc<dyn GameService>,
}

pub(crate) type Outcome<T> = Result<T, Failure<Rejection>>;

impl App {
    pub(crate) fn new(
        settings: Settings,
        store: Arc<dyn Store>,
        gateways: Gateways,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        metrics: RobotMetrics,
    ) -> Self {
        let Gateways { map, game } = gateways;
        Self {
            settings,
            replicas: store.clone().common(),
            store,
            map,
            game_service: game,
            clock,
            chance,
            metrics,
            locks: GameLocks::default(),
            read_ahead: ReadAhead::default(),
            map_reachability: Arc::default(),
            gap: Mutex::default(),
            game_is_reached: Mutex::default(),
        }
    }

    async fn apply<T: Send + 'static>(&self, work: Decision<Robots, T>) -> Outcome<T> {
        apply(&*self.store, work).await
    }

    fn replica(&self) -> ReplicaId {
        self.replicas.replica()
    }

    /// What the events of a decision have in common; drawn before it.
    fn envelope(&self, game: GameId, round: Option<u32>) -> Envelope {
        Envelope { game, round, at: self.clock.wall(), id_seed: self.chance.bits() }
    }
}

/// Those of the robots that are different afterwards, as they then are, each once.
fn changed(before: &Fleet, after: &Fleet, ids: impl IntoIterator<Item = RobotId>) -> Vec<Robot> {
    let mut seen = std::collections::BTreeSet::new();
    let ids = ids.into_iter().filter(|id| seen.insert(*id));
    ids.filter_map(|id| after.get(id).filter(|robot| before.get(id) != Some(robot)).copied()).collect()
}

fn rejected<T>(rejection: Rejection) -> Outcome<T> {
    Err(Failure::Rejected(rejection))
}

/// A decision that found nothing to write has come to the same.
fn or_nothing<T: Default>(outcome: Outcome<T>) -> Outcome<T> {
    match outcome {
        Err(Failure::Rejected(Rejection::NothingToDo)) => Ok(T::default()),
        outcome => outcome,
    }
}
