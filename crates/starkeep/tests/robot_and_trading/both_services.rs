//! A robot and a trading service that call each other over HTTP, beside a map; what the game and the map tell is handed to them.
//! They have a secret in common, as services of one process have.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use starkeep_contract::events::{Channel, EventAbout, EventHeaders, PublishedEvent, Publisher};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::memory::Memory;
use starkeep_platform::service::FrameConfig;
use starkeep_platform::store::Store as _;
use starkeep_robot_service::RobotService;
use starkeep_test_harness::{
    EPOCH, Environment, Harness, Opened, Reply, ServiceUnderTest, StoreKind, StorePlace, TestRequest, get,
};
use starkeep_test_http::LocalServer;
use starkeep_trading_service::{Item, ServiceUrl, TradingService};
use uuid::Uuid;

use crate::fake_map::FakeMap;
use crate::outputs::{Outputs, ROBOT_TO_MAP, TRADING_TO_ROBOT, event};
use crate::robot_wire::RobotWire;

/// What services show each other.
const SECRET: &str = "secret";

pub(crate) struct RobotsUnderTest {
    map: ServiceUrl,
}

impl ServiceUnderTest for RobotsUnderTest {
    type Service = RobotService;

    async fn open(&self, environment: Environment<'_>) -> Opened<RobotService> {
        let Environment { store, replica, clock, chance } = environment;
        let StorePlace::Memory(disturb) = store else { panic!("a store in memory") };
        let store: Arc<dyn starkeep_robot_service::ports::Store> =
            starkeep_robot_service::store::memory::open(replica, disturb);
        let (common, frame) = (store.clone().common(), FrameConfig::default());
        let config = starkeep_robot_service::Config {
            frame: frame.clone(),
            service_token: secret(),
            station_word: "SPACE_STATION".to_owned(),
            mining_energy: 0,
            neighbours_delay: Duration::ZERO,
            map_timeout: Duration::from_secs(5),
        };
        let others = starkeep_robot_service::OtherServices { game: nowhere(), map: self.map.clone() };
        let service = RobotService::new(store, config, clock, chance, others);
        Opened { service, store: common, frame, relay_to: None }
    }
}

struct TradingUnderTest {
    robot: ServiceUrl,
}

impl ServiceUnderTest for TradingUnderTest {
    type Service = TradingService;

    async fn open(&self, environment: Environment<'_>) -> Opened<TradingService> {
        let Environment { store, replica, clock, chance } = environment;
        let StorePlace::Memory(disturb) = store else { panic!("a store in memory") };
        let store = Memory::<starkeep_trading_service::store::Trading>::new(replica, disturb);
        let (common, frame) = (store.clone().common(), FrameConfig::default());
        let config = starkeep_trading_service::Config {
            frame: frame.clone(),
            service_token: secret(),
            robot_timeout: Duration::from_secs(5),
        };
        let others = starkeep_trading_service::OtherServices {
            game: nowhere(),
            map: nowhere(),
            robot: Some(self.robot.clone()),
        };
        let service = TradingService::new(store, config, clock, chance, others);
        Opened { service, store: common, frame, relay_to: None }
    }
}

fn secret() -> AdminToken {
    AdminToken::new(Some(SECRET.to_owned()))
}

/// Nobody is asked there.
fn nowhere() -> ServiceUrl {
    ServiceUrl::parse("http://127.0.0.1:1").unwrap()
}

pub(crate) struct BothServices {
    robots: Arc<Harness<RobotsUnderTest>>,
    trading: Harness<TradingUnderTest>,
    map: Arc<FakeMap>,
    wire: Arc<RobotWire>,
    /// How many events were handed to them.
    heard: Mutex<u64>,
    /// How many of their events were looked at.
    seen: [usize; 2],
    _served: [LocalServer; 2],
}

impl BothServices {
    pub(crate) async fn beside_a_map_of(planets: BTreeMap<String, Value>) -> Self {
        let map = FakeMap::new(planets);
        let served_map = LocalServer::start(map.router()).await;
        let robots = RobotsUnderTest { map: ServiceUrl::local(served_map.address()) };
        let robots = Arc::new(Harness::open(robots, StoreKind::Memory).await);
        let wire = RobotWire::new(robots.clone());
        let served_wire = LocalServer::start(wire.router()).await;
        let trading = TradingUnderTest { robot: ServiceUrl::local(served_wire.address()) };
        let trading = Harness::open(trading, StoreKind::Memory).await;
        Self {
            robots,
            trading,
            map,
            wire,
            heard: Mutex::new(0),
            seen: [0, 0],
            _served: [served_map, served_wire],
        }
    }

    /// An event of the game service or the map.
    pub(crate) async fn hear(&self, channel: &str, transaction: &str, payload: &Value) {
        let channel = Channel::from_name(channel).unwrap();
        let position = {
            let mut heard = self.heard.lock().unwrap();
            *heard += 1;
            format!("log-{heard}-0")
        };
        let headers = EventHeaders {
            event_id: Uuid::nil(),
            transaction_id: transaction.to_owned(),
            version: "1".to_owned(),
            timestamp: "2026-01-01T00:00:00Z".to_owned(),
            r#type: channel.event_type().name().to_owned(),
        };
        let item = Item::Event(PublishedEvent {
            id: position.clone(),
            channel,
            headers,
            payload: payload.clone(),
            about: EventAbout::default(),
        });
        if channel.publisher() == Publisher::Map {
            self.trading.service().record_map_items(EPOCH, &[item], position).await.unwrap();
        } else {
            self.trading
                .service()
                .record_game_items(EPOCH, std::slice::from_ref(&item), position.clone())
                .await
                .unwrap();
            self.robots.service().game_stream().record(EPOCH, &[item], position).await.unwrap();
        }
    }

    pub(crate) async fn ask_robots(&self, request: TestRequest) -> Reply {
        self.robots.ask(request.bearer(SECRET)).await
    }

    pub(crate) async fn ask_trading(&self, request: TestRequest) -> Reply {
        self.trading.ask(request.bearer(SECRET)).await
    }

    /// The events that were told and the calls that were made since the last time this was asked.
    pub(crate) async fn take_outputs(&mut self) -> Outputs {
        let mut outputs = Outputs::none();
        let all = || get("/events?after=start&limit=1000").header("accept", "application/json");
        let told = [self.ask_robots(all()).await, self.ask_trading(all()).await];
        for (page, seen) in told.into_iter().zip(&mut self.seen) {
            let page = page.is(200);
            let events = page["events"].as_array().unwrap();
            for told in &events[*seen..] {
                let channel = told["channel"].as_str().unwrap();
                outputs.add(channel, event(channel, &told["headers"], &told["payload"]));
            }
            *seen = events.len();
        }
        for (place, calls) in
            [(TRADING_TO_ROBOT, self.wire.take_calls()), (ROBOT_TO_MAP, self.map.take_calls())]
        {
            for call in calls {
                outputs.add(place, call);
            }
        }
        outputs
    }

    /// What both say of their books.
    pub(crate) async fn assert_books_balance(&self) {
        let health = [self.ask_robots(get("/health")).await, self.ask_trading(get("/health")).await];
        for health in health {
            assert_eq!(health.is(200)["parts"]["books"]["status"], "ok", "{health:?}");
        }
    }
}
