//! A toy service has everything that a service has: `/events`, `/health`, idempotency, relay, retention, followed streams.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod harness;
mod toy;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;
use starkeep_contract::events::Channel;
use starkeep_http_client::ServiceUrl;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::domain::Interest;
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerFault, RelayStart, Topics};
use starkeep_platform::retention::RetentionPolicy;
use starkeep_platform::service::{FrameConfig, RelayTo};
use starkeep_platform::sqlite;
use starkeep_test_harness::{
    Environment, Harness, Opened, ServiceUnderTest, StoreKind, StorePlace, get, post,
};
use uuid::Uuid;

use crate::toy::{Greeter, Greetings};

/// Keeps what it was sent.
#[derive(Default)]
struct Sent(Mutex<Vec<Arc<CommittedEvent>>>);

impl Topics for Sent {
    fn ensure<'a>(&'a self, _: &'a [Channel]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async { Ok(()) }.boxed()
    }

    fn tail(&self, _: Channel, _: usize) -> BoxFuture<'_, Result<Vec<Uuid>, BrokerFault>> {
        async { Ok(self.0.lock().unwrap().iter().map(|event| event.event_id).collect()) }.boxed()
    }

    fn send<'a>(
        &'a self,
        _: Channel,
        events: &'a [Arc<CommittedEvent>],
        _: Timestamp,
    ) -> BoxFuture<'a, Result<(), BrokerFault>> {
        self.0.lock().unwrap().extend_from_slice(events);
        async { Ok(()) }.boxed()
    }

    fn in_flight_limit(&self) -> Duration {
        Duration::ZERO
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>> {
        async { Ok(()) }.boxed()
    }
}

/// How a toy is opened, alone or with a service that it follows.
#[derive(Default)]
struct Toy {
    follows: Option<ServiceUrl>,
    relay_to: Option<RelayTo>,
}

impl ServiceUnderTest for Toy {
    type Service = Greeter;

    const HAS_CONTRACT: bool = false;

    async fn open(&self, environment: Environment<'_>) -> Opened<Greeter> {
        let Environment { store: StorePlace::File(file), replica, clock, chance } = environment else {
            unreachable!()
        };
        let store = Arc::new(sqlite::open::<Greetings>(file, replica, DiskLog::of_one_store()).unwrap());
        let greeter = Greeter { store: store.clone(), clock, chance, follows: self.follows.clone() };
        let retention = RetentionPolicy { age: None, count: 2 };
        let frame = FrameConfig { retention, ..FrameConfig::default() };
        Opened { service: Arc::new(greeter), store, frame, relay_to: self.relay_to.clone() }
    }
}

async fn start(toy: Toy) -> Harness<Toy> {
    Harness::open(toy, StoreKind::Sqlite).await
}

async fn greet(toy: &Harness<Toy>, key: &str) -> Value {
    toy.ask(post("/greetings").key(key)).await.is(201)
}

async fn events(toy: &Harness<Toy>) -> usize {
    let page = toy.ask(get("/events?after=start").header("accept", "application/json")).await.is(200);
    page["events"].as_array().unwrap().len()
}

#[tokio::test]
async fn the_toy_is_as_short_as_a_service_may_be() {
    let lines = include_str!("toy.rs").lines().count();
    assert!(lines < 150, "{lines} lines");
}

#[tokio::test]
async fn it_answers_repeats_tells_events_and_says_how_it_is() {
    let toy = start(Toy::default()).await;
    assert_eq!(greet(&toy, "one").await, 1);
    assert_eq!(greet(&toy, "one").await, 1, "a repeat");
    assert_eq!(greet(&toy, "two").await, 2);
    assert_eq!(events(&toy).await, 2);
    let health = toy.ask(get("/health")).await.is(200);
    assert_eq!((&health["service"], &health["status"]), (&"greeter".into(), &"ok".into()));
    assert_eq!(toy.ask(get("/nowhere")).await.status, 404);
    assert!(toy.metrics().await.contains("starkeep_store_commits_total 2"));
}

#[tokio::test]
async fn its_events_are_relayed_and_old_ones_removed() {
    let sent = Arc::new(Sent::default());
    let relay_to = RelayTo { topics: sent.clone(), start: RelayStart::Start };
    let mut toy = start(Toy { relay_to: Some(relay_to), follows: None }).await;
    for key in ["one", "two", "three", "four"] {
        greet(&toy, key).await;
    }
    toy.start_tasks();
    while sent.0.lock().unwrap().len() < 4 {
        // The relay waits until nothing of an earlier process can be in flight, so time goes on.
        toy.clock.advance(Duration::from_secs(1));
        tokio::task::yield_now().await;
    }
    assert_eq!(&*sent.0.lock().unwrap()[3].payload, r#"{"greetings":4}"#);
    toy.stop_tasks().await;
    // The relay has saved how far it came when it stopped: what it has sent may now be removed, in another process.
    toy.under_test.relay_to = None;
    toy.restart().await;
    toy.start_tasks();
    while toy.store().log().0.oldest() < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(events(&toy).await, 2);
    toy.stop_tasks().await;
}

#[tokio::test]
async fn what_it_follows_it_learns_once_over_a_restart() {
    let source = start(Toy::default()).await;
    let served = source.serve().await;
    let mut follower = start(Toy { follows: Some(served.url.clone()), relay_to: None }).await;
    for (run, key) in [(1, "one"), (2, "two"), (3, "three")] {
        greet(&source, key).await;
        let store = follower.service().store.clone();
        let mut commits = store.commits(Interest::ALL);
        follower.start_tasks();
        while store.image().greetings < run {
            commits.changed().await.unwrap();
        }
        follower.stop_tasks().await;
        assert_eq!(store.image().greetings, run, "each is learned once");
        drop(store);
        follower.restart().await;
    }
    served.stop().await;
}
