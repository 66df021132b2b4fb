//! How each of the four services is built for a simulated process: as the executable does it, with simulated surroundings.

use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::Clock;
use starkeep_game_service::store::Games;
use starkeep_game_service::{
    ExecutorStreams, GameService, HttpExecutor, HttpLookups, HttpMap, HttpRecords, HttpRobotDirectory,
    OtherServices, PlayerAccess, ServiceAddress, ServiceAddresses, ServiceCallers, ServiceToken, ServiceUrl,
};
use starkeep_map_service::MapService;
use starkeep_map_service::store::Maps;
use starkeep_platform::blocking::InlineBlocking;
use starkeep_platform::chance::Chance;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::memory::{Memory, MemoryTables};
use starkeep_platform::service::{FrameConfig, Service};
use starkeep_robot_service::RobotService;
use starkeep_robot_service::store::Robots;
use starkeep_selftest::RUNNING_GAMES;
use starkeep_trading_service::TradingService;
use starkeep_trading_service::store::Trading;

use crate::network::SimulatedNetwork;
use crate::process::Process;

/// How long one service waits for another.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a process finds around it.
pub(crate) struct Surroundings {
    pub(crate) service: &'static str,
    pub(crate) process: Process,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) network: Arc<SimulatedNetwork>,
}

impl Surroundings {
    fn url_of(&self, other: &'static str) -> ServiceUrl {
        self.network.url((self.service, other), &self.process)
    }
}

/// A service by what it keeps.
pub(crate) trait Simulated: MemoryTables {
    fn open(store: Arc<Memory<Self>>, around: &Surroundings) -> Arc<dyn Service>;
}

impl Simulated for Maps {
    fn open(store: Arc<Memory<Self>>, around: &Surroundings) -> Arc<dyn Service> {
        let config = starkeep_map_service::Config {
            frame: FrameConfig::default(),
            closed_mining: false,
            closed_map: false,
            replenish_every: None,
        };
        MapService::new(store, config, around.clock.clone(), around.chance.clone(), Arc::new(InlineBlocking))
    }
}

impl Simulated for Robots {
    fn open(store: Arc<Memory<Self>>, around: &Surroundings) -> Arc<dyn Service> {
        let config = starkeep_robot_service::Config {
            frame: FrameConfig::default(),
            service_token: AdminToken::default(),
            station_word: "SPACE_STATION".to_owned(),
            mining_energy: 1,
            neighbours_delay: Duration::ZERO,
            map_timeout: PATIENCE,
        };
        let others =
            starkeep_robot_service::OtherServices { game: around.url_of("game"), map: around.url_of("map") };
        RobotService::new(store, config, around.clock.clone(), around.chance.clone(), others)
    }
}

impl Simulated for Trading {
    fn open(store: Arc<Memory<Self>>, around: &Surroundings) -> Arc<dyn Service> {
        let config = starkeep_trading_service::Config {
            frame: FrameConfig::default(),
            service_token: AdminToken::default(),
            robot_timeout: PATIENCE,
        };
        let others = starkeep_trading_service::OtherServices {
            game: around.url_of("game"),
            map: around.url_of("map"),
            robot: Some(around.url_of("robot")),
        };
        TradingService::new(store, config, around.clock.clone(), around.chance.clone(), others)
    }
}

impl Simulated for Games {
    fn open(store: Arc<Memory<Self>>, around: &Surroundings) -> Arc<dyn Service> {
        let named = |name: &str| ServiceAddress::Configured(format!("http://{name}"));
        let config = starkeep_game_service::Config {
            frame: FrameConfig::default(),
            max_running_games: u32::try_from(RUNNING_GAMES).unwrap_or(u32::MAX),
            start_delay: None,
            status_gap: None,
            map_timeout: PATIENCE,
            replenish_every: Some(Duration::from_secs(8)),
            has_outer_trading: true,
            largest_order: u32::MAX,
            batch_gap: None,
            services: ServiceAddresses {
                game: named("game"),
                map: Some(named("map")),
                robot: Some(named("robot")),
                trading: Some(named("trading")),
            },
            executor_streams: ExecutorStreams {
                trading: Some(around.url_of("trading")),
                robot: Some(around.url_of("robot")),
                token: AdminToken::default(),
            },
            player_access: PlayerAccess::default(),
        };
        let (clock, chance) = (around.clock.clone(), around.chance.clone());
        Arc::new(GameService::new(store, config, other_services(around), clock, chance))
    }
}

fn other_services(around: &Surroundings) -> OtherServices {
    let (admin_token, clock) = (AdminToken::default(), &around.clock);
    let token = ServiceToken::of_other(&admin_token);
    let caller = |name| Some((around.url_of(name), token.clone()));
    let callers =
        ServiceCallers::new((around.url_of("map"), &admin_token), caller("robot"), caller("trading"));
    let executor = |name| HttpExecutor::new(around.url_of(name), token.clone(), clock.clone());
    OtherServices {
        map: Arc::new(HttpMap::new(around.url_of("map"), &admin_token, clock.clone(), PATIENCE)),
        trading: Some(Arc::new(executor("trading"))),
        robots: Some(Arc::new(executor("robot"))),
        robot_directory: Some(Arc::new(HttpRobotDirectory::new(
            around.url_of("robot"),
            token.clone(),
            clock.clone(),
        ))),
        lookups: Arc::new(HttpLookups::new(&callers, clock)),
        records: Arc::new(HttpRecords::new(&callers, clock)),
    }
}
