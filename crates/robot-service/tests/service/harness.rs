//! A robot service under test, with a map and a game service in memory, and the shortest ways to play on it.
//! What every service's tests need is in `starkeep-test-harness`.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_contract::events::{Channel, EventAbout, EventHeaders, PublishedEvent};
use starkeep_http_client::{Item, ServiceUrl};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::service::FrameConfig;
use starkeep_robot_core::ResourceKind;
use starkeep_robot_service::ports::Store;
use starkeep_robot_service::store::memory::{self, MemoryStore};
use starkeep_robot_service::store::{Robots, sql};
use starkeep_robot_service::{Config, Gateways, RobotService};
use starkeep_test_harness::{
    EPOCH, Environment, Harness, Opened, Reply, ServiceUnderTest, StoreKind, StorePlace, TestRequest, get,
    post,
};
use uuid::Uuid;

use crate::fake_game::FakeGame;
use crate::fake_map::FakeMap;

#[derive(Clone)]
pub(crate) struct RobotsUnderTest {
    config: Config,
    map: Arc<FakeMap>,
    game: Arc<FakeGame>,
    /// Its store, if that is in memory.
    memory: OnceLock<Arc<MemoryStore>>,
    /// The store of the replica that it runs beside.
    beside: Option<Arc<MemoryStore>>,
}

impl ServiceUnderTest for RobotsUnderTest {
    type Service = RobotService;

    async fn open(&self, environment: Environment<'_>) -> Opened<RobotService> {
        let Environment { store, replica, clock, chance } = environment;
        let store: Arc<dyn Store> = match store {
            StorePlace::File(file) => sql::open_sqlite(file, replica).unwrap(),
            StorePlace::Postgres(schema) => schema.open::<Robots>(replica).await,
            StorePlace::Memory(disturb) => {
                let store = match &self.beside {
                    Some(first) => first.another(replica),
                    None => memory::open(replica, disturb),
                };
                self.memory.get_or_init(|| store).clone()
            }
        };
        let (common, frame) = (store.clone().common(), self.config.frame.clone());
        let gateways = Gateways { map: self.map.clone(), game: self.game.clone() };
        let nowhere = ServiceUrl::parse("http://127.0.0.1:1").unwrap();
        let service =
            RobotService::with_gateways(store, self.config.clone(), clock, chance, gateways, nowhere);
        Opened { service, store: common, frame, relay_to: None }
    }
}

pub(crate) struct Bench {
    pub(crate) map: Arc<FakeMap>,
    pub(crate) game_service: Arc<FakeGame>,
    harness: Harness<RobotsUnderTest>,
}

impl Deref for Bench {
    type Target = Harness<RobotsUnderTest>;

    fn deref(&self) -> &Self::Target {
        &self.harness
    }
}

impl DerefMut for Bench {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.harness
    }
}

pub(crate) fn config() -> Config {
    Config {
        frame: FrameConfig::default(),
        service_token: AdminToken::default(),
        station_word: "SPACE_STATION".to_owned(),
        mining_energy: 0,
        neighbours_delay: Duration::ZERO,
        map_timeout: Duration::from_secs(5),
    }
}

/// In the msd dialect robots are shown to everybody, so tests need no tokens.
pub(crate) fn open_config() -> Config {
    Config { frame: FrameConfig { dialect: Dialect::Msd, ..FrameConfig::default() }, ..config() }
}

pub(crate) const GAME: Uuid = Uuid::from_u128(0x6a << 120);

pub(crate) fn player(number: u128) -> Uuid {
    Uuid::from_u128((0xa1 << 120) | number)
}

/// A transaction.
pub(crate) fn tx(number: u128) -> Uuid {
    Uuid::from_u128((0xc0 << 120) | number)
}

/// The two planets of the worked example: a station of difficulty 1, and coal of difficulty 2 to its east.
#[derive(Clone, Copy)]
pub(crate) struct TwoPlanets {
    pub(crate) station: Uuid,
    pub(crate) coal: Uuid,
}

impl Bench {
    /// On a file: for tests that restart the service.
    pub(crate) async fn on_file() -> Self {
        Self::with(open_config(), StoreKind::Sqlite).await
    }

    /// For tests that only need some store.
    pub(crate) async fn new() -> Self {
        Self::with(open_config(), StoreKind::Memory).await
    }

    pub(crate) async fn with(config: Config, store: StoreKind) -> Self {
        let (map, game_service) = (FakeMap::new(), FakeGame::new());
        let (memory, beside) = (OnceLock::new(), None);
        let under_test =
            RobotsUnderTest { config, map: map.clone(), game: game_service.clone(), memory, beside };
        Self { map, game_service, harness: Harness::open(under_test, store).await }
    }

    /// Another process on the same store, which is in memory, beside the same services.
    pub(crate) async fn another_replica(&self) -> Self {
        let under_test = RobotsUnderTest {
            memory: OnceLock::new(),
            beside: Some(self.memory().clone()),
            ..self.under_test.clone()
        };
        let (map, game_service) = (self.map.clone(), self.game_service.clone());
        Self { map, game_service, harness: self.beside(under_test).await }
    }

    pub(crate) fn memory(&self) -> &Arc<MemoryStore> {
        self.under_test.memory.get().expect("a store in memory")
    }

    /// A running game in its first round, and two planets.
    pub(crate) async fn playing() -> (Self, TwoPlanets) {
        let bench = Self::new().await;
        let planets = bench.two_planets(1_000);
        bench.start_game(GAME).await;
        (bench, planets)
    }

    pub(crate) fn two_planets(&self, coal: u64) -> TwoPlanets {
        let station = self.map.add(1, 1, None);
        let coal = self.map.add(2, 2, Some((ResourceKind::Coal, coal)));
        self.map.connect(station, coal);
        TwoPlanets { station, coal }
    }

    pub(crate) async fn receive(&self, channel: Channel, payload: Value) {
        let position = format!("position-{}", self.chance_text());
        let item = event(&position, channel, payload);
        self.service().game_stream().record(EPOCH, &[item], position).await.unwrap();
    }

    fn chance_text(&self) -> String {
        use starkeep_platform::chance::Chance as _;
        self.chance.uuid().to_string()
    }

    pub(crate) async fn roster(&self, game: Uuid, change: &str) {
        let world = (change == "started").then(|| Uuid::from_u128(game.as_u128() + 1));
        let payload = json!({
            "gameId": game, "change": change, "playerId": null, "gameworldId": world, "startMoney": null,
        });
        self.receive(Channel::GameRoster, payload).await;
    }

    /// `started`, `command input ended` or `ended`.
    pub(crate) async fn round(&self, game: Uuid, number: u32, status: &str) {
        let payload = json!({
            "gameId": game, "roundId": Uuid::from_u128(number.into()), "roundNumber": number, "roundStatus": status,
        });
        self.receive(Channel::RoundStatus, payload).await;
    }

    /// Created, started, and the input of its first round has ended.
    pub(crate) async fn start_game(&self, game: Uuid) {
        self.receive(Channel::Status, json!({"gameId": game, "status": "created"})).await;
        self.roster(game, "started").await;
        self.round(game, 1, "command input ended").await;
    }

    /// Spawns one robot for each of the planets.
    pub(crate) async fn spawn(&self, owner: Uuid, transaction: Uuid, planets: &[Uuid]) -> Vec<Uuid> {
        let reply = self.ask(spawning(owner, transaction, planets)).await;
        ids(&reply.is(201))
    }

    /// Sends commands that are taken.
    pub(crate) async fn execute(&self, commands: &[String]) {
        let reply = self.send(commands).await;
        assert_eq!((reply.status, reply.text().as_str()), (202, "Command batch accepted"), "{reply:?}");
    }

    pub(crate) async fn send(&self, commands: &[String]) -> Reply {
        self.ask(batch(commands)).await
    }

    /// The answer to a request that waits for the map now and then: the clock is moved until it is there. For a store in memory,
    /// which takes no time.
    pub(crate) async fn answered(&self, request: TestRequest) -> Reply {
        let mut asked = Box::pin(self.ask(request));
        loop {
            if let Poll::Ready(reply) = futures::poll!(&mut asked) {
                return reply;
            }
            self.clock.advance(Duration::from_millis(50));
        }
    }

    pub(crate) async fn robot(&self, robot: Uuid) -> Value {
        self.ask(get(format!("/robots/{robot}"))).await.is(200)
    }

    pub(crate) async fn exists(&self, robot: Uuid) -> bool {
        self.ask(get(format!("/robots/{robot}"))).await.status == 200
    }

    /// Channel, transaction and payload of the events after so many.
    pub(crate) fn told_after(&self, count: usize) -> Vec<(String, Option<Uuid>, Value)> {
        let events = self.stored_events().into_iter().skip(count);
        events
            .map(|event| (event.channel, event.transaction, serde_json::from_str(&event.payload).unwrap()))
            .collect()
    }

    /// How many events there are.
    pub(crate) fn told(&self) -> usize {
        self.stored_events().len()
    }

    /// Payloads of the commands' results: one for each transaction.
    pub(crate) fn result_of(&self, transaction: Uuid) -> Value {
        let results: Vec<_> = self.results_of(transaction);
        assert_eq!(results.len(), 1, "a command has one result: {results:?}");
        results[0].clone()
    }

    pub(crate) fn results_of(&self, transaction: Uuid) -> Vec<Value> {
        let is_result = |channel: &str| ["movement", "mining", "regeneration", "fighting"].contains(&channel);
        let told = self.told_after(0).into_iter();
        told.filter(|(channel, of, _)| is_result(channel) && *of == Some(transaction))
            .map(|(_, _, payload)| payload)
            .collect()
    }

    pub(crate) async fn assert_books_balance(&self) {
        let health = self.ask(get("/health")).await;
        assert_eq!(health.body["parts"]["books"]["status"], "ok", "{}", health.body);
    }
}

/// Of the game service's stream.
pub(crate) fn event(position: &str, channel: Channel, payload: Value) -> Item {
    let headers = EventHeaders {
        event_id: Uuid::nil(),
        transaction_id: String::new(),
        version: "1".to_owned(),
        timestamp: "2026-01-01T00:00:00Z".to_owned(),
        r#type: channel.event_type().name().to_owned(),
    };
    let about = EventAbout::default();
    Item::Event(PublishedEvent { id: position.to_owned(), channel, headers, payload, about })
}

pub(crate) fn batch(commands: &[String]) -> TestRequest {
    post("/commands").json(&json!({ "commands": commands }))
}

pub(crate) fn spawning(owner: Uuid, transaction: Uuid, planets: &[Uuid]) -> TestRequest {
    post("/robots").json(&json!({
        "transactionId": transaction, "player": owner, "planets": planets, "quantity": planets.len(),
    }))
}

pub(crate) fn ids(robots: &Value) -> Vec<Uuid> {
    let robots = robots.as_array().unwrap().iter();
    robots.map(|robot| robot["id"].as_str().unwrap().parse().unwrap()).collect()
}

pub(crate) fn move_to(robot: Uuid, planet: Uuid, transaction: u128) -> String {
    format!("move {robot} {planet} {}", tx(transaction))
}

pub(crate) fn fight(attacker: Uuid, target: Uuid, transaction: u128) -> String {
    format!("fight {attacker} {target} {}", tx(transaction))
}

pub(crate) fn mine(robot: Uuid, transaction: u128) -> String {
    format!("mine {robot} {}", tx(transaction))
}

pub(crate) fn regenerate(robot: Uuid, transaction: u128) -> String {
    format!("regenerate {robot} {}", tx(transaction))
}
