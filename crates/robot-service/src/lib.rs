//! The robot service: robots, and the commands that move them. This file declares what is its own; the frame around it is
//! the platform's, the store is handed in, and the rules belong to the core.

mod app;
mod domain;
mod gateways;
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
pub use starkeep_http_client::ServiceUrl;
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::health::{Parts, ServiceHealth, degraded, healthy};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::from_memory::ServiceRoutes;
use starkeep_platform::service::{FrameConfig, Layers, Service};
use starkeep_platform::tasks::Leader;
use starkeep_robot_core::GameId;
use utoipa::openapi::OpenApi;
use uuid::Uuid;

pub use self::app::Gateways;
use self::app::{App, Settings};
use self::gateways::{HttpGame, HttpMap};
use self::metrics::RobotMetrics;
use self::ports::Store;
pub use self::tasks::{GameStream, MiningSettler, NeighbourTeller, Waiting};

/// What a host decides about the robot service.
#[derive(Clone, Debug)]
pub struct Config {
    pub frame: FrameConfig,
    /// What opens the routes that only services may call: the admin token, or a secret that was drawn at the start.
    pub service_token: AdminToken,
    /// How `movement` calls a space station.
    pub station_word: String,
    /// What a mining costs.
    pub mining_energy: u32,
    /// How long after the last spawn of a game `neighbours` of its new robots are told; zero: together with the spawn.
    pub neighbours_delay: Duration,
    /// A call to the map without an answer after this long is given up.
    pub map_timeout: Duration,
}

/// Where the services are that it calls and follows.
#[derive(Clone, Debug)]
pub struct OtherServices {
    pub game: ServiceUrl,
    pub map: ServiceUrl,
}

pub struct RobotService {
    app: Arc<App>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    metrics: RobotMetrics,
    service_token: AdminToken,
    game: ServiceUrl,
}

impl RobotService {
    pub fn new(
        store: Arc<dyn Store>,
        config: Config,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        others: OtherServices,
    ) -> Arc<Self> {
        let token = &config.frame.admin_token;
        let gateways = Gateways {
            map: Arc::new(HttpMap::new(others.map, token, clock.clone(), config.map_timeout)),
            game: Arc::new(HttpGame::new(others.game.clone(), token, clock.clone())),
        };
        Self::with_gateways(store, config, clock, chance, gateways, others.game)
    }

    /// With other implementations of the ports; the game service's events are followed all the same.
    pub fn with_gateways(
        store: Arc<dyn Store>,
        config: Config,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        gateways: Gateways,
        game: ServiceUrl,
    ) -> Arc<Self> {
        let metrics = RobotMetrics::default();
        let settings = Settings {
            dialect: config.frame.dialect,
            station_word: config.station_word.as_str().into(),
            mining_energy: config.mining_energy,
            neighbours_delay: config.neighbours_delay,
        };
        let app = App::new(settings, store.clone(), gateways, clock.clone(), chance, metrics.clone());
        let service_token = config.service_token;
        Arc::new(Self { app: Arc::new(app), store, clock, metrics, service_token, game })
    }

    pub fn game_stream(&self) -> GameStream {
        GameStream::new(self.app.clone(), self.game.clone())
    }

    pub fn mining_settler(&self) -> MiningSettler {
        MiningSettler::new(self.app.clone())
    }

    pub fn neighbour_teller(&self) -> NeighbourTeller {
        NeighbourTeller::new(self.app.clone())
    }

    /// The OpenAPI document, made from the handlers.
    pub fn contract() -> OpenApi {
        http::contract()
    }
}

impl Service for RobotService {
    fn name(&self) -> &'static str {
        "robot"
    }

    fn channels(&self) -> &'static [Channel] {
        wire::events::CHANNELS
    }

    fn has_ended(&self, subject: Uuid) -> bool {
        self.app.has_ended(GameId(subject))
    }

    fn routes(self: Arc<Self>, layers: &Layers) -> ServiceRoutes {
        http::router(self.app.clone(), layers, self.service_token.clone()).into()
    }

    fn contract(&self) -> OpenApi {
        Self::contract()
    }

    fn health(&self) -> BoxFuture<'_, ServiceHealth> {
        async {
            let audit = self.app.audit();
            let books = audit.books.map_or_else(degraded, |()| healthy("all books balance"));
            let map = match (self.app.map_fault(), audit.open_minings) {
                (Some(fault), 0) => degraded(fault),
                (Some(fault), open) => degraded(format!("{fault}; {open} minings are under way")),
                (None, 0) => healthy("answers"),
                (None, open) => healthy(format!("answers; {open} minings are under way")),
            };
            let followed = format!("{} followed, {} run", audit.games, audit.running);
            let games = match (self.app.gap(), self.app.last_gap()) {
                (Some(fault), _) => degraded(format!(
                    "events of the game service were missed, and its games are not known: {fault}"
                )),
                _ if self.app.is_game_away() => degraded(format!(
                    "the game service cannot be reached, so nothing is known of new rounds; {followed}"
                )),
                (None, Some(at)) => healthy(format!(
                    "{followed}; events of the game service were missed, and its games were asked for at {at}"
                )),
                (None, None) => healthy(followed),
            };
            let parts = [("books", books), ("map", map), ("games", games)];
            let parts: Parts = parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect();
            ServiceHealth { parts, executes_once: Some(true), ..ServiceHealth::default() }
        }
        .boxed()
    }

    fn register_metrics(&self, registry: &mut Registry) {
        self.metrics.register(registry, self.store.clone());
    }

    fn start_tasks(self: Arc<Self>, leader: &Leader) {
        self.game_stream().start(leader, self.clock.clone());
        self.mining_settler().start(leader, self.clock.clone());
        self.neighbour_teller().start(leader, self.clock.clone());
    }
}
