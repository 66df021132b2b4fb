//! A map service on a folder of its own, and the shortest ways to ask it something.
//! What is expected of the answers stands in the tests.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use futures::FutureExt as _;
use http::response::Parts;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_contract_check::{ContractCheck, Exchange};
use starkeep_map_service::ports::Store;
use starkeep_map_service::store::{memory, sqlite};
use starkeep_map_service::{Config, MapService};
use starkeep_platform::blocking::TokioBlocking;
use starkeep_platform::chance::SystemChance;
use starkeep_platform::clock::ManualClock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed};
use starkeep_platform::tasks::{Leader, Stop};
use tempfile::TempDir;
use tower::ServiceExt;
use uuid::Uuid;

pub(crate) struct Installation {
    /// None if the store is in memory.
    folder: Option<TempDir>,
    config: Config,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) leader: Leader,
    pub(crate) stop: Stop,
    pub(crate) service: Arc<MapService>,
    pub(crate) framed: Framed,
    router: Router,
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

/// Of the lease that every test holds.
pub(crate) const EPOCH: Epoch = Epoch(1);

/// 2024-05-01T12:00:00Z, when every test begins.
pub(crate) const BEGINNING: i64 = 1_714_564_800;

fn clock() -> Arc<ManualClock> {
    ManualClock::new(Timestamp::from_second(BEGINNING).unwrap())
}

pub(crate) fn config() -> Config {
    Config {
        frame: FrameConfig::default(),
        closed_mining: false,
        replenish_every: Some(Duration::from_mins(1)),
    }
}

pub(crate) fn framed(frame: FrameConfig) -> Config {
    Config { frame, ..config() }
}

pub(crate) fn msd() -> Config {
    framed(FrameConfig { dialect: Dialect::Msd, ..FrameConfig::default() })
}

pub(crate) fn guarded() -> Config {
    framed(FrameConfig { admin_token: AdminToken::new(Some("s3cret".to_owned())), ..FrameConfig::default() })
}

impl Installation {
    /// On a file: for tests that restart the service or look at what is stored.
    pub(crate) fn new() -> Self {
        Self::with(config())
    }

    pub(crate) fn with(config: Config) -> Self {
        Self::on(tempfile::tempdir().unwrap(), config, clock())
    }

    /// On what the folder holds.
    pub(crate) fn on(folder: TempDir, config: Config, clock: Arc<ManualClock>) -> Self {
        let store = sqlite::open(&folder.path().join("map.db"), ReplicaId(Uuid::nil())).unwrap();
        Self::on_store(store, Some(folder), config, clock)
    }

    /// For tests that only need some store. This one makes every decision twice and refuses what is not a function of the
    /// image. A test of several threads cannot use it: while a decision is made again, all of them see another time.
    pub(crate) fn in_memory() -> Self {
        Self::in_memory_with(config())
    }

    pub(crate) fn in_memory_with(config: Config) -> Self {
        let clock = clock();
        // Chance is the system's: it gives other ids each time as it is.
        let disturbed = clock.clone();
        let store = memory::open(ReplicaId(Uuid::nil()), Arc::new(move |on| disturbed.disturb(on)));
        Self::on_store(store, None, config, clock)
    }

    fn on_store(
        store: Arc<dyn Store>,
        folder: Option<TempDir>,
        config: Config,
        clock: Arc<ManualClock>,
    ) -> Self {
        let stop = Stop::new();
        let common = store.clone().common();
        let service = MapService::new(
            store,
            config.clone(),
            clock.clone(),
            Arc::new(SystemChance),
            Arc::new(TokioBlocking),
        );
        let framed = Framed::open(service.clone(), common, clock.clone(), config.frame.clone(), None);
        let framed = framed.now_or_never().unwrap().unwrap();
        let leader = framed.leader(stop.clone());
        let router = framed.router(&leader);
        Self { folder, config, clock, leader, stop, service, framed, router }
    }

    /// The process ends and another one begins on the same file.
    pub(crate) fn restart(self) -> Self {
        let Self { folder, config, clock, stop, .. } = self;
        stop.cancel();
        Self::on(folder.expect("only a file outlives the process"), config, clock)
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let (head, bytes) = self.exchange(request).await;
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        Reply { status: head.status, headers: head.headers, body }
    }

    /// Everything that a test asks and is answered is as the contract has it.
    async fn exchange(&self, request: Request<Body>) -> (Parts, Bytes) {
        let (asked, asked_body) = request.into_parts();
        let asked_body = asked_body.collect().await.unwrap().to_bytes();
        let request = Request::from_parts(asked.clone(), Body::from(asked_body.clone()));
        let (head, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        contract().check(&Exchange {
            method: &asked.method,
            path: &asked.uri.to_string(),
            request_headers: &asked.headers,
            request_body: &asked_body,
            status: head.status.as_u16(),
            headers: &head.headers,
            body: &body,
            is_request_documented: asked.extensions.get::<Undocumented>().is_none(),
        });
        (head, body)
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(request(Method::GET, path, None)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(request(Method::POST, path, Some(body))).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send(request(Method::PATCH, path, Some(body))).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send(request(Method::DELETE, path, None)).await
    }

    /// The id of a new small world.
    pub(crate) async fn world(&self) -> String {
        let reply = self.post("/gameworlds", json!({"gameworld": {"player_amount": 2, "seed": 7}})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        text(&reply.body["id"])
    }

    pub(crate) async fn deactivate(&self, world: &str) -> Reply {
        let body = json!({"gameworld": {"status": "inactive"}});
        self.patch(&format!("/gameworlds/{world}"), body).await
    }

    /// All planets of the world, with coordinates.
    pub(crate) async fn chart(&self, world: &str) -> Vec<Value> {
        let reply = self.get(&format!("/gameworlds/{world}/planets")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body.as_array().unwrap().clone()
    }

    /// The ids of the planets with a deposit, in slot order.
    pub(crate) async fn deposits(&self, world: &str) -> Vec<String> {
        let chart = self.chart(world).await;
        chart
            .iter()
            .filter(|planet| !planet["resource"].is_null())
            .map(|planet| text(&planet["id"]))
            .collect()
    }

    pub(crate) async fn mine(&self, planet: &str, amount: i64) -> Reply {
        let body = json!({"mining": {"amount_requested": amount}});
        self.post(&format!("/planets/{planet}/minings"), body).await
    }

    pub(crate) async fn metrics(&self) -> String {
        let (_, body) = self.exchange(request(Method::GET, "/metrics", None)).await;
        String::from_utf8(body.to_vec()).unwrap()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.as_ref().expect("a store on a file").path().join("map.db")
    }

    /// A connection of our own, to see what is stored.
    pub(crate) fn database(&self) -> Connection {
        Connection::open(self.file()).unwrap()
    }

    pub(crate) fn count(&self, table: &str) -> i64 {
        self.database().query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

/// An extension of a request that is taken although the contract does not describe it so. Its answer is compared all the same.
#[derive(Clone, Copy)]
pub(crate) struct Undocumented;

fn contract() -> &'static ContractCheck {
    static CONTRACT: OnceLock<ContractCheck> = OnceLock::new();
    CONTRACT.get_or_init(|| ContractCheck::new(serde_json::to_value(MapService::contract()).unwrap()))
}

impl Reply {
    /// The status, the code and the field of a problem.
    pub(crate) fn refusal(&self) -> (u16, &str, Option<&str>) {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{}", self.body);
        assert_eq!(self.body["status"], self.status.as_u16());
        (self.status.as_u16(), self.body["code"].as_str().unwrap(), self.body["field"].as_str())
    }
}

pub(crate) fn request(method: Method, path: &str, body: Option<Value>) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    match body {
        Some(body) => request.header("content-type", "application/json").body(body.to_string().into()),
        None => request.body(Body::empty()),
    }
    .unwrap()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
