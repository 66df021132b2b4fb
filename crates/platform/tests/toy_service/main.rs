//! A toy service has everything that a service has: `/events`, `/health`, idempotency, relay, retention, followed streams.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod toy;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::Request;
use http_body_util::BodyExt;
use serde_json::Value;
use starkeep_contract::events::Channel;
use starkeep_http_client::ServiceUrl;
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::SystemClock;
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerFault, RelayStart, Topics};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::retention::RetentionPolicy;
use starkeep_platform::service::{FrameConfig, Framed, RelayTo};
use starkeep_platform::sqlite::Sqlite;
use starkeep_platform::store::{CommonStore, Store};
use starkeep_platform::tasks::Stop;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower::ServiceExt;
use uuid::Uuid;

use crate::toy::{Greeter, Greetings};

/// Remembers what it was sent.
struct Sent(watch::Sender<Vec<String>>, Mutex<Vec<Uuid>>);

impl Topics for Sent {
    fn ensure<'a>(&'a self, _: &'a [Channel]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async { Ok(()) }.boxed()
    }

    fn tail(&self, _: Channel, _: usize) -> BoxFuture<'_, Result<Vec<Uuid>, BrokerFault>> {
        async { Ok(self.1.lock().unwrap().clone()) }.boxed()
    }

    fn send<'a>(
        &'a self,
        _: Channel,
        events: &'a [Arc<CommittedEvent>],
    ) -> BoxFuture<'a, Result<(), BrokerFault>> {
        self.1.lock().unwrap().extend(events.iter().map(|event| event.event_id));
        self.0.send_modify(|sent| sent.extend(events.iter().map(|event| event.payload.to_string())));
        async { Ok(()) }.boxed()
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>> {
        async { Ok(()) }.boxed()
    }
}

struct Process {
    store: Arc<Sqlite<Greetings>>,
    framed: Framed,
    stop: Stop,
}

async fn start(file: &Path, follows: Option<ServiceUrl>, relay_to: Option<RelayTo>) -> Process {
    let store = Arc::new(Sqlite::<Greetings>::open(file, ReplicaId(Uuid::nil())).unwrap());
    let clock = SystemClock::start();
    let greeter =
        Greeter { store: store.clone(), clock: clock.clone(), chance: SequentialIds::new(), follows };
    let retention = RetentionPolicy { age: None, count: 2 };
    let config = FrameConfig { retention, ..FrameConfig::default() };
    let framed = Framed::open(Arc::new(greeter), store.clone(), clock, config, relay_to).await.unwrap();
    Process { store, framed, stop: Stop::new() }
}

impl Process {
    async fn ask(&self, request: Request<Body>) -> (u16, Value) {
        let router = self.framed.router(&self.framed.leader(self.stop.clone()));
        let answer = router.oneshot(request).await.unwrap();
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    async fn greet(&self, key: &str) -> (u16, Value) {
        let request = Request::post("/greetings").header("idempotency-key", key);
        self.ask(request.body(Body::empty()).unwrap()).await
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        let request = Request::get(path).header("accept", "application/json");
        self.ask(request.body(Body::empty()).unwrap()).await
    }
}

#[tokio::test]
async fn the_toy_is_as_short_as_a_service_may_be() {
    let lines = include_str!("toy.rs").lines().count();
    assert!(lines < 150, "{lines} lines");
}

#[tokio::test]
async fn it_answers_repeats_tells_events_and_says_how_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let process = start(&folder.path().join("toy.db"), None, None).await;
    assert_eq!(process.greet("one").await, (201, 1.into()));
    assert_eq!(process.greet("one").await, (201, 1.into()), "a repeat");
    assert_eq!(process.greet("two").await, (201, 2.into()));
    let (_, page) = process.get("/events?after=start").await;
    assert_eq!(page["events"].as_array().unwrap().len(), 2, "{page}");
    let (status, health) = process.get("/health").await;
    assert_eq!((status, &health["service"], &health["status"]), (200, &"greeter".into(), &"ok".into()));
    assert_eq!(process.get("/nowhere").await.0, 404);
    assert_eq!(process.get("/metrics").await.0, 200);
}

#[tokio::test]
async fn its_events_are_relayed_and_old_ones_removed() {
    let folder = tempfile::tempdir().unwrap();
    let sent = Arc::new(Sent(watch::Sender::new(Vec::new()), Mutex::default()));
    let relay_to = RelayTo { topics: sent.clone(), start: RelayStart::Start };
    let file = folder.path().join("toy.db");
    let process = start(&file, None, Some(relay_to)).await;
    for key in ["one", "two", "three", "four"] {
        process.greet(key).await;
    }
    let leader = process.framed.leader(process.stop.clone());
    process.framed.start_tasks(&leader);
    let mut arrived = sent.0.subscribe();
    let arrived = arrived.wait_for(|sent| sent.len() == 4).await.unwrap().clone();
    assert_eq!(arrived[3], r#"{"greetings":4}"#);
    process.stop.cancel();
    leader.finished().await;
    // The relay has saved how far it came when it stopped: what it has sent may now be removed, in another process.
    drop(process);
    let process = start(&file, None, None).await;
    let leader = process.framed.leader(process.stop.clone());
    let mut states = Box::pin(async {
        while process.store.log().0.oldest() < 3 {
            tokio::task::yield_now().await;
        }
    });
    process.framed.start_tasks(&leader);
    states.as_mut().await;
    let (_, page) = process.get("/events?after=start").await;
    assert_eq!(page["events"].as_array().unwrap().len(), 2, "{page}");
    process.stop.cancel();
    leader.finished().await;
}

#[tokio::test]
async fn what_it_follows_it_learns_once_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let told = start(&folder.path().join("told.db"), None, None).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = ServiceUrl::local(listener.local_addr().unwrap());
    let serving =
        tokio::spawn(told.framed.clone().serve(listener, Duration::from_secs(1), told.stop.clone()));
    let file = folder.path().join("follower.db");
    for (run, key) in [(1, "one"), (2, "two"), (3, "three")] {
        told.greet(key).await;
        let follower = start(&file, Some(url.clone()), None).await;
        let leader = follower.framed.leader(follower.stop.clone());
        let mut commits = follower.store.commits(starkeep_platform::domain::Interest::ALL);
        follower.framed.start_tasks(&leader);
        while follower.store.image().greetings < run {
            commits.changed().await.unwrap();
        }
        follower.stop.cancel();
        leader.finished().await;
        assert_eq!(follower.store.image().greetings, run, "each is learned once");
    }
    told.stop.cancel();
    serving.await.unwrap();
}
