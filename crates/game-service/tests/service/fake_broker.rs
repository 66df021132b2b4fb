//! A Kafka broker in memory: it keeps what it was sent and when, is away, or holds its answers back, as a test says.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;
use starkeep_contract::events::Channel;
use starkeep_platform::clock::{Clock as _, ManualClock};
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerFault, Topics};
use tokio::sync::watch;
use uuid::Uuid;

pub(crate) struct FakeBroker {
    clock: Mutex<Option<Arc<ManualClock>>>,
    arrived: Mutex<Vec<Arrived>>,
    is_away: watch::Sender<bool>,
    is_held: watch::Sender<bool>,
}

/// A record, and when it arrived.
#[derive(Clone)]
struct Arrived {
    at: Timestamp,
    topic: Channel,
    event_id: Uuid,
    payload: Value,
}

impl FakeBroker {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            clock: Mutex::default(),
            arrived: Mutex::default(),
            is_away: watch::Sender::new(false),
            is_held: watch::Sender::new(false),
        })
    }

    /// Every process has a clock of its own.
    pub(crate) fn follow(&self, clock: Arc<ManualClock>) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock);
    }

    pub(crate) fn set_away(&self, is_away: bool) {
        self.is_away.send_replace(is_away);
    }

    /// Whether nothing that is sent arrives, and no fault shows.
    pub(crate) fn hold(&self, is_held: bool) {
        self.is_held.send_replace(is_held);
    }

    /// What arrived when, in milliseconds since the start of all tests: a game's status as its word, all else as its topic.
    pub(crate) fn records(&self) -> Vec<(i64, String)> {
        let start: Timestamp = starkeep_test_harness::START.parse().expect("a time stamp");
        let told = |record: &Arrived| match record.topic {
            Channel::Status => record.payload["status"].as_str().expect("a word").to_owned(),
            topic => topic.name().to_owned(),
        };
        let arrived = self.arrived();
        arrived
            .iter()
            .map(|record| (record.at.as_millisecond() - start.as_millisecond(), told(record)))
            .collect()
    }

    fn arrived(&self) -> MutexGuard<'_, Vec<Arrived>> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self) -> Result<(), BrokerFault> {
        let away = BrokerFault { broker: "nowhere".to_owned(), reason: "does not answer".to_owned() };
        if *self.is_away.borrow() { Err(away) } else { Ok(()) }
    }
}

impl Topics for FakeBroker {
    fn ensure<'a>(&'a self, _topics: &'a [Channel]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        Box::pin(async { self.answer() })
    }

    fn tail(&self, topic: Channel, at_most: usize) -> BoxFuture<'_, Result<Vec<Uuid>, BrokerFault>> {
        Box::pin(async move {
            self.answer()?;
            let arrived = self.arrived();
            let newest = arrived.iter().rev().filter(|record| record.topic == topic).take(at_most);
            Ok(newest.map(|record| record.event_id).collect())
        })
    }

    fn send<'a>(
        &'a self,
        topic: Channel,
        events: &'a [Arc<CommittedEvent>],
        _: Timestamp,
    ) -> BoxFuture<'a, Result<(), BrokerFault>> {
        Box::pin(async move {
            self.is_held.subscribe().wait_for(|is_held| !is_held).await.expect("the broker lives");
            self.answer()?;
            let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let at = clock.expect("a process").wall();
            self.arrived().extend(events.iter().map(|event| Arrived {
                at,
                topic,
                event_id: event.event_id,
                payload: serde_json::from_str(&event.payload).expect("JSON"),
            }));
            Ok(())
        })
    }

    fn in_flight_limit(&self) -> Duration {
        Duration::from_millis(200)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>> {
        Box::pin(async { self.answer() })
    }
}
