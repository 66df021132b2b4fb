//! The map service: gameworlds, their planets, minings and replenishment, opened on a data file and offered as a router.
//! Flags, sockets and the process belong to the executable; the rules belong to the core.

mod app;
mod cleaner;
mod domain;
mod health;
mod http;
mod metrics;
mod ports;

mod store;
mod tasks;
mod wire;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use starkeep_contract::Dialect;
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::{CommonRoutes, CorsOrigin, with_common_routes};
use starkeep_platform::http::events::EventFeed;
use starkeep_platform::http::idempotency::IdempotencyLayer;
use starkeep_platform::http::metrics::Metrics;
use starkeep_platform::relay::{Relay, RelayMetrics, RelayStart, RelayStatus, Topics};
use starkeep_platform::retention::{Retention, RetentionPolicy};
pub use starkeep_platform::sqlite::OpenError;
use starkeep_platform::sqlite::inspect;
use starkeep_platform::tasks::Leader;
use utoipa::openapi::OpenApi;

use self::app::App;
use self::cleaner::clean_up;
use self::domain::Maps;
use self::http::Access;
use self::metrics::MapMetrics;
use self::ports::Store;
use self::store::SqliteStore;
pub use self::tasks::{Replenisher, Replenishment};

/// What a host decides about the map service.
#[derive(Clone, Debug)]
pub struct Config {
    pub dialect: Dialect,
    pub admin_token: AdminToken,
    /// Mining needs the admin token, too.
    pub closed_mining: bool,
    pub cors: CorsOrigin,
    /// How often active worlds are replenished; `None` is never.
    pub replenish_every: Option<Duration>,
    pub keep_events: RetentionPolicy,
}

/// The service on its data file. Clones are the same service.
#[derive(Clone)]
pub struct MapService {
    app: Arc<App>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
    config: Config,
    relay: Option<Arc<Relay>>,
}

impl MapService {
    /// Refuses a data file that cannot be opened by this version, without touching it.
    pub fn inspect(data_file: &Path) -> Result<(), OpenError> {
        inspect::<Maps>(data_file)
    }

    /// Opens or makes the data file and brings every active world into memory.
    pub fn open(
        data_file: &Path,
        config: Config,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
    ) -> Result<Self, OpenError> {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(data_file)?);
        let metrics = Metrics::new();
        let tally = MapMetrics::registered(&metrics, &store);
        let app = App::new(config.dialect, store.clone(), clock.clone(), chance, tally);
        Ok(Self { app: Arc::new(app), store, clock, metrics, config, relay: None })
    }

    /// Sends its events on to these topics. Called before anybody is served, so that no event is told unnoticed.
    pub async fn relaying(
        mut self,
        topics: Arc<dyn Topics>,
        beginning: RelayStart,
    ) -> Result<Self, OpenError> {
        let (store, clock) = (self.store.common_store(), self.clock.clone());
        let relay = Relay::open(store, topics, wire::events::CHANNELS, clock, beginning).await;
        let relay = Arc::new(relay.map_err(OpenError::Unwritable)?);
        let figures = RelayMetrics(relay.status());
        self.metrics.register(|registry| registry.register_collector(Box::new(figures)));
        self.relay = Some(relay);
        Ok(self)
    }

    /// Every route of the map's address. `/health` shows how the leader's tasks are doing.
    pub fn router(&self, leader: &Leader) -> Router {
        let common_store = self.store.common_store();
        let (log, pages) = common_store.log();
        let clock = self.clock.clone();
        let feed = EventFeed { log, pages, channels: wire::events::CHANNELS, clock, stop: leader.stop() };
        let gates = Access {
            admin_token: self.config.admin_token.clone(),
            closed_mining: self.config.closed_mining,
            repeats: IdempotencyLayer::new(common_store, self.clock.clone()),
        };
        let common = CommonRoutes {
            contract: Self::contract(),
            health: health::check(self.app.clone(), leader.clone(), self.relayed()),
            feed,
            metrics: self.metrics.clone(),
            cors: self.config.cors.clone(),
        };
        with_common_routes(http::router(self.app.clone(), &gates), common)
    }

    /// Starts what runs by itself: replenishment and the relay, if they are on, and the clean-up.
    pub fn start_background(&self, leader: &Leader) {
        self.replenisher().start(leader, self.clock.clone());
        clean_up(self.store.clone(), self.clock.clone()).start(leader);
        Retention::new(self.store.common_store(), self.clock.clone(), self.config.keep_events)
            .behind(self.relayed())
            .start(leader);
        if let Some(relay) = &self.relay {
            relay.clone().start(leader);
        }
    }

    fn relayed(&self) -> Option<Arc<RelayStatus>> {
        self.relay.as_ref().map(|relay| relay.status())
    }

    pub fn replenisher(&self) -> Replenisher {
        Replenisher::new(self.app.clone(), self.config.replenish_every)
    }

    /// The OpenAPI document, made from the handlers.
    pub fn contract() -> OpenApi {
        http::contract()
    }
}
