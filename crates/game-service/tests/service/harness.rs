//! A game service under test, with a map and executors in memory, and the shortest ways to play a game on it.
//! What every service's tests need is in `starkeep-test-harness`.

use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_game_core::{GameId, PlayerId};
use starkeep_game_service::app::JoinRequest;
use starkeep_game_service::ports::{Executor, ExecutorHealth, RobotDirectory, Store};
use starkeep_game_service::store::memory::{self, MemoryStore};
use starkeep_game_service::store::{Games, sql};
use starkeep_game_service::testing::{compare, observed};
use starkeep_game_service::{
    Config, ExecutorStreams, GameService, OtherServices, PlayerAccess, ServiceAddress, ServiceAddresses,
    ServiceUrl, TokenRecovery,
};
use starkeep_platform::chance::Chance;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::relay::RelayStart;
use starkeep_platform::service::{FrameConfig, RelayTo};
use starkeep_platform::sqlite::SqliteConnection;
use starkeep_platform::tasks::Stop;
use starkeep_test_harness::{
    EPOCH, Environment, Harness, Opened, Reply, ServiceUnderTest, StoreKind, StorePlace, get, patch, post,
    put, uuid_in,
};
use uuid::Uuid;

use crate::fake_broker::FakeBroker;
use crate::fake_directory::FakeDirectory;
use crate::fake_executor::FakeExecutor;
use crate::fake_lookups::FakeLookups;
use crate::fake_map::FakeMap;
use crate::fake_records::FakeRecords;
use crate::fake_topics::FakeTopics;
use crate::held_writer::HeldWriter;

/// How long the map is waited for, and Kafka.
pub(crate) const MAP_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(crate) struct Setup {
    pub(crate) store: StoreKind,
    /// There will be another replica, on a store in memory.
    pub(crate) replicas: bool,
    pub(crate) dialect: Dialect,
    pub(crate) token: Option<&'static str>,
    pub(crate) running_games: u32,
    /// Whether there are a trading and a robot service.
    pub(crate) executors: bool,
    /// A pause between two batches; a test has to move the clock over it. None: what the service does by itself.
    pub(crate) batch_gap: Option<Duration>,
    /// None: what the dialect says.
    pub(crate) start_delay: Option<Duration>,
    /// Whether events are sent to a broker; a test starts the relay (`start_relay`).
    pub(crate) kafka: bool,
    /// Whether there are topics that tell of what robots did.
    pub(crate) results: bool,
    /// Whether the executors' events are followed; a test hands them over itself.
    pub(crate) streams: bool,
    /// None: worlds are not replenished.
    pub(crate) replenish_every: Option<Duration>,
    /// Whether the trading service was not started with this one.
    pub(crate) outer_trading: bool,
    pub(crate) player_access: PlayerAccess,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            store: StoreKind::Sqlite,
            replicas: false,
            dialect: Dialect::Standard,
            token: None,
            running_games: 1,
            executors: true,
            batch_gap: Some(Duration::ZERO),
            start_delay: Some(Duration::ZERO),
            kafka: false,
            results: false,
            streams: false,
            replenish_every: None,
            outer_trading: false,
            player_access: PlayerAccess {
                token_recovery: TokenRecovery::ByNameAndMail,
                ..PlayerAccess::default()
            },
        }
    }
}

impl Setup {
    pub(crate) fn in_memory() -> Self {
        Self { store: StoreKind::Memory, ..Self::default() }
    }
}

/// A game service, with what outlives its process.
#[derive(Clone)]
pub(crate) struct GameUnderTest {
    setup: Setup,
    map: Arc<FakeMap>,
    trading: Arc<FakeExecutor>,
    robots: Arc<FakeExecutor>,
    broker: Arc<FakeBroker>,
    directory: Arc<FakeDirectory>,
    lookups: Arc<FakeLookups>,
    records: Arc<FakeRecords>,
    topics: Arc<FakeTopics>,
    writer: Arc<HeldWriter>,
    /// Its store, if that is in memory.
    memory: OnceLock<Arc<MemoryStore>>,
    /// The store of the replica that it runs beside.
    beside: Option<Arc<MemoryStore>>,
}

impl ServiceUnderTest for GameUnderTest {
    type Service = GameService;

    async fn open(&self, environment: Environment<'_>) -> Opened<GameService> {
        let Environment { store, replica, clock, chance } = environment;
        let slots = self.setup.running_games;
        let store: Arc<dyn Store> = match store {
            StorePlace::File(file) => sql::open_sqlite(file, slots, replica).await.expect("the store opens"),
            StorePlace::Postgres(schema) => {
                let store = schema.open::<Games>(replica).await;
                sql::limit_running_games(&store, slots).await.expect("the limit is kept");
                store
            }
            StorePlace::Memory(disturb) => {
                let store = match &self.beside {
                    Some(first) => first.another(replica),
                    None => memory::open(slots, replica, disturb).expect("the store opens"),
                };
                if self.setup.replicas {
                    store.share();
                }
                self.memory.get_or_init(|| store).clone()
            }
        };
        let store = observed(store, self.writer.clone());
        let frame = FrameConfig {
            dialect: self.setup.dialect,
            admin_token: AdminToken::new(self.setup.token.map(str::to_owned)),
            ..FrameConfig::default()
        };
        let config = Config {
            frame: frame.clone(),
            max_running_games: slots,
            start_delay: self.setup.start_delay,
            status_gap: None,
            map_timeout: MAP_TIMEOUT,
            largest_order: 19,
            replenish_every: self.setup.replenish_every,
            has_outer_trading: self.setup.outer_trading,
            batch_gap: self.setup.batch_gap,
            services: ServiceAddresses {
                game: ServiceAddress::Listening(SocketAddr::from(([0, 0, 0, 0], 8080))),
                map: Some(ServiceAddress::Configured("http://map.example:8081".to_owned())),
                robot: None,
                trading: None,
            },
            executor_streams: if self.setup.streams { nowhere() } else { ExecutorStreams::default() },
            player_access: self.setup.player_access,
        };
        let other_services = OtherServices {
            map: self.map.clone(),
            trading: self.setup.executors.then(|| self.trading.clone() as Arc<dyn Executor>),
            robots: self.setup.executors.then(|| self.robots.clone() as Arc<dyn Executor>),
            robot_directory: self.setup.executors.then(|| self.directory.clone() as Arc<dyn RobotDirectory>),
            lookups: self.lookups.clone(),
            records: self.records.clone(),
        };
        let common = store.clone().common();
        self.broker.follow(clock.clone());
        let topics = self.broker.clone();
        let relay_to = self.setup.kafka.then_some(RelayTo { topics, start: RelayStart::Next });
        let mut service = GameService::new(store, config, other_services, clock, chance);
        if self.setup.results {
            service = service.following_robots(self.topics.clone());
        }
        Opened { service: Arc::new(service), store: common, frame, relay_to }
    }
}

/// Both are followed, and no task connects to them.
fn nowhere() -> ExecutorStreams {
    let url = || Some(ServiceUrl::parse("http://127.0.0.1:1").expect("an address"));
    ExecutorStreams { trading: url(), robot: url(), token: AdminToken::default() }
}

pub(crate) struct Bench {
    pub(crate) map: Arc<FakeMap>,
    pub(crate) trading: Arc<FakeExecutor>,
    pub(crate) robots: Arc<FakeExecutor>,
    pub(crate) broker: Arc<FakeBroker>,
    pub(crate) directory: Arc<FakeDirectory>,
    pub(crate) lookups: Arc<FakeLookups>,
    pub(crate) records: Arc<FakeRecords>,
    pub(crate) topics: Arc<FakeTopics>,
    pub(crate) writer: Arc<HeldWriter>,
    harness: Harness<GameUnderTest>,
}

impl Deref for Bench {
    type Target = Harness<GameUnderTest>;

    fn deref(&self) -> &Self::Target {
        &self.harness
    }
}

impl DerefMut for Bench {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.harness
    }
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn msd() -> Self {
        Self::with(Setup { dialect: Dialect::Msd, ..Setup::default() }).await
    }

    /// For tests that only need some store.
    pub(crate) async fn in_memory() -> Self {
        Self::with(Setup::in_memory()).await
    }

    pub(crate) async fn msd_in_memory() -> Self {
        Self::with(Setup { dialect: Dialect::Msd, ..Setup::in_memory() }).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        // Where they have event streams a test says what they are, or what was read before does.
        let health =
            if setup.streams { Err("is not asked".to_owned()) } else { Ok(ExecutorHealth::default()) };
        let game = GameUnderTest {
            setup,
            map: FakeMap::new(),
            trading: FakeExecutor::new(health.clone()),
            robots: FakeExecutor::new(health),
            broker: FakeBroker::new(),
            directory: FakeDirectory::new(),
            lookups: FakeLookups::new(),
            records: FakeRecords::new(),
            topics: FakeTopics::new(),
            writer: HeldWriter::new(setup.running_games),
            memory: OnceLock::new(),
            beside: None,
        };
        let GameUnderTest {
            map, trading, robots, broker, directory, lookups, records, topics, writer, ..
        } = game.clone();
        Self {
            map,
            trading,
            robots,
            broker,
            directory,
            lookups,
            records,
            topics,
            writer,
            harness: Harness::open(game, setup.store).await,
        }
    }

    /// Another process on the same store, which is in memory, beside the same services. It does not lead.
    pub(crate) async fn another_replica(&self) -> Self {
        let game = GameUnderTest {
            memory: OnceLock::new(),
            beside: Some(self.memory().clone()),
            writer: HeldWriter::new(self.under_test.setup.running_games),
            ..self.under_test.clone()
        };
        let GameUnderTest {
            map, trading, robots, broker, directory, lookups, records, topics, writer, ..
        } = game.clone();
        Self {
            map,
            trading,
            robots,
            broker,
            directory,
            lookups,
            records,
            topics,
            writer,
            harness: self.beside(game).await,
        }
    }

    pub(crate) fn memory(&self) -> &Arc<MemoryStore> {
        self.under_test.memory.get().expect("a store in memory")
    }

    pub(crate) async fn restart_with(&mut self, setup: Setup) {
        self.under_test.setup = setup;
        self.restart().await;
    }

    /// Rounds of 4 s: 3 s of collection, 1 s of execution.
    pub(crate) async fn create(&self, rounds: u32, players: u32) -> Uuid {
        let body = json!({"maxRounds": rounds, "maxPlayers": players, "duration": 4000});
        id_in(&self.ask(post("/games").json(&body)).await)
    }

    pub(crate) async fn start(&self, game: Uuid) -> Reply {
        self.ask(post(format!("/games/{game}/gameCommands/start"))).await
    }

    pub(crate) async fn end(&self, game: Uuid) -> Reply {
        self.ask(post(format!("/games/{game}/gameCommands/end"))).await
    }

    /// `pause`, `resume` or `step`.
    pub(crate) async fn order(&self, game: Uuid, command: &str) -> Reply {
        self.ask(post(format!("/games/{game}/gameCommands/{command}"))).await
    }

    pub(crate) async fn set_pace(&self, game: Uuid, pace: &str) -> Reply {
        self.ask(patch(format!("/games/{game}/pace")).json(&json!({"pace": pace}))).await
    }

    pub(crate) async fn ready(&self, game: Uuid, player: impl std::fmt::Display) -> Reply {
        self.ask(put(format!("/games/{game}/players/{player}/ready"))).await
    }

    pub(crate) async fn set_rounds(&self, game: Uuid, rounds: i64) -> Reply {
        self.ask(patch(format!("/games/{game}/maxRounds")).json(&json!({"maxRounds": rounds}))).await
    }

    pub(crate) async fn set_duration(&self, game: Uuid, millis: i64) -> Reply {
        self.ask(patch(format!("/games/{game}/duration")).json(&json!({"duration": millis}))).await
    }

    pub(crate) async fn game(&self, game: Uuid) -> Value {
        self.ask(get(format!("/games/{game}"))).await.is(200)
    }

    pub(crate) async fn time(&self, game: Uuid) -> Value {
        self.ask(get(format!("/games/{game}/time"))).await.is(200)
    }

    pub(crate) async fn games(&self) -> Vec<Value> {
        let list = self.ask(get("/games")).await.is(200);
        list.as_array().expect("a list").clone()
    }

    /// A running game of so many rounds of 4 s, with all of its two seats taken.
    pub(crate) async fn running(&self, rounds: u32) -> Uuid {
        let game = self.create(rounds, 2).await;
        self.join(game).await;
        self.join(game).await;
        self.start(game).await.is(201);
        game
    }

    pub(crate) async fn join(&self, game: Uuid) -> Uuid {
        let player = self.chance.uuid();
        self.try_join(game, player).await.expect("the player joins");
        player
    }

    /// The refusal as its name and data.
    pub(crate) async fn try_join(&self, game: Uuid, player: Uuid) -> Result<(), String> {
        let joining = JoinRequest { player: PlayerId(player), name: "somebody".to_owned() };
        let joined = self.service().app().join(GameId(game), joining).await;
        joined.map(drop).map_err(|failure| format!("{failure:?}"))
    }

    /// A player who has registered under this name: its id and its token.
    pub(crate) async fn register(&self, name: &str) -> (Uuid, Uuid) {
        let body = json!({"name": name, "email": format!("{name}@example.org")});
        let player = self.ask(post("/players").json(&body)).await.is(201);
        (uuid_in(&player, "playerId"), uuid_in(&player, "bearerToken"))
    }

    /// A robot is announced.
    pub(crate) async fn spawn(&self, robot: Uuid, owner: Uuid) {
        let announced = put(format!("/robots/{robot}")).json(&json!({"playerId": owner}));
        self.ask(announced).await.is(200);
    }

    /// `player` is a token or an id.
    pub(crate) async fn put_in(&self, game: Uuid, player: impl std::fmt::Display) -> Reply {
        self.ask(put(format!("/games/{game}/players/{player}"))).await
    }

    /// Moves the clock in one step, then does what has become due. More than a round is a freeze.
    pub(crate) async fn advance(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
        self.tick().await;
    }

    /// The same, without the dispatcher.
    pub(crate) async fn advance_alone(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
        self.service().round_clock().step(EPOCH).await.expect("boundaries are taken");
    }

    /// Takes due boundaries and dispatches commands until there is nothing left of either.
    pub(crate) async fn tick(&self) {
        loop {
            self.service().round_clock().step(EPOCH).await.expect("boundaries are taken");
            let before = self.commits().await;
            self.dispatch().await;
            if self.commits().await == before {
                return;
            }
        }
    }

    pub(crate) async fn dispatch(&self) {
        let dispatcher = self.service().dispatcher(Stop::new());
        dispatcher.step(EPOCH).await.expect("commands are carried out");
    }

    pub(crate) async fn beat(&self) {
        self.service().app().beat(EPOCH).await.expect("the heartbeat is written");
    }

    pub(crate) async fn care(&self) -> Result<(), String> {
        self.service().reconciler().step(EPOCH).await
    }

    /// Asks the map once for every replenishment that is open.
    pub(crate) async fn replenish(&self) -> Result<(), String> {
        self.service().replenishments().step(EPOCH).await
    }

    /// A replica that was given only the serialised changes came to the same as the service and its database.
    pub(crate) async fn compare_replica(&self) {
        compare(&self.writer.follower, self.service(), &SqliteConnection::new(self.database())).await;
    }
}

/// The `gameId` of an answer to `POST /games`.
#[track_caller]
pub(crate) fn id_in(reply: &Reply) -> Uuid {
    uuid_in(&reply.is(201), "gameId")
}
