//! A trading service under test, with a robot service in memory, and the shortest ways to hand it events and to trade.
//! What every service's tests need is in `starkeep-test-harness`.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use starkeep_contract::events::{Channel, EventAbout, EventHeaders, Gap, GapReason, PublishedEvent};
use starkeep_executor::WorldEvent;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::memory::Memory;
use starkeep_platform::service::FrameConfig;
use starkeep_platform::store::Store;
use starkeep_test_harness::{
    EPOCH, Environment, Harness, Opened, Reply, ServiceUnderTest, StoreKind, StorePlace, TestRequest, get,
    post, store_in,
};
use starkeep_trading_core::{PlanetId, WorldId};
use starkeep_trading_service::ports::{Others, Robots};
use starkeep_trading_service::store::Trading;
use starkeep_trading_service::{Config, Item, TradingService};
use uuid::Uuid;

use crate::fake_robots::FakeRobots;

pub(crate) const GAME: Uuid = Uuid::from_u128(0x9a);
pub(crate) const WORLD: Uuid = Uuid::from_u128(0x3d);
pub(crate) const A: Uuid = Uuid::from_u128(0xa);
pub(crate) const B: Uuid = Uuid::from_u128(0xb);

/// How long one call to the robot service may take.
pub(crate) const ROBOT_TIMEOUT: Duration = Duration::from_secs(2);

/// Stations are 1 to 4.
pub(crate) fn planet(number: u128) -> Uuid {
    Uuid::from_u128(0x5a00 + number)
}

/// A position of the game service's log.
pub(crate) fn place(number: u64) -> String {
    starkeep_platform::events::Position { epoch: 1, number, piece: 0 }.to_string()
}

/// Some command's id.
pub(crate) fn tx(number: u128) -> Uuid {
    Uuid::from_u128(0x7000 + number)
}

#[derive(Clone)]
pub(crate) struct TradingUnderTest {
    pub(crate) robots: Arc<FakeRobots>,
    pub(crate) others: Arc<FakeOthers>,
    has_robots: bool,
    service_token: AdminToken,
    /// Its store, if that is in memory.
    memory: OnceLock<Arc<Memory<Trading>>>,
    /// The store of the replica that it runs beside.
    beside: Option<Arc<Memory<Trading>>>,
}

/// What the game and map services answer where they are asked.
#[derive(Default)]
pub(crate) struct FakeOthers {
    /// Where the game service's log ends.
    pub(crate) end: Mutex<String>,
    pub(crate) rosters: Mutex<Option<Value>>,
    pub(crate) worlds: Mutex<Vec<(Uuid, Vec<Uuid>)>>,
}

impl Others for FakeOthers {
    fn game_position(&self) -> BoxFuture<'_, Result<String, String>> {
        let end = self.end.lock().unwrap().clone();
        Box::pin(async move { Ok(end) })
    }

    fn rosters(&self) -> BoxFuture<'_, Result<Vec<u8>, String>> {
        let rosters = self.rosters.lock().unwrap().clone();
        let rosters = rosters.map(|rosters| rosters.to_string().into_bytes());
        Box::pin(async move { rosters.ok_or_else(|| "nobody is there".to_owned()) })
    }

    fn world(&self, world: WorldId) -> BoxFuture<'_, Result<Option<WorldEvent>, String>> {
        let worlds = self.worlds.lock().unwrap().clone();
        let found = worlds.into_iter().find(|(id, _)| *id == world.0);
        let found = found.map(|(_, stations)| stations.into_iter().map(PlanetId).collect());
        Box::pin(async move { Ok(found.map(|stations| WorldEvent { world, stations })) })
    }
}

impl ServiceUnderTest for TradingUnderTest {
    type Service = TradingService;

    async fn open(&self, environment: Environment<'_>) -> Opened<TradingService> {
        let Environment { store, replica, clock, chance } = environment;
        let store: Arc<dyn Store<Trading>> = match store {
            StorePlace::File(file) => store_in(file, replica),
            StorePlace::Postgres(schema) => schema.open::<Trading>(replica).await,
            StorePlace::Memory(disturb) => {
                let store = match &self.beside {
                    Some(first) => first.another(replica),
                    None => Memory::new(replica, disturb),
                };
                self.memory.get_or_init(|| store).clone()
            }
        };
        let frame = FrameConfig { admin_token: self.service_token.clone(), ..FrameConfig::default() };
        let config = Config {
            frame: frame.clone(),
            service_token: self.service_token.clone(),
            robot_timeout: ROBOT_TIMEOUT,
        };
        let robots = self.has_robots.then(|| self.robots.clone() as Arc<dyn Robots>);
        let common = store.clone().common();
        let service = TradingService::beside(store, config, clock, chance, robots, self.others.clone());
        Opened { service, store: common, frame, relay_to: None }
    }
}

pub(crate) struct Bench {
    harness: Harness<TradingUnderTest>,
    pub(crate) robots: Arc<FakeRobots>,
    pub(crate) others: Arc<FakeOthers>,
    last_position: Mutex<u64>,
}

impl Deref for Bench {
    type Target = Harness<TradingUnderTest>;

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
    /// On a file: for tests that restart the service or look at what is stored.
    pub(crate) async fn on_file() -> Self {
        Self::with(StoreKind::Sqlite, true, None).await
    }

    pub(crate) async fn in_memory() -> Self {
        Self::with(StoreKind::Memory, true, None).await
    }

    pub(crate) async fn with(store: StoreKind, has_robots: bool, token: Option<&str>) -> Self {
        let (robots, others) = (FakeRobots::new(), Arc::new(FakeOthers::default()));
        let service_token = AdminToken::new(token.map(str::to_owned));
        let under_test = TradingUnderTest {
            robots: robots.clone(),
            others: others.clone(),
            has_robots,
            service_token,
            memory: OnceLock::new(),
            beside: None,
        };
        Self { harness: Harness::open(under_test, store).await, robots, others, last_position: Mutex::new(0) }
    }

    /// Another process on the same store, which is in memory, beside the same services. It does not lead.
    pub(crate) async fn another_replica(&self) -> Self {
        let under_test = TradingUnderTest {
            memory: OnceLock::new(),
            beside: Some(self.memory().clone()),
            ..self.under_test.clone()
        };
        let (robots, others) = (self.robots.clone(), self.others.clone());
        let harness = self.harness.beside(under_test).await;
        Self { harness, robots, others, last_position: Mutex::new(1_000) }
    }

    pub(crate) fn memory(&self) -> &Arc<Memory<Trading>> {
        self.under_test.memory.get().expect("a store in memory")
    }

    /// A running game of A and B with four stations, in its first round.
    pub(crate) async fn game() -> Self {
        let bench = Self::in_memory().await;
        bench.start_game().await;
        bench
    }

    pub(crate) async fn start_game(&self) {
        self.create(GAME).await;
        for player in [A, B] {
            self.join(GAME, player).await;
        }
        self.world(WORLD, &[1, 2, 3, 4].map(planet)).await;
        self.start(GAME, WORLD).await;
        self.round(1, "started").await;
        self.round(1, "command input ended").await;
    }

    /// An event of the game or the map service arrives.
    pub(crate) async fn receive(&self, channel: &str, transaction: Option<Uuid>, payload: Value) {
        self.try_receive(channel, transaction, payload).await.unwrap();
    }

    pub(crate) async fn try_receive(
        &self,
        channel: &str,
        transaction: Option<Uuid>,
        payload: Value,
    ) -> Result<(), String> {
        let position = self.next_position();
        let event = event(channel, &position, transaction, payload);
        match Channel::from_name(channel).unwrap() {
            Channel::GameworldCreated => self.service().record_map_items(EPOCH, &[event], position).await,
            _ => self.service().record_game_items(EPOCH, &[event], position).await,
        }
    }

    fn next_position(&self) -> String {
        let mut last = self.last_position.lock().unwrap();
        *last += 1;
        place(*last)
    }

    /// The next event stands there.
    pub(crate) fn go_on_at(&self, number: u64) {
        *self.last_position.lock().unwrap() = number - 1;
    }

    pub(crate) async fn miss_events(&self, of_the_map: bool) -> Result<(), String> {
        let position = self.next_position();
        let gap = Item::Gap(Gap { reason: GapReason::Expired, resumes_after: position.clone() });
        if of_the_map {
            self.service().record_map_items(EPOCH, &[gap], position).await
        } else {
            self.service().record_game_items(EPOCH, &[gap], position).await
        }
    }

    pub(crate) async fn create(&self, game: Uuid) {
        self.receive("status", None, json!({"gameId": game, "status": "created"})).await;
    }

    async fn roster(&self, game: Uuid, change: &str, more: Value, transaction: Option<Uuid>) {
        let mut payload = json!({
            "gameId": game, "change": change, "playerId": null, "gameworldId": null, "startMoney": null,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.receive("gameRoster", transaction, payload).await;
    }

    /// With a transaction that follows from the player.
    pub(crate) async fn join(&self, game: Uuid, player: Uuid) {
        self.join_with(game, player, 200).await;
    }

    pub(crate) async fn join_with(&self, game: Uuid, player: Uuid, money: u64) {
        let transaction = Some(tx(0x100 + player.as_u128()));
        self.roster(game, "joined", json!({"playerId": player, "startMoney": money}), transaction).await;
    }

    pub(crate) async fn leave(&self, game: Uuid, player: Uuid) {
        self.roster(game, "left", json!({"playerId": player}), None).await;
    }

    pub(crate) async fn start(&self, game: Uuid, world: Uuid) {
        self.roster(game, "started", json!({"gameworldId": world}), None).await;
    }

    pub(crate) async fn end(&self, game: Uuid) {
        self.roster(game, "ended", json!({}), None).await;
    }

    pub(crate) async fn delete(&self, game: Uuid) {
        self.roster(game, "deleted", json!({}), None).await;
    }

    pub(crate) async fn world(&self, world: Uuid, stations: &[Uuid]) {
        let payload = json!({"id": world, "spacestation_ids": stations, "status": "active"});
        self.receive("gameworld-created", None, payload).await;
    }

    pub(crate) async fn round(&self, number: u32, status: &str) {
        self.round_of(GAME, number, status).await;
    }

    pub(crate) async fn round_of(&self, game: Uuid, number: u32, status: &str) {
        let payload = json!({
            "gameId": game, "roundId": Uuid::from_u128(number.into()), "roundNumber": number, "roundStatus": status,
        });
        self.receive("roundStatus", None, payload).await;
    }

    pub(crate) async fn next_round(&self, number: u32) {
        self.round(number - 1, "ended").await;
        self.round(number, "started").await;
        self.round(number, "command input ended").await;
    }

    pub(crate) async fn send(&self, commands: &[Value]) -> Reply {
        self.ask(batch(commands)).await
    }

    /// Executes the batch: the events that it caused.
    #[track_caller]
    pub(crate) fn execute(&self, commands: &[Value]) -> impl Future<Output = Vec<Value>> + use<'_> {
        let (before, request) = (self.trades().len(), batch(commands));
        async move {
            let reply = self.ask(request).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            assert_eq!((reply.text().as_str(), reply.header("content-type")), ("", Some("text/plain")));
            self.trades().split_off(before)
        }
    }

    /// The messages of the events that a batch caused.
    pub(crate) async fn messages(&self, commands: &[Value]) -> Vec<String> {
        let trades = self.execute(commands).await;
        trades.iter().map(|trade| trade["message"].as_str().unwrap().to_owned()).collect()
    }

    /// The payloads of all `trades` so far.
    pub(crate) fn trades(&self) -> Vec<Value> {
        self.published("trades").into_iter().map(|event| event.1).collect()
    }

    /// Transaction and payload of all events of a channel.
    pub(crate) fn published(&self, channel: &str) -> Vec<(Option<Uuid>, Value)> {
        let events = self.stored_events().into_iter().filter(|event| event.channel == channel);
        events.map(|event| (event.transaction, serde_json::from_str(&event.payload).unwrap())).collect()
    }

    /// The events as a host sees them.
    pub(crate) async fn shown_events(&self, channel: &str) -> Vec<Value> {
        let path = format!("/events?channels={channel}&after=start&limit=1000");
        let page = self.ask(get(path).header("accept", "application/json")).await;
        page.is(200)["events"].as_array().unwrap().clone()
    }

    pub(crate) async fn read(&self, path: &str) -> Value {
        self.ask(get(path)).await.is(200)
    }

    pub(crate) async fn money(&self, player: Uuid) -> u64 {
        let balances = self.read(&format!("/balances?gameId={GAME}")).await;
        let balances = balances.as_array().unwrap();
        let of = balances.iter().find(|balance| balance["playerId"] == json!(player));
        of.unwrap()["balance"].as_u64().unwrap()
    }

    /// The books balance, and nothing is left open.
    pub(crate) async fn assert_settled(&self) {
        let health = self.read("/health").await;
        assert_eq!(health["parts"]["books"]["status"], "ok", "{health}");
        assert_eq!(health["parts"]["robot"]["detail"], "all trades are settled", "{health}");
    }
}

pub(crate) fn batch(commands: &[Value]) -> TestRequest {
    post("/commands").json(&json!(commands))
}

pub(crate) fn event(channel: &str, position: &str, transaction: Option<Uuid>, payload: Value) -> Item {
    Item::Event(PublishedEvent {
        id: position.to_owned(),
        channel: Channel::from_name(channel).unwrap(),
        headers: EventHeaders {
            event_id: Uuid::nil(),
            transaction_id: transaction.map(|id| id.to_string()).unwrap_or_default(),
            version: "1".to_owned(),
            timestamp: "2026-01-01T00:00:00Z".to_owned(),
            r#type: channel.to_owned(),
        },
        payload,
        about: EventAbout::default(),
    })
}

pub(crate) fn buy_robots(transaction: Uuid, player: Uuid, amount: i64) -> Value {
    let payload = json!({
        "commandType": "buy", "robotId": null, "amount": amount, "planetId": null, "itemName": "ROBOT",
    });
    json!({"transactionId": transaction, "playerId": player, "payload": payload})
}

pub(crate) fn buy(transaction: Uuid, player: Uuid, robot: Uuid, item: &str, planet: Option<Uuid>) -> Value {
    let payload = json!({
        "commandType": "buy", "robotId": robot, "amount": 1, "planetId": planet, "itemName": item,
    });
    json!({"transactionId": transaction, "playerId": player, "payload": payload})
}

pub(crate) fn sell(transaction: Uuid, player: Uuid, robot: Uuid, planet: Option<Uuid>) -> Value {
    let payload = json!({
        "commandType": "sell", "robotId": robot, "amount": null, "planetId": planet, "itemName": null,
    });
    json!({"transactionId": transaction, "playerId": player, "payload": payload})
}
