//! A robot and a trading service that behave like those of the existing stack where it matters in which order things happen: a
//! consumer for each topic, batches at the same time, slow moves and purchases, state that is wiped or forgotten.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_test_broker::{Broker, Client};
use starkeep_test_http::LocalServer;
use uuid::Uuid;

use crate::program::Program;
use crate::stack_robots::{self, Robots};
use crate::stack_trading::{self, Trading};
use starkeep_fault_harness::Chance;

/// All that either of them sends to or consumes.
const TOPICS: [&str; 12] = [
    "status",
    "playerStatus",
    "spacestation-created",
    "bank-created",
    "trades",
    "spawn-notification",
    "neighbours",
    "movement",
    "fighting",
    "mining",
    "regeneration",
    "robot-destroyed",
];

pub(crate) struct Stack {
    pub(crate) trading: Arc<Trading>,
    pub(crate) robots: Arc<Robots>,
    pub(crate) robot_address: SocketAddr,
    pub(crate) trading_address: SocketAddr,
    broker: String,
    _servers: [LocalServer; 2],
}

impl Stack {
    /// Both are up before any game is created, as the existing ones have to be.
    pub(crate) async fn start(broker: &Broker, seed: u64) -> Self {
        println!("the stack's seed is {seed}");
        let kafka = broker.client();
        kafka.create_topics(&TOPICS).await;
        let around =
            Arc::new(Surroundings { kafka, clock: SystemClock::start(), chance: Mutex::new(Chance(seed)) });
        let robots = Arc::new(Robots::new(around.clone()));
        let robot_server = LocalServer::start(stack_robots::routes(robots.clone())).await;
        let trading = Arc::new(Trading::new(around, robot_server.address()));
        let trading_server = LocalServer::start(stack_trading::routes(trading.clone())).await;
        trading.consume();
        Self {
            trading,
            robots,
            robot_address: robot_server.address(),
            trading_address: trading_server.address(),
            broker: broker.address().to_owned(),
            _servers: [robot_server, trading_server],
        }
    }

    /// Both services of Starkeep, as the existing stack is run on them; the flags come on top.
    pub(crate) async fn host(&self, data: &str, flags: &[&str]) -> Program {
        let urls = [self.trading_address, self.robot_address].map(|address| format!("http://{address}"));
        let own = ["--dialect", "msd", "--data-dir", data, "--kafka", &self.broker];
        let to_them = ["--trading-url", &urls[0], "--robot-url", &urls[1]];
        let soon: &[_] = if flags.contains(&"--start-delay") { &[] } else { &["--start-delay", "1s"] };
        let program = Program::serve("all", &[&own[..], &to_them, soon, flags].concat()).await;
        self.robots.use_map(program.map());
        program
    }
}

/// What both of them need: the broker, time and chance.
pub(crate) struct Surroundings {
    kafka: Client,
    clock: Arc<SystemClock>,
    chance: Mutex<Chance>,
}

impl Surroundings {
    /// For as long as work takes: so many milliseconds.
    pub(crate) async fn work(&self, millis: &RangeInclusive<u64>) {
        let millis = self.chance.lock().unwrap().draw(millis);
        self.clock.sleep_until(self.clock.monotonic().after(Duration::from_millis(millis))).await;
    }

    pub(crate) fn choose<T: Copy>(&self, among: &[T]) -> T {
        let last = u64::try_from(among.len() - 1).unwrap();
        among[usize::try_from(self.chance.lock().unwrap().draw(&(0..=last))).unwrap()]
    }

    pub(crate) fn new_id(&self) -> Uuid {
        let mut chance = self.chance.lock().unwrap();
        let [high, low] = [(); 2].map(|()| chance.draw(&(0..=u64::MAX - 1)));
        Uuid::from_u64_pair(high, low)
    }

    /// An event with the five headers that all have; it is lost if the broker is away.
    pub(crate) fn tell(&self, topic: &str, r#type: &str, transaction: Uuid, payload: &Value) {
        let (event, transaction) = (self.new_id().to_string(), transaction.to_string());
        let time = self.clock.wall().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let headers = [
            ("eventId", event.as_str()),
            ("transactionId", &transaction),
            ("version", "1"),
            ("timestamp", &time),
            ("type", r#type),
        ];
        self.kafka.send(topic, &event, &headers, &payload.to_string());
    }

    /// What comes in the topic, from its beginning.
    pub(crate) fn follow(
        &self,
        topic: &str,
    ) -> tokio::sync::mpsc::UnboundedReceiver<starkeep_test_broker::Record> {
        self.kafka.follow(topic)
    }
}

pub(crate) fn id(value: &Value) -> Option<Uuid> {
    Uuid::try_parse(value.as_str()?).ok()
}
