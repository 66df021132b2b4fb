//! The topics of the robot and trading services: created if they can be, tried again if not, and a fault holds up nothing.
//! The broker is one in memory that refuses for a while.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use starkeep_game_service::{RobotEventConsumer, TopicCreation};
use starkeep_platform::consumer::{Record, TopicConsumer, TopicConsumers, WhenLost};
use starkeep_platform::relay::BrokerFault;
use starkeep_platform::tasks::{Leader, Stop};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Metadata, Subscriber};
use uuid::Uuid;

use crate::harness::Bench;

const SPAWNED: &str = "spawn-notification";
const REFUSALS: usize = 4;

/// Refuses the first calls, then has every topic that it was asked for. There is one record in each.
#[derive(Default)]
struct ReluctantBroker {
    asked: AtomicUsize,
    /// How often somebody wanted to read, by the number of calls before that.
    subscribed: [AtomicUsize; REFUSALS + 2],
    topics: Mutex<Vec<String>>,
}

impl TopicConsumers for ReluctantBroker {
    fn create<'a>(&'a self, topics: &'a [&'a str]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        let refused = self.asked.fetch_add(1, Ordering::Relaxed) < REFUSALS;
        if !refused {
            *self.topics.lock().expect("no test panics with it") =
                topics.iter().map(|&topic| topic.to_owned()).collect();
        }
        let fault = BrokerFault { broker: "nowhere".to_owned(), reason: "refuses".to_owned() };
        async move { if refused { Err(fault) } else { Ok(()) } }.boxed()
    }

    fn subscribe<'a>(
        &'a self,
        topic: &'a str,
        _: Option<&'a str>,
        when_lost: WhenLost,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>> {
        if when_lost == WhenLost::Fail {
            return async { Ok(None) }.boxed();
        }
        let calls = self.asked.load(Ordering::Relaxed).min(REFUSALS + 1);
        self.subscribed[calls].fetch_add(1, Ordering::Relaxed);
        let there = self.topics.lock().expect("no test panics with it").iter().any(|known| known == topic);
        async move { Ok(there.then(|| Box::new(OneRecord(true)) as Box<dyn TopicConsumer>)) }.boxed()
    }
}

/// A topic with one record. Whoever reads on waits for ever.
struct OneRecord(bool);

impl TopicConsumer for OneRecord {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, BrokerFault>> {
        let robot = serde_json::json!({ "robotId": Uuid::from_u128(7), "playerId": Uuid::from_u128(1) });
        let record =
            Record { position: "0".to_owned(), headers: vec![], value: robot.to_string().into_bytes() };
        let unread = std::mem::take(&mut self.0);
        async move { if unread { Ok(vec![record]) } else { futures::future::pending().await } }.boxed()
    }
}

/// Counts what is logged about the topics.
#[derive(Clone, Default)]
struct Logged {
    warnings: Arc<AtomicUsize>,
    others: Arc<AtomicUsize>,
}

impl Subscriber for Logged {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().ends_with("topic_creation")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let is_warning = *event.metadata().level() == Level::WARN;
        if is_warning { &self.warnings } else { &self.others }.fetch_add(1, Ordering::Relaxed);
    }
}

async fn pass(bench: &Bench, span: Duration) {
    bench.clock.advance(span);
    tokio::task::yield_now().await;
}

#[tokio::test]
async fn topics_that_are_refused_are_tried_again_and_hold_up_nothing() {
    let logged = Logged::default();
    let _until_the_end = tracing::subscriber::set_default(logged.clone());
    let bench = Bench::new().await;
    let broker = Arc::new(ReluctantBroker::default());
    let stop = Stop::new();
    let leader = Leader::always(bench.clock.clone(), stop.clone());
    TopicCreation::new(bench.clock.clone(), broker.clone()).start(&leader);
    RobotEventConsumer::new(bench.service().app().clone(), broker.clone()).start(&leader);
    let asked = || broker.asked.load(Ordering::Relaxed);
    // The tasks register with the clock at instants of their own choosing, so it takes a little longer than the delays.
    let mut error = None;
    for _ in 0..60 {
        error = error.or_else(|| leader.states()["create-topics"].last_error.clone());
        pass(&bench, Duration::from_secs(1)).await;
    }
    assert!(asked() > REFUSALS, "{} calls in a minute", asked());
    while bench.consumed(SPAWNED) == 0 || asked() < REFUSALS + 3 {
        pass(&bench, Duration::from_secs(30)).await;
    }
    stop.cancel();
    leader.finished().await;

    assert_eq!(error.as_deref(), Some("the broker at nowhere refuses"));
    for (calls, subscribed) in broker.subscribed.iter().enumerate().skip(1) {
        assert!(subscribed.load(Ordering::Relaxed) > 0, "nobody wanted to read after {calls} calls");
    }
    assert_eq!(logged.warnings.load(Ordering::Relaxed), 1, "one for all refusals");
    assert_eq!(logged.others.load(Ordering::Relaxed), 1, "and one for the end of them");
}
