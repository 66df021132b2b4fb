//! The map service: gameworlds, their planets, minings and replenishment. This file declares what is its own; the frame
//! around it is the platform's, the store is handed in, and the rules belong to the core.

mod app;
mod domain;
mod http;
mod metrics;
pub mod ports;
pub mod store;
mod tasks;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use jiff::SignedDuration;
use prometheus_client::registry::Registry;
use starkeep_contract::events::Channel;
use starkeep_platform::blocking::BlockingPool;
use starkeep_platform::chance::Chance;
use starkeep_platform::cleanup::CleanupRule;
use starkeep_platform::clock::Clock;
use starkeep_platform::health::{Parts, ServiceHealth, degraded, healthy};
use starkeep_platform::http::from_memory::ServiceRoutes;
use starkeep_platform::service::{FrameConfig, Layers, Service};
use starkeep_platform::tasks::Leader;
use utoipa::openapi::OpenApi;

use self::app::App;
use self::http::Closed;
use self::metrics::MapMetrics;
use self::ports::Store;
pub use self::tasks::{Announcer, Replenisher, Replenishment};

/// A request for a withdrawn world that was under way for longer than this does not arrive any more.
const WITHDRAWN_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Staging takes seconds: what is older is never going to be made.
const STAGED_KEPT: SignedDuration = SignedDuration::from_hours(1);

/// What a host decides about the map service.
#[derive(Clone, Debug)]
pub struct Config {
    pub frame: FrameConfig,
    /// Mining needs the admin token, too.
    pub closed_mining: bool,
    /// Planets of active worlds are looked up with the admin token only.
    pub closed_map: bool,
    /// How often active worlds are replenished; `None` is never.
    pub replenish_every: Option<Duration>,
}

pub struct MapService {
    app: Arc<App>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    metrics: MapMetrics,
    config: Config,
}

impl MapService {
    pub fn new(
        store: Arc<dyn Store>,
        config: Config,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        blocking: Arc<dyn BlockingPool>,
    ) -> Arc<Self> {
        let metrics = MapMetrics::default();
        let app =
            App::new(config.frame.dialect, store.clone(), clock.clone(), chance, blocking, metrics.clone());
        Arc::new(Self { app: Arc::new(app), store, clock, metrics, config })
    }

    pub fn replenisher(&self) -> Replenisher {
        Replenisher::new(self.app.clone(), self.config.replenish_every)
    }

    pub fn announcer(&self) -> Announcer {
        Announcer::new(self.app.clone())
    }

    /// The OpenAPI document, made from the handlers.
    pub fn contract() -> OpenApi {
        http::contract()
    }
}

impl Service for MapService {
    fn name(&self) -> &'static str {
        "map"
    }

    fn channels(&self) -> &'static [Channel] {
        wire::events::CHANNELS
    }

    fn routes(self: Arc<Self>, layers: &Layers) -> ServiceRoutes {
        let closed = Closed { mining: self.config.closed_mining, map: self.config.closed_map };
        http::routes(self.app.clone(), layers, &closed)
    }

    fn contract(&self) -> OpenApi {
        Self::contract()
    }

    fn health(&self) -> BoxFuture<'_, ServiceHealth> {
        async {
            let (active, balance) = self.app.audit();
            let books = balance.map_or_else(degraded, |()| healthy("all books balance"));
            let worlds = healthy(format!("{active} active"));
            let parts = Parts::from([("books".to_owned(), books), ("worlds".to_owned(), worlds)]);
            ServiceHealth { parts, ..ServiceHealth::default() }
        }
        .boxed()
    }

    fn register_metrics(&self, registry: &mut Registry) {
        self.metrics.register(registry, self.store.clone());
    }

    /// Ids that were withdrawn long ago, and staged worlds that were never made. Worlds that were made stay until they are
    /// withdrawn.
    fn cleanup(&self) -> Vec<CleanupRule> {
        let (withdrawn, staged) = (self.store.clone(), self.store.clone());
        vec![
            CleanupRule::new(WITHDRAWN_KEPT, move |epoch, before| {
                let store = withdrawn.clone();
                async move { store.forget_withdrawn(epoch, before).await }.boxed()
            }),
            CleanupRule::new(STAGED_KEPT, move |epoch, before| {
                let store = staged.clone();
                async move { store.forget_staged(epoch, before).await }.boxed()
            }),
        ]
    }

    fn start_tasks(self: Arc<Self>, leader: &Leader) {
        self.replenisher().start(leader, self.clock.clone());
        self.announcer().start(leader, self.clock.clone());
    }
}
