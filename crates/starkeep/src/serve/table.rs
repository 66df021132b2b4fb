//! The table of services: what `serve` has to know of each, and how each is built from its store and the flags.
//! Only this file chooses the adapters of the services' ports.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use starkeep_contract::Dialect;
use starkeep_game_service::ports::{Executor, RobotDirectory};
use starkeep_game_service::{
    GameService, HttpExecutor, HttpMap, HttpRobotDirectory, OtherServices, ServiceUrl,
};
use starkeep_kafka::{Kafka, KafkaTopics};
use starkeep_map_service::MapService;
use starkeep_platform::blocking::TokioBlocking;
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::StoreFault;
use starkeep_platform::relay::RelayStart;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed, RelayTo, Service};
use starkeep_platform::store::{CommonStore, OpenError};

use super::settings::Settings;
use crate::args::{ServeArgs, Which};

/// Where the services of this process listen, by name.
pub(super) type Addresses = BTreeMap<&'static str, SocketAddr>;

/// One service.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// The flag that says where it listens.
    pub(super) flag: &'static str,
    pub(super) listen: fn(&ServeArgs) -> SocketAddr,
    pub(super) is_wanted: fn(Which) -> bool,
    /// Refuses a file that this version cannot open, without touching it.
    pub(super) inspect: fn(&Path) -> Result<(), OpenError>,
    pub(super) open: for<'a> fn(&'a Context<'a>, &'a Path) -> BoxFuture<'a, Result<Framed, OpenError>>,
    /// How long requests in flight may take after a stop. The sum over all services is below ten seconds, which a stop may take.
    pub(super) drain: Duration,
    /// Commands to try at the address, for somebody new.
    pub(super) try_next: fn(SocketAddr) -> String,
}

/// In the order in which they are started; a service may need those above it, so they are stopped in the reverse order.
pub(super) const SERVICES: &[Row] = &[
    Row {
        name: "map",
        file: "map.db",
        flag: "--map-listen",
        listen: |args| args.map_listen,
        is_wanted: |which| matches!(which, Which::All | Which::Map),
        inspect: starkeep_map_service::store::sqlite::inspect,
        open: |context, file| open_map(context, file).boxed(),
        drain: Duration::from_secs(2),
        try_next: |map| format!("  curl http://{map}/planets\n  read http://{map}/docs"),
    },
    Row {
        name: "game",
        file: "game.db",
        flag: "--game-listen",
        listen: |args| args.game_listen,
        is_wanted: |which| matches!(which, Which::All | Which::Game),
        inspect: starkeep_game_service::store::sqlite::inspect,
        open: |context, file| open_game(context, file).boxed(),
        drain: Duration::from_secs(6),
        try_next: |game| {
            format!(
                "  curl -X POST http://{game}/games -H 'Content-Type: application/json' -d '{{\"maxRounds\":5,\"maxPlayers\":2}}'\n\
                 \x20 curl http://{game}/games\n\
                 \x20 read http://{game}/docs"
            )
        },
    },
];

/// What services are built from.
pub(super) struct Context<'a> {
    pub(super) settings: &'a Settings,
    pub(super) addresses: &'a Addresses,
    pub(super) kafka: Option<Kafka>,
    pub(super) relay_start: RelayStart,
    pub(super) replica: ReplicaId,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) chance: Arc<dyn Chance>,
}

async fn open_map(context: &Context<'_>, file: &Path) -> Result<Framed, OpenError> {
    let store = starkeep_map_service::store::sqlite::open(file, context.replica)?;
    let (common, config) = (store.clone().common(), context.settings.map());
    let frame = config.frame.clone();
    let (clock, chance) = (context.clock.clone(), context.chance.clone());
    let service = MapService::new(store, config, clock, chance, Arc::new(TokioBlocking));
    context.frame(service, common, frame).await
}

async fn open_game(context: &Context<'_>, file: &Path) -> Result<Framed, OpenError> {
    let config = context.settings.game();
    let store =
        starkeep_game_service::store::sqlite::open(file, config.max_running_games, context.replica).await?;
    let (common, frame) = (store.clone().common(), config.frame.clone());
    let (clock, chance) = (context.clock.clone(), context.chance.clone());
    let mut service = GameService::new(store, config, context.other_services(), clock, chance);
    if let Some(kafka) = &context.kafka {
        service = service.following_robots(Arc::new(kafka.clone()));
    }
    context.frame(Arc::new(service), common, frame).await
}

impl Context<'_> {
    async fn frame(
        &self,
        service: Arc<dyn Service>,
        store: Arc<dyn CommonStore>,
        config: FrameConfig,
    ) -> Result<Framed, OpenError> {
        let relay_to = self
            .kafka
            .clone()
            .map(|kafka| RelayTo { topics: Arc::new(KafkaTopics::new(kafka)), start: self.relay_start });
        let framed = Framed::open(service, store, self.clock.clone(), config, relay_to).await;
        framed.map_err(|fault: StoreFault| OpenError::Unwritable(fault.to_string()))
    }

    /// The services that the game service calls.
    fn other_services(&self) -> OtherServices {
        let Settings { admin_token, map_timeout, .. } = self.settings;
        let map = self.settings.map_url.clone().unwrap_or_else(|| ServiceUrl::local(self.map_address()));
        let map = HttpMap::new(map, admin_token, self.clock.clone(), *map_timeout);
        OtherServices {
            map: Arc::new(map),
            trading: self.executor(self.settings.trading_url.as_ref(), "--trading-url"),
            robots: self.executor(self.settings.robot_url.as_ref(), "--robot-url"),
            robot_directory: self.robot_directory(),
        }
    }

    /// Where the map of this process listens, or where one usually does.
    fn map_address(&self) -> SocketAddr {
        let usual = SocketAddr::from(([127, 0, 0, 1], 8081));
        reachable(self.addresses.get("map").copied().unwrap_or(usual))
    }

    fn robot_directory(&self) -> Option<Arc<dyn RobotDirectory>> {
        let url = self.settings.robot_url.clone()?;
        Some(Arc::new(HttpRobotDirectory::new(url, &self.settings.admin_token, self.clock.clone())))
    }

    fn executor(&self, url: Option<&ServiceUrl>, flag: &'static str) -> Option<Arc<dyn Executor>> {
        let url = url?.clone();
        let executor =
            Arc::new(HttpExecutor::new(url.clone(), &self.settings.admin_token, self.clock.clone()));
        if self.settings.dialect == Dialect::Standard {
            tokio::spawn(warn_if_not_idempotent(executor.clone(), flag, url));
        }
        Some(executor)
    }
}

/// The existing robot and trading services drop the stations that the standard dialect announces before the game.
async fn warn_if_not_idempotent(executor: Arc<HttpExecutor>, flag: &'static str, url: ServiceUrl) {
    if !executor.probe().await.is_ok_and(|health| health.executes_once) {
        tracing::warn!(
            "{flag} {}: this service does not say in its /health that it `executesOnce`, as those of the existing stack \
             do not; they work with --dialect msd only",
            url.as_str()
        );
    }
}

/// A service that listens everywhere is reached from here over loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}
