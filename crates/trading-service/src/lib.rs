//! The trading service: accounts, prices, purchases and sales. This file declares what is its own; the frame around it is
//! the platform's, the store is handed in, and the rules belong to the core.

mod app;
mod domain;
mod gateways;
mod health;
mod http;
mod metrics;
pub mod ports;
pub mod store;
mod tasks;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use prometheus_client::registry::Registry;
use starkeep_contract::events::Channel;
use starkeep_executor::GameStatus;
pub use starkeep_http_client::{BadServiceUrl, Item, ServiceUrl};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::health::ServiceHealth;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::from_memory::ServiceRoutes;
use starkeep_platform::lease::Epoch;
use starkeep_platform::service::{FrameConfig, Layers, Service};
use starkeep_platform::store::Store;
use starkeep_platform::tasks::Leader;
use starkeep_trading_core::GameId;
use utoipa::openapi::OpenApi;
use uuid::Uuid;

use self::app::{App, Parts};
use self::gateways::{HttpOthers, HttpRobots};
use self::metrics::TradingMetrics;
use self::ports::{Others, Robots};
use self::store::Trading;
use self::tasks::Listeners;
pub use self::tasks::{MissingWorlds, OpenTrades};

/// What a host decides about the trading service.
#[derive(Clone, Debug)]
pub struct Config {
    pub frame: FrameConfig,
    /// Opens what only services may do, and is shown to the game and robot services. The map is shown the frame's token.
    pub service_token: AdminToken,
    /// How long one call to the robot service may take.
    pub robot_timeout: Duration,
}

/// Where the other services are.
#[derive(Clone, Debug)]
pub struct OtherServices {
    pub game: ServiceUrl,
    pub map: ServiceUrl,
    /// Without one nothing can be bought or sold.
    pub robot: Option<ServiceUrl>,
}

pub struct TradingService {
    app: Arc<App>,
    store: Arc<dyn Store<Trading>>,
    metrics: TradingMetrics,
    config: Config,
    listeners: Option<Listeners>,
}

impl TradingService {
    pub fn new(
        store: Arc<dyn Store<Trading>>,
        config: Config,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        others: OtherServices,
    ) -> Arc<Self> {
        let token = &config.service_token;
        let robots = others.robot.map(|url| HttpRobots::new(url, token, clock.clone()));
        let robots = robots.map(|robots| Arc::new(robots) as Arc<dyn Robots>);
        let admin_token = config.frame.admin_token.clone();
        let asked = HttpOthers::new((others.game.clone(), token), (others.map.clone(), &admin_token), &clock);
        let (game, map, service_token) = (others.game, others.map, token.clone());
        let listeners = Listeners { game, map, service_token, admin_token };
        Self::build(store, config, clock, chance, robots, Arc::new(asked), Some(listeners))
    }

    /// With other services that a test stands in for; no stream is followed, and the test hands in the events.
    pub fn beside(
        store: Arc<dyn Store<Trading>>,
        config: Config,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        robots: Option<Arc<dyn Robots>>,
        others: Arc<dyn Others>,
    ) -> Arc<Self> {
        Self::build(store, config, clock, chance, robots, others, None)
    }

    fn build(
        store: Arc<dyn Store<Trading>>,
        config: Config,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        robots: Option<Arc<dyn Robots>>,
        others: Arc<dyn Others>,
        listeners: Option<Listeners>,
    ) -> Arc<Self> {
        let metrics = TradingMetrics::default();
        let app = App::new(Parts {
            dialect: config.frame.dialect,
            store: store.clone(),
            clock,
            chance,
            robots,
            others,
            robot_timeout: config.robot_timeout,
            metrics: metrics.clone(),
        });
        Arc::new(Self { app: Arc::new(app), store, metrics, config, listeners })
    }

    /// The OpenAPI document, made from the handlers.
    pub fn contract() -> OpenApi {
        http::contract()
    }

    /// For tests: items of the game service's stream.
    pub async fn record_game_items(
        &self,
        epoch: Epoch,
        items: &[Item],
        position: String,
    ) -> Result<(), String> {
        self.app.record_game_items(epoch, items, position).await
    }

    /// For tests: items of the map service's stream.
    pub async fn record_map_items(
        &self,
        epoch: Epoch,
        items: &[Item],
        position: String,
    ) -> Result<(), String> {
        self.app.record_map_items(epoch, items, position).await
    }

    /// For tests, which step it by hand.
    pub fn open_trades(&self) -> OpenTrades {
        OpenTrades::new(self.app.clone())
    }

    /// For tests, which step it by hand.
    pub fn missing_worlds(&self) -> MissingWorlds {
        MissingWorlds::new(self.app.clone())
    }
}

impl Service for TradingService {
    fn name(&self) -> &'static str {
        "trading"
    }

    fn channels(&self) -> &'static [Channel] {
        wire::events::CHANNELS
    }

    fn has_ended(&self, subject: Uuid) -> bool {
        self.store.image().games.get(GameId(subject)).is_none_or(|game| game.status == GameStatus::Ended)
    }

    fn routes(self: Arc<Self>, layers: &Layers) -> ServiceRoutes {
        http::router(self.app.clone(), layers, &self.config.service_token).into()
    }

    fn contract(&self) -> OpenApi {
        Self::contract()
    }

    fn health(&self) -> BoxFuture<'_, ServiceHealth> {
        async { health::of(&self.app) }.boxed()
    }

    fn register_metrics(&self, registry: &mut Registry) {
        self.metrics.register(registry, self.store.clone());
    }

    fn start_tasks(self: Arc<Self>, leader: &Leader) {
        if let Some(listeners) = &self.listeners {
            listeners.clone().start(self.app.clone(), leader);
        }
        self.open_trades().start(leader);
        self.missing_worlds().start(leader);
    }
}
