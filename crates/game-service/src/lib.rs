//! The game service: creates, changes, starts and ends games, keeps the rounds' time, and tells everybody.
//! This file builds it from its parts; the executable decides where it listens and when it stops.

pub mod app;
mod caretaker;
mod deliveries;
mod dispatcher;
mod domain;
mod health;
mod http;
mod map_gateway;
mod map_watch;
pub mod ports;
mod punctuality;
mod receiver_gateway;
mod robot_news;
mod round_clock;
mod service_url;
mod store;
mod timeline;
mod wire;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use starkeep_contract::Dialect;
use starkeep_game_core::Policy;
use starkeep_platform::background::{Leader, Stop};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::housekeeping::CleanUp;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::{Common, CorsOrigin, around};
use starkeep_platform::http::events::Feed;
use starkeep_platform::http::idempotency::Repeats;
use starkeep_platform::http::metrics::Metrics;
use starkeep_platform::listening::Broadcasts;
use starkeep_platform::relay::{Beginning, Figures, Relay, Standing, Topics};
use starkeep_platform::retention::{KeepEvents, Retention};
use starkeep_platform::sqlite::{OpenError, inspect};

use self::app::App;
pub use self::app::Neighbours;
pub use self::caretaker::Caretaker;
pub use self::dispatcher::Dispatcher;
use self::domain::Games;
pub use self::map_gateway::HttpMap;
use self::map_watch::MapWatch;
pub use self::receiver_gateway::HttpReceiver;
pub use self::robot_news::RobotEar;
pub use self::round_clock::RoundClock;
pub use self::service_url::{BadServiceUrl, ServiceUrl};
use self::store::sqlite::SqliteGames;
use self::wire::Wire;

pub struct Config {
    pub dialect: Dialect,
    pub admin_token: AdminToken,
    pub cors: CorsOrigin,
    /// How many games may run at a time.
    pub max_running_games: u32,
    pub keep_events: KeepEvents,
    /// The pause between two batches for the robot service.
    pub batch_gap: Duration,
}

/// The service, built and not yet serving.
#[derive(Clone)]
pub struct GameService {
    app: Arc<App>,
    config: Arc<Config>,
    metrics: Metrics,
    relay: Option<Arc<Relay>>,
    ear: Option<RobotEar>,
}

impl GameService {
    /// Opens the store and takes back what an earlier process left unfinished.
    pub async fn open(
        data_file: &Path,
        config: Config,
        neighbours: Neighbours,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
    ) -> Result<Self, OpenError> {
        let store = Arc::new(SqliteGames::open(data_file, config.max_running_games).await?);
        let policy = match config.dialect {
            Dialect::Standard => Policy::standard(),
            Dialect::Msd => Policy::msd(),
        };
        let policy = policy.with_running_games(config.max_running_games);
        let app = App::new(
            store,
            neighbours,
            clock,
            chance,
            policy,
            Wire { dialect: config.dialect },
            config.admin_token.clone(),
        );
        Caretaker::new(app.clone()).take_back_intents().await.map_err(OpenError::Unwritable)?;
        let noted = app.note_interruption().await;
        noted.map_err(|failure| OpenError::Unwritable(format!("{failure:?}")))?;
        app.note_downtime();
        let metrics = Metrics::new();
        health::register(&app, &metrics);
        Ok(Self { app, config: Arc::new(config), metrics, relay: None, ear: None })
    }

    /// Sends its events on to these topics. Called before anybody is served, so that no event is told unnoticed.
    pub async fn relaying(
        mut self,
        topics: Arc<dyn Topics>,
        beginning: Beginning,
    ) -> Result<Self, OpenError> {
        let (store, clock) = (self.app.store.groundwork(), self.app.clock.clone());
        let relay = Relay::open(store, topics, wire::CHANNELS, clock, beginning).await;
        let relay = Arc::new(relay.map_err(OpenError::Unwritable)?);
        let figures = Figures(relay.standing());
        self.metrics.register(|registry| registry.register_collector(Box::new(figures)));
        self.relay = Some(relay);
        Ok(self)
    }

    /// Hears of robots from what their service publishes.
    #[must_use]
    pub fn listening_to(mut self, broker: Arc<dyn Broadcasts>) -> Self {
        let ear = RobotEar::new(self.app.clone(), broker);
        self.metrics.register(|registry| ear.register(registry));
        self.ear = Some(ear);
        self
    }

    /// Refuses a data file that cannot be opened by this version, without touching it.
    pub fn inspect(data_file: &Path) -> Result<(), OpenError> {
        inspect::<Games>(data_file)
    }

    pub fn router(&self, leader: &Leader) -> Router {
        let groundwork = self.app.store.groundwork();
        let (log, pages) = groundwork.log();
        let clock = self.app.clock.clone();
        let feed = Feed { log, pages, channels: wire::CHANNELS, clock: clock.clone(), stop: leader.stop() };
        let repeats = Repeats::new(groundwork, clock);
        let routes = http::routes(self.app.clone(), self.config.admin_token.clone(), repeats);
        let common = Common {
            contract: http::contract(),
            health: health::check(self.app.clone(), leader.clone(), self.relayed()),
            feed,
            metrics: self.metrics.clone(),
            cors: self.config.cors.clone(),
        };
        around(routes, common)
    }

    /// The rounds' clock, the care for what two services share, and the relay and the ear, if they are on.
    pub fn start_background(&self, leader: &Leader) {
        self.round_clock().start(leader);
        self.caretaker().start(leader);
        self.dispatcher(leader.stop()).start(leader);
        MapWatch::new(self.app.clone()).start(leader);
        let (groundwork, clock) = (self.app.store.groundwork(), self.app.clock.clone());
        CleanUp::new(groundwork.clone(), clock.clone()).start(leader);
        Retention::new(groundwork, clock, self.config.keep_events).behind(self.relayed()).start(leader);
        if let Some(relay) = &self.relay {
            relay.clone().start(leader);
        }
        if let Some(ear) = &self.ear {
            ear.clone().start(leader);
        }
    }

    fn relayed(&self) -> Option<Arc<Standing>> {
        self.relay.as_ref().map(|relay| relay.standing())
    }

    /// For tests, which step it by hand.
    pub fn round_clock(&self) -> RoundClock {
        RoundClock::new(self.app.clone())
    }

    /// For tests, which step it by hand.
    pub fn dispatcher(&self, stop: Stop) -> Dispatcher {
        Dispatcher::new(self.app.clone(), self.config.batch_gap, stop)
    }

    /// For tests, which step it by hand.
    pub fn caretaker(&self) -> Caretaker {
        Caretaker::new(self.app.clone())
    }

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// The OpenAPI document, generated from the handlers.
    pub fn contract() -> utoipa::openapi::OpenApi {
        http::contract()
    }
}
