//! The table of services: what `serve` has to know of each, and how each is built from its store and the flags.
//! Only this file chooses the adapters of the services' ports.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use starkeep_contract::Dialect;
use starkeep_game_service::ports::{Executor, RobotDirectory};
use starkeep_game_service::store::Games;
use starkeep_game_service::store::sql::limit_running_games;
use starkeep_game_service::{
    ExecutorStreams, GameService, HttpExecutor, HttpLookups, HttpMap, HttpRecords, HttpRobotDirectory,
    OtherServices, ServiceAddress, ServiceAddresses, ServiceCallers, ServiceToken, ServiceUrl,
};
use starkeep_map_service::MapService;
use starkeep_map_service::store::Maps;
use starkeep_platform::blocking::TokioBlocking;
use starkeep_platform::broken::Broken;
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::StoreFault;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::relay::RelayStart;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed, RelayTo, Service};
use starkeep_platform::sql::transfer::Schema;
use starkeep_platform::sqlite;
use starkeep_platform::store::{CommonStore, OpenError, Store as _};
use starkeep_platform::tasks::Stop;
use starkeep_robot_service::RobotService;
use starkeep_robot_service::store::Robots;
use starkeep_trading_service::TradingService;
use starkeep_trading_service::store::Trading;

use super::ServeError;
use super::openable::reachable;
use super::settings::Settings;
use super::storage::Storage;
use crate::args::Which;
use crate::features::Brokers;

/// Where the services of this process listen, by name.
pub(super) type Addresses = BTreeMap<&'static str, SocketAddr>;

/// One service.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// The flag that says where it listens.
    pub(super) flag: &'static str,
    /// None: nobody asked for an address, so another port than the usual one does as well.
    pub(super) listen: fn(&Settings) -> Option<SocketAddr>,
    /// Where it listens otherwise, and where the others look for it.
    pub(super) usual: SocketAddr,
    /// Clients expect it there without being told.
    pub(super) is_known_by_heart: bool,
    pub(super) is_wanted: fn(Which, &Settings) -> bool,
    /// Its tables, for whoever carries their rows to another place.
    pub(super) schema: Schema,
    /// Refuses a file that this version cannot open, without touching it.
    pub(super) inspect: fn(&Path) -> Result<(), OpenError>,
    pub(super) open:
        for<'a> fn(&'a Context<'a>, &'a Row, &'a Stop) -> BoxFuture<'a, Result<Framed, OpenError>>,
    /// How long requests in flight may take after a stop. The sum over all services is below ten seconds, which a stop may take.
    pub(super) drain: Duration,
    /// Commands of a POSIX shell to try at the URL, for somebody new.
    pub(super) try_next: fn(&str, &Shown) -> Vec<String>,
}

/// The headers that commands have to send, each with a blank before it; "" where none is needed.
pub(super) struct Shown {
    pub(super) by_host: String,
    pub(super) for_map: String,
}

impl Row {
    pub(super) fn cannot_listen(&self, address: SocketAddr, source: io::Error) -> ServeError {
        ServeError::Listen { address, flag: self.flag, source }
    }
}

const fn usual(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

/// In the order in which they are started, and the reverse of the order in which they are stopped: what a service finishes
/// may need those above it.
pub(super) const SERVICES: &[Row] = &[
    Row {
        name: "map",
        file: "map.db",
        flag: "--map-listen",
        listen: |settings| settings.listen.map,
        usual: usual(8081),
        is_known_by_heart: true,
        is_wanted: |which, _| matches!(which, Which::All | Which::Map),
        schema: Schema::of::<Maps>(),
        inspect: starkeep_map_service::store::sql::inspect_sqlite,
        open: |context, row, stop| open_map(context, row, stop).boxed(),
        drain: Duration::from_secs(1),
        try_next: |map, shown| vec![format!("curl {map}/planets{}", shown.for_map)],
    },
    Row {
        name: "robot",
        file: "robot.db",
        flag: "--robot-listen",
        listen: |settings| settings.listen.robot,
        usual: usual(8082),
        is_known_by_heart: false,
        is_wanted: |which, settings| match which {
            Which::All => settings.robot_url.is_none(),
            which => which == Which::Robot,
        },
        schema: Schema::of::<Robots>(),
        inspect: starkeep_robot_service::store::sql::inspect_sqlite,
        open: |context, row, stop| open_robot(context, row, stop).boxed(),
        drain: Duration::from_secs(2),
        try_next: |_, _| Vec::new(),
    },
    Row {
        name: "trading",
        file: "trading.db",
        flag: "--trading-listen",
        listen: |settings| settings.listen.trading,
        usual: usual(8083),
        is_known_by_heart: false,
        is_wanted: |which, settings| match which {
            Which::All => settings.trading_url.is_none(),
            which => which == Which::Trading,
        },
        schema: Schema::of::<Trading>(),
        inspect: sqlite::inspect::<Trading>,
        open: |context, row, stop| open_trading(context, row, stop).boxed(),
        drain: Duration::from_secs(2),
        try_next: |trading, _| vec![format!("curl {trading}/resources")],
    },
    Row {
        name: "game",
        file: "game.db",
        flag: "--game-listen",
        listen: |settings| settings.listen.game,
        usual: usual(8080),
        is_known_by_heart: true,
        is_wanted: |which, _| matches!(which, Which::All | Which::Game),
        schema: Schema::of::<Games>(),
        inspect: starkeep_game_service::store::sql::inspect_sqlite,
        open: |context, row, stop| open_game(context, row, stop).boxed(),
        drain: Duration::from_secs(4),
        try_next: |game, shown| {
            let json = r#"-H 'Content-Type: application/json' -d '{"maxRounds":5,"maxPlayers":2}'"#;
            vec![format!("curl -X POST {game}/games{} {json}", shown.by_host), format!("curl {game}/games")]
        },
    },
];

/// What services are built from.
pub(crate) struct Context<'a> {
    pub(super) settings: &'a Settings,
    pub(super) storage: &'a Storage,
    pub(super) addresses: &'a Addresses,
    pub(super) brokers: Option<Brokers>,
    pub(super) relay_start: RelayStart,
    pub(crate) replica: ReplicaId,
    /// Told by a store that cannot go on.
    pub(crate) broken: Broken,
    pub(crate) disk_log: Arc<DiskLog>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
}

async fn open_map(context: &Context<'_>, row: &Row, stop: &Stop) -> Result<Framed, OpenError> {
    let store = Arc::new(context.storage.store::<Maps>(context, row, stop).await?);
    let (common, config) = (store.clone().common(), context.settings.map());
    let frame = config.frame.clone();
    let (clock, chance) = (context.clock.clone(), context.chance.clone());
    let service = MapService::new(store, config, clock, chance, Arc::new(TokioBlocking));
    context.frame(service, common, frame).await
}

async fn open_robot(context: &Context<'_>, row: &Row, stop: &Stop) -> Result<Framed, OpenError> {
    let store = Arc::new(context.storage.store::<Robots>(context, row, stop).await?);
    let (common, config) = (store.clone().common(), context.settings.robot());
    let frame = config.frame.clone();
    let others =
        starkeep_robot_service::OtherServices { game: context.url_of("game"), map: context.url_of("map") };
    let service = RobotService::new(store, config, context.clock.clone(), context.chance.clone(), others);
    context.frame(service, common, frame).await
}

async fn open_trading(context: &Context<'_>, row: &Row, stop: &Stop) -> Result<Framed, OpenError> {
    let store = Arc::new(context.storage.store::<Trading>(context, row, stop).await?);
    let (common, config) = (store.clone().common(), context.settings.trading());
    let frame = config.frame.clone();
    let others = starkeep_trading_service::OtherServices {
        game: context.url_of("game"),
        map: context.url_of("map"),
        robot: Some(context.url_of("robot")),
    };
    let service = TradingService::new(store, config, context.clock.clone(), context.chance.clone(), others);
    context.frame(service, common, frame).await
}

async fn open_game(context: &Context<'_>, row: &Row, stop: &Stop) -> Result<Framed, OpenError> {
    let config = context.settings.game(context.service_addresses(), context.executor_streams());
    let store = context.storage.store::<Games>(context, row, stop).await?;
    limit_running_games(&store, config.max_running_games).await?;
    let store = Arc::new(store);
    let (common, frame) = (store.clone().common(), config.frame.clone());
    let (clock, chance) = (context.clock.clone(), context.chance.clone());
    let mut service = GameService::new(store, config, context.other_services(), clock, chance);
    if let Some(brokers) = &context.brokers {
        service = service.following_robots(brokers.consumers());
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
            .brokers
            .as_ref()
            .map(|brokers| RelayTo { topics: brokers.topics(), start: self.relay_start });
        let config = FrameConfig { addresses: Some(self.service_addresses()), ..config };
        let framed = Framed::open(service, store, self.clock.clone(), config, relay_to).await;
        framed.map_err(|fault: StoreFault| OpenError::Unwritable(fault.to_string()))
    }

    /// The services that the game service calls.
    fn other_services(&self) -> OtherServices {
        let Settings { admin_token, map_timeout, robot_url, trading_url, .. } = self.settings;
        let map = HttpMap::new(self.url_of("map"), admin_token, self.clock.clone(), *map_timeout);
        let (robot, trading) = (self.token_for(robot_url.as_ref()), self.token_for(trading_url.as_ref()));
        let callers = self.callers(&robot, &trading);
        OtherServices {
            map: Arc::new(map),
            trading: self.executor("trading", trading_url.as_ref(), "--trading-url", &trading),
            robots: self.executor("robot", robot_url.as_ref(), "--robot-url", &robot),
            robot_directory: self.robot_directory(&robot),
            lookups: Arc::new(HttpLookups::new(&callers, &self.clock)),
            records: Arc::new(HttpRecords::new(&callers, &self.clock)),
        }
    }

    /// What clients are told.
    fn service_addresses(&self) -> ServiceAddresses {
        let Settings { public_urls, map_url, robot_url, trading_url, .. } = self.settings;
        let told = |name: &str, given: Option<&ServiceUrl>| {
            let public = public_urls.of(name).map(ToString::to_string);
            let configured = public.or_else(|| given.map(|url| url.as_str().to_owned()));
            let listening = || self.addresses.get(name).copied().map(ServiceAddress::Listening);
            configured.map(ServiceAddress::Configured).or_else(listening)
        };
        let looked_for = |name: &str| ServiceAddress::Configured(self.url_of(name).as_str().to_owned());
        ServiceAddresses {
            game: told("game", None).unwrap_or_else(|| looked_for("game")),
            // Also where nobody said it: the game service uses one in any case.
            map: Some(told("map", map_url.as_ref()).unwrap_or_else(|| looked_for("map"))),
            robot: told("robot", robot_url.as_ref()),
            trading: told("trading", trading_url.as_ref()),
        }
    }

    /// As it was given, or where it listens in this process, or where it usually does.
    fn url_of(&self, name: &str) -> ServiceUrl {
        let settings = self.settings;
        let given = match name {
            "game" => &settings.game_url,
            "map" => &settings.map_url,
            "robot" => &settings.robot_url,
            _ => &settings.trading_url,
        };
        given.clone().or_else(|| self.own_url(name)).unwrap_or_else(|| {
            let row = SERVICES.iter().find(|row| row.name == name);
            ServiceUrl::local(row.map_or(usual(8080), |row| row.usual))
        })
    }

    /// Of a service of this process.
    fn own_url(&self, name: &str) -> Option<ServiceUrl> {
        self.addresses.get(name).copied().map(reachable).map(ServiceUrl::local)
    }

    /// Whom the game service asks for what it shows.
    fn callers(&self, robot: &ServiceToken, trading: &ServiceToken) -> ServiceCallers {
        let Settings { admin_token, robot_url, trading_url, .. } = self.settings;
        let robot = robot_url.clone().or_else(|| self.own_url("robot")).map(|url| (url, robot.clone()));
        let trading =
            trading_url.clone().or_else(|| self.own_url("trading")).map(|url| (url, trading.clone()));
        ServiceCallers::new((self.url_of("map"), admin_token), robot, trading)
    }

    /// What is shown to an executor: to one of this process at once, to another one when it has said that it is one of ours.
    fn token_for(&self, given: Option<&ServiceUrl>) -> ServiceToken {
        let token = &self.settings.service_token;
        if given.is_some() { ServiceToken::of_other(token) } else { ServiceToken::of_ours(token) }
    }

    /// Whose events tell of robots, results and scores, where they are ours.
    fn executor_streams(&self) -> ExecutorStreams {
        let Settings { trading_url, robot_url, service_token, .. } = self.settings;
        let trading = trading_url.clone().or_else(|| self.own_url("trading"));
        let robot = robot_url.clone().or_else(|| self.own_url("robot"));
        ExecutorStreams { trading, robot, token: service_token.clone() }
    }

    fn robot_directory(&self, token: &ServiceToken) -> Option<Arc<dyn RobotDirectory>> {
        let url = self.settings.robot_url.clone().or_else(|| self.own_url("robot"))?;
        Some(Arc::new(HttpRobotDirectory::new(url, token.clone(), self.clock.clone())))
    }

    /// None where there is no such service, neither here nor elsewhere.
    fn executor(
        &self,
        name: &str,
        given: Option<&ServiceUrl>,
        flag: &'static str,
        token: &ServiceToken,
    ) -> Option<Arc<dyn Executor>> {
        let url = given.cloned().or_else(|| self.own_url(name))?;
        let executor = Arc::new(HttpExecutor::new(url.clone(), token.clone(), self.clock.clone()));
        if given.is_some() && self.settings.dialect == Dialect::Standard {
            tokio::spawn(warn_if_not_idempotent(executor.clone(), flag, url));
        }
        Some(executor)
    }
}

/// The existing robot and trading services drop the stations that the standard dialect announces before the game.
async fn warn_if_not_idempotent(executor: Arc<HttpExecutor>, flag: &'static str, url: ServiceUrl) {
    let what = match executor.probe().await {
        Ok(health) if health.executes_once => return,
        Ok(health) if health.fault.is_none() => {
            "this service does not say in its /health that it `executesOnce`"
        }
        Ok(_) | Err(_) => "this service is not there yet, so that it is not known whether it `executesOnce`",
    };
    tracing::warn!(
        "{flag} {}: {what}; those of the existing stack do not, and work with --dialect msd only",
        url.as_str()
    );
}
