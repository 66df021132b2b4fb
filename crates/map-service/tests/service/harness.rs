//! A map service under test, and the shortest ways to ask it something.
//! What every service's tests need is in `starkeep-test-harness`.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_map_service::store::{Maps, memory, sql};
use starkeep_map_service::{Config, MapService};
use starkeep_platform::blocking::TokioBlocking;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::service::FrameConfig;
use starkeep_test_harness::{
    Environment, Harness, Opened, Reply, ServiceUnderTest, StoreKind, StorePlace, delete, get, patch, post,
    text,
};

/// When every test begins, in seconds.
pub(crate) const BEGINNING: i64 = 1_714_564_800;

pub(crate) struct MapUnderTest {
    config: Config,
}

impl ServiceUnderTest for MapUnderTest {
    type Service = MapService;

    const START: &'static str = "2024-05-01T12:00:00Z";

    async fn open(&self, environment: Environment<'_>) -> Opened<MapService> {
        let Environment { store, replica, clock, chance } = environment;
        let store = match store {
            StorePlace::File(file) => sql::open_sqlite(file, replica).unwrap(),
            StorePlace::Postgres(schema) => schema.open::<Maps>(replica).await,
            StorePlace::Memory(disturb) => memory::open(replica, disturb),
        };
        let (common, frame) = (store.clone().common(), self.config.frame.clone());
        let service = MapService::new(store, self.config.clone(), clock, chance, Arc::new(TokioBlocking));
        Opened { service, store: common, frame, relay_to: None }
    }
}

pub(crate) struct TestMap(Harness<MapUnderTest>);

impl Deref for TestMap {
    type Target = Harness<MapUnderTest>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for TestMap {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

pub(crate) fn config() -> Config {
    Config {
        frame: FrameConfig::default(),
        closed_mining: false,
        closed_map: false,
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

impl TestMap {
    /// On a file: for tests that restart the service or look at what is stored.
    pub(crate) async fn new() -> Self {
        Self::with(config()).await
    }

    pub(crate) async fn with(config: Config) -> Self {
        Self(Harness::open(MapUnderTest { config }, StoreKind::Sqlite).await)
    }

    /// For tests that only need some store.
    pub(crate) async fn in_memory() -> Self {
        Self::in_memory_with(config()).await
    }

    pub(crate) async fn in_memory_with(config: Config) -> Self {
        Self(Harness::open(MapUnderTest { config }, StoreKind::Memory).await)
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.ask(get(path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.ask(post(path).json(&body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Reply {
        self.ask(patch(path).json(&body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.ask(delete(path)).await
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
}
