//! The use cases of the trading service: each asks the clock and chance first, then has one decision committed.
//! The rules are the core's; requests and answers are translated by the handlers and `wire`.

mod batch;
mod calls;
mod open_waves;
mod reading;
mod recording;
mod streams;
mod waves;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_executor::{GameLocks, Reachability};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::{Decision, Failure, apply};
use starkeep_platform::events::{Log, Pages, Position};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::store::{CommonStore, Store};
use tokio::sync::watch;

pub(crate) use self::batch::BatchFailure;
use crate::domain::{Image, Rejection, Stream, Trading};
use crate::metrics::TradingMetrics;
use crate::ports::{Others, Robots};

pub(crate) struct App {
    pub(crate) dialect: Dialect,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) robots: Option<Arc<dyn Robots>>,
    pub(crate) others: Arc<dyn Others>,
    store: Arc<dyn Store<Trading>>,
    log: (Arc<Log>, Arc<dyn Pages>),
    replica: ReplicaId,
    /// The store, as far as it says who leads and who else runs.
    replicas: Arc<dyn CommonStore>,
    chance: Arc<dyn Chance>,
    /// How long one call to the robot service may take.
    robot_timeout: Duration,
    metrics: TradingMetrics,
    locks: GameLocks,
    robot_reachability: Reachability,
    /// Why the games cannot be brought up to date after a gap.
    rebuild_fault: Mutex<Option<String>>,
    /// Whether the game service's events arrive; nothing where they are not followed.
    game_is_reached: Mutex<Option<watch::Receiver<bool>>>,
    /// How far the game service's events reached when the games were last asked for.
    asked_until: Mutex<Option<Position>>,
}

pub(crate) type Outcome<T> = Result<T, Failure<Rejection>>;

/// What the use cases work with.
pub(crate) struct Parts {
    pub(crate) dialect: Dialect,
    pub(crate) store: Arc<dyn Store<Trading>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) robots: Option<Arc<dyn Robots>>,
    pub(crate) others: Arc<dyn Others>,
    pub(crate) robot_timeout: Duration,
    pub(crate) metrics: TradingMetrics,
}

impl App {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { dialect, store, clock, chance, robots, others, robot_timeout, metrics } = parts;
        let common = store.clone().common();
        Self {
            dialect,
            clock,
            robots,
            others,
            log: common.log(),
            replica: common.replica(),
            replicas: common,
            store,
            chance,
            robot_timeout,
            metrics,
            locks: GameLocks::default(),
            robot_reachability: Reachability::default(),
            rebuild_fault: Mutex::default(),
            game_is_reached: Mutex::default(),
            asked_until: Mutex::default(),
        }
    }

    pub(crate) fn image(&self) -> Arc<Image> {
        self.store.image()
    }

    /// Where the reading of another service's events begins.
    pub(crate) fn position(&self, stream: Stream) -> Option<String> {
        self.image().stream(stream).position.clone()
    }

    /// The log's position now: whoever has read up to there has seen what was executed, by whichever replica.
    pub(crate) async fn log_position(&self) -> Result<String, String> {
        self.replicas.catch_up().await.map_err(|fault| fault.to_string())?;
        let (log, pages) = &self.log;
        log.head_position(&**pages).await.map(|position| position.to_string())
    }

    /// How many games there are, and the first of them whose books do not balance.
    pub(crate) fn audit(&self) -> (usize, Result<(), String>) {
        let image = self.image();
        let balance = image.markets.iter().try_for_each(|(game, market)| {
            let open = image.open.get(game);
            let reserved = |player| open.map_or(0, |intent| intent.call.reserved_by(player));
            market.audit(reserved).map_err(|imbalance| format!("game {game}: {imbalance}"))
        });
        (image.markets.len(), balance)
    }

    /// Whoever does not lead does not ask, and what stopped it when it led is no longer true.
    pub(crate) fn rebuild_fault(&self) -> Option<String> {
        self.replicas.lease().current()?;
        self.rebuild_fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The game service's stream is opened anew.
    pub(crate) fn follows_game(&self, is_reached: watch::Receiver<bool>) {
        *self.game_is_reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(is_reached);
    }

    /// False while the game service's stream cannot be reached. A service that does not follow it misses nothing.
    pub(crate) fn receives_game_events(&self) -> bool {
        let stream = self.game_is_reached.lock().unwrap_or_else(PoisonError::into_inner);
        stream.as_ref().is_none_or(|reached| reached.has_changed().is_err() || *reached.borrow())
    }

    async fn apply<T: Send + 'static>(&self, work: Decision<Trading, T>) -> Outcome<T> {
        apply(&*self.store, work).await
    }
}
