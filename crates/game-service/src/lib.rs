//! The game service: creates, changes, starts and ends games, keeps the rounds' time, and tells everybody.
//! This file builds it from its parts; the executable decides where it listens and when it stops.

pub mod app;
mod batch_metrics;
mod domain;
mod gateways;
mod health;
mod http;
pub mod ports;
mod schedule_metrics;
mod service_clock;
mod store;
mod tasks;
mod wire;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use starkeep_contract::Dialect;
use starkeep_game_core::Policy;
use starkeep_platform::chance::Chance;
use starkeep_platform::cleanup::Cleanup;
use starkeep_platform::clock::Clock;
use starkeep_platform::consumer::TopicConsumers;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::{CommonRoutes, CorsOrigin, with_common_routes};
use starkeep_platform::http::events::EventFeed;
use starkeep_platform::http::idempotency::IdempotencyLayer;
use starkeep_platform::http::metrics::Metrics;
use starkeep_platform::relay::{Relay, RelayMetrics, RelayStart, RelayStatus, Topics};
use starkeep_platform::retention::{Retention, RetentionPolicy};
use starkeep_platform::sqlite::{OpenError, inspect};
use starkeep_platform::tasks::{Leader, Stop};

use self::app::App;
pub use self::app::OtherServices;
use self::domain::Games;
pub use self::gateways::{HttpExecutor, HttpMap};
use self::store::sqlite::SqliteGames;
use self::tasks::MapProbe;
pub use self::tasks::{Dispatcher, Reconciler, RobotEventConsumer, RoundClock};
use self::wire::Wire;
pub use starkeep_http_client::{BadServiceUrl, ServiceUrl};

pub struct Config {
    pub dialect: Dialect,
    pub admin_token: AdminToken,
    pub cors: CorsOrigin,
    /// How many games may run at a time.
    pub max_running_games: u32,
    pub keep_events: RetentionPolicy,
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
    ear: Option<RobotEventConsumer>,
}

impl GameService {
    /// Opens the store and takes back what an earlier process left unfinished.
    pub async fn open(
        data_file: &Path,
        config: Config,
        other_services: OtherServices,
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
            other_services,
            clock,
            chance,
            policy,
            Wire { dialect: config.dialect },
            config.admin_token.clone(),
        );
        Reconciler::new(app.clone()).take_back_intents().await.map_err(OpenError::Unwritable)?;
        let noted = app.mark_interrupted_batches().await;
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
        beginning: RelayStart,
    ) -> Result<Self, OpenError> {
        let (store, clock) = (self.app.store.common_store(), self.app.clock.clone());
        let relay = Relay::open(store, topics, wire::CHANNELS, clock, beginning).await;
        let relay = Arc::new(relay.map_err(OpenError::Unwritable)?);
        let figures = RelayMetrics(relay.status());
        self.metrics.register(|registry| registry.register_collector(Box::new(figures)));
        self.relay = Some(relay);
        Ok(self)
    }

    /// Hears of robots from what their service publishes.
    #[must_use]
    pub fn listening_to(mut self, broker: Arc<dyn TopicConsumers>) -> Self {
        let ear = RobotEventConsumer::new(self.app.clone(), broker);
        self.metrics.register(|registry| ear.register(registry));
        self.ear = Some(ear);
        self
    }

    /// Refuses a data file that cannot be opened by this version, without touching it.
    pub fn inspect(data_file: &Path) -> Result<(), OpenError> {
        inspect::<Games>(data_file)
    }

    pub fn router(&self, leader: &Leader) -> Router {
        let common_store = self.app.store.common_store();
        let (log, pages) = common_store.log();
        let clock = self.app.clock.clone();
        let feed =
            EventFeed { log, pages, channels: wire::CHANNELS, clock: clock.clone(), stop: leader.stop() };
        let repeats = IdempotencyLayer::new(common_store, clock);
        let routes = http::routes(self.app.clone(), self.config.admin_token.clone(), repeats);
        let common = CommonRoutes {
            contract: http::contract(),
            health: health::check(self.app.clone(), leader.clone(), self.relayed()),
            feed,
            metrics: self.metrics.clone(),
            cors: self.config.cors.clone(),
        };
        with_common_routes(routes, common)
    }

    /// The rounds' clock, the care for what two services share, and the relay and the ear, if they are on.
    pub fn start_background(&self, leader: &Leader) {
        self.round_clock().start(leader);
        self.reconciler().start(leader);
        self.dispatcher(leader.stop()).start(leader);
        MapProbe::new(self.app.clone()).start(leader);
        let (common_store, clock) = (self.app.store.common_store(), self.app.clock.clone());
        Cleanup::new(common_store.clone(), clock.clone()).start(leader);
        Retention::new(common_store, clock, self.config.keep_events).behind(self.relayed()).start(leader);
        if let Some(relay) = &self.relay {
            relay.clone().start(leader);
        }
        if let Some(ear) = &self.ear {
            ear.clone().start(leader);
        }
    }

    fn relayed(&self) -> Option<Arc<RelayStatus>> {
        self.relay.as_ref().map(|relay| relay.status())
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
    pub fn reconciler(&self) -> Reconciler {
        Reconciler::new(self.app.clone())
    }

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// The OpenAPI document, generated from the handlers.
    pub fn contract() -> utoipa::openapi::OpenApi {
        http::contract()
    }
}
