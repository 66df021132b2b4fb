//! A game service on a test bench: its own store, a map in memory, a clock that is moved by hand, and no background task.
//! On files it can be closed and opened again, and its event log is read from the file itself.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http_body_util::BodyExt;
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_game_core::{GameId, PlayerId};
use starkeep_game_service::app::JoinRequest;
use starkeep_game_service::ports::{Executor, Store};
use starkeep_game_service::store::memory::MemoryStore;
use starkeep_game_service::testing::{compare, observed};
use starkeep_game_service::{Config, GameService, OtherServices};
use starkeep_platform::chance::{Chance, SequentialIds};
use starkeep_platform::clock::{Clock, ManualClock};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed};
use starkeep_platform::tasks::{Leader, Stop};
use tower::ServiceExt;
use uuid::Uuid;

use crate::asking::{Ask, Reply, get, patch, post, put};
use crate::fake_map::FakeMap;
use crate::fake_receiver::FakeReceiver;
use crate::held_writer::HeldWriter;
use crate::store_kind::{StoreKind, in_memory, on_file};

/// Of the lease that every bench holds.
pub(crate) const EPOCH: Epoch = Epoch(1);

/// When every bench's wall clock begins.
pub(crate) const DAWN: &str = "2026-01-01T00:00:00Z";

#[derive(Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) store: StoreKind,
    pub(crate) dialect: Dialect,
    pub(crate) token: Option<&'static str>,
    pub(crate) running_games: u32,
    /// Whether there are a trading and a robot service.
    pub(crate) executors: bool,
    /// On a clock that is moved by hand a pause is waited for by hand.
    pub(crate) batch_gap: Duration,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            store: StoreKind::Sqlite,
            dialect: Dialect::Standard,
            token: None,
            running_games: 1,
            executors: true,
            batch_gap: Duration::ZERO,
        }
    }
}

impl Setup {
    pub(crate) fn in_memory() -> Self {
        Self { store: StoreKind::Memory, ..Self::default() }
    }
}

pub(crate) struct Bench {
    pub(crate) map: Arc<FakeMap>,
    pub(crate) trading: Arc<FakeReceiver>,
    pub(crate) robots: Arc<FakeReceiver>,
    pub(crate) clock: Arc<ManualClock>,
    setup: Setup,
    pub(crate) chance: Arc<SequentialIds>,
    pub(crate) writer: Arc<HeldWriter>,
    process: Option<Process>,
    /// How many there were: each is another replica.
    processes: u128,
    memory: Option<Arc<MemoryStore>>,
    /// None if the store is in memory.
    folder: Option<tempfile::TempDir>,
}

struct Process {
    service: Arc<GameService>,
    framed: Framed,
    router: Router,
    store: Arc<dyn Store>,
}

/// In memory where there is such a place: what survives is decided by the commits, not by the disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}

/// One life of the process: what is under way when `play` is over is killed where it stands.
pub(crate) fn live<T>(play: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(play)
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
        let mut bench = Self {
            map: FakeMap::new(),
            trading: FakeReceiver::new(),
            robots: FakeReceiver::new(),
            clock: ManualClock::new(DAWN.parse().expect("a time stamp")),
            setup,
            chance: SequentialIds::new(),
            writer: HeldWriter::new(setup.running_games),
            process: None,
            processes: 0,
            memory: None,
            folder: (setup.store == StoreKind::Sqlite).then(folder),
        };
        bench.open().await;
        bench
    }

    async fn open(&mut self) {
        let config = Config {
            frame: FrameConfig {
                dialect: self.setup.dialect,
                admin_token: AdminToken::new(self.setup.token.map(str::to_owned)),
                ..FrameConfig::default()
            },
            max_running_games: self.setup.running_games,
            batch_gap: self.setup.batch_gap,
        };
        let other_services = OtherServices {
            map: self.map.clone(),
            trading: self.setup.executors.then(|| self.trading.clone() as Arc<dyn Executor>),
            robots: self.setup.executors.then(|| self.robots.clone() as Arc<dyn Executor>),
        };
        let slots = self.setup.running_games;
        self.processes += 1;
        let replica = ReplicaId(Uuid::from_u128(self.processes));
        let store: Arc<dyn Store> = match self.setup.store {
            StoreKind::Sqlite => on_file(&self.file(), slots, replica).await,
            StoreKind::Memory => {
                let new = || in_memory(slots, replica, self.clock.clone(), self.chance.clone());
                self.memory.get_or_insert_with(new).clone()
            }
        };
        let store = observed(store, self.writer.clone());
        let (common, frame) = (store.clone().common(), config.frame.clone());
        let service =
            GameService::new(store.clone(), config, other_services, self.clock.clone(), self.chance.clone());
        let service = Arc::new(service);
        let framed = Framed::open(service.clone(), common, self.clock.clone(), frame, None).await;
        let framed = framed.expect("the service opens");
        let router = framed.router(&Leader::always(self.clock.clone(), Stop::new()));
        self.process = Some(Process { service, framed, router, store });
    }

    /// Another process on the same store, beside the same services. It does not lead.
    pub(crate) async fn another_replica(&self) -> Self {
        let processes = self.processes + 1;
        let mut another = Self {
            map: self.map.clone(),
            trading: self.trading.clone(),
            robots: self.robots.clone(),
            clock: self.clock.clone(),
            setup: self.setup,
            chance: self.chance.clone(),
            writer: HeldWriter::new(self.setup.running_games),
            process: None,
            processes,
            memory: Some(self.memory().another(ReplicaId(Uuid::from_u128(processes)))),
            folder: None,
        };
        another.open().await;
        another
    }

    pub(crate) fn memory(&self) -> &MemoryStore {
        self.memory.as_ref().expect("a store in memory")
    }

    /// Ends the process; the database is closed, and nobody holds on to it.
    pub(crate) fn close(&mut self) -> Connection {
        let process = self.process.take().expect("the service is open");
        let app = Arc::downgrade(process.service.app());
        drop(process);
        assert!(app.upgrade().is_none(), "something of the process lives on");
        let database = Connection::open(self.file()).expect("the database opens");
        database.pragma_update(None, "foreign_keys", true).expect("a setting");
        database
    }

    /// Ends the process and starts another one, whose monotonic clock knows nothing of the first.
    pub(crate) async fn restart(&mut self) {
        self.reopen_after(|_| {}).await;
    }

    /// Ends the process, lets somebody at its file, and starts another one.
    pub(crate) async fn reopen_after(&mut self, change: impl FnOnce(&Connection)) {
        change(&self.close());
        self.clock = ManualClock::new(self.clock.wall());
        self.open().await;
    }

    pub(crate) async fn restart_with(&mut self, setup: Setup) {
        self.setup = setup;
        self.restart().await;
    }

    pub(crate) fn service(&self) -> &GameService {
        &self.process.as_ref().expect("the service is open").service
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        self.process.as_ref().expect("the service is open").store.clone()
    }

    pub(crate) fn framed(&self) -> &Framed {
        &self.process.as_ref().expect("the service is open").framed
    }

    pub(crate) fn ask(&self, ask: Ask) -> impl Future<Output = Reply> + Send + use<> {
        let router = self.process.as_ref().expect("the service is open").router.clone();
        async move {
            let Ok(response) = router.oneshot(ask.request()).await;
            let (parts, body) = response.into_parts();
            let body = body.collect().await.expect("the body arrives").to_bytes();
            let reply = Reply { status: parts.status.as_u16(), headers: parts.headers, body };
            ask.compare_with_contract(&reply);
            reply
        }
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

    /// Time passes all at once, and what has become due is done. More than a round is a freeze.
    pub(crate) async fn advance(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
        self.tick().await;
    }

    /// The same, while nobody carries anything out.
    pub(crate) async fn advance_alone(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
        self.service().round_clock().step(EPOCH).await.expect("boundaries are taken");
    }

    /// What is due is done, and what is to be carried out is, until there is nothing left of either.
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
        self.service().app().beat(Some(EPOCH)).await.expect("the heart beats");
    }

    pub(crate) async fn care(&self) -> Result<(), String> {
        self.service().reconciler().step(EPOCH).await
    }

    /// A replica that was given only the serialised changes came to the same as the service and its database.
    pub(crate) async fn compare_replica(&self) {
        compare(&self.writer.follower, self.service(), &self.database()).await;
    }

    pub(crate) fn wall(&self) -> Timestamp {
        self.clock.wall()
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.folder.is_none()
    }

    fn file(&self) -> PathBuf {
        self.folder.as_ref().expect("a store on a file").path().join("game.db")
    }

    /// The database as it is on the disk, beside the running service.
    pub(crate) fn database(&self) -> Connection {
        Connection::open_with_flags(self.file(), OpenFlags::SQLITE_OPEN_READ_WRITE)
            .expect("the database opens")
    }

    pub(crate) fn count(&self, from: &str) -> i64 {
        let count = self.database().query_row(&format!("SELECT count(*) FROM {from}"), [], |row| row.get(0));
        count.expect("a count")
    }
}

/// The `gameId` of an answer to `POST /games`.
#[track_caller]
pub(crate) fn id_in(reply: &Reply) -> Uuid {
    uuid_in(&reply.is(201), "gameId")
}

#[track_caller]
pub(crate) fn uuid_in(object: &Value, field: &str) -> Uuid {
    let text = object[field].as_str().unwrap_or_else(|| panic!("no {field} in {object}"));
    text.parse().expect("a UUID")
}
