//! A broker in memory that fails as a test says, and remembers when each record arrived.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_contract::events::Channel;
use starkeep_platform::clock::{Clock, ManualClock, Monotonic};
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerFault, Topics};
use uuid::Uuid;

/// Between the arrival of records and the broker's answer.
pub(crate) const LATENCY: Duration = Duration::from_millis(2);

/// How the broker meets the next call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Behaviour {
    Well,
    /// Takes so many records of a call, then fails. Other calls fail at once.
    FailsAfter(usize),
}

pub(crate) struct FakeBroker {
    /// Of all processes.
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) topics: Mutex<HashMap<Channel, Vec<Uuid>>>,
    /// What arrived when, over all topics.
    pub(crate) arrivals: Mutex<Vec<(Monotonic, Uuid)>>,
    pub(crate) moods: Mutex<VecDeque<Behaviour>>,
}

impl FakeBroker {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            clock: ManualClock::new(Timestamp::UNIX_EPOCH),
            topics: Mutex::default(),
            arrivals: Mutex::default(),
            moods: Mutex::default(),
        })
    }

    fn behaviour(&self) -> Behaviour {
        self.moods.lock().unwrap().pop_front().unwrap_or(Behaviour::Well)
    }

    fn answer(&self) -> Result<(), BrokerFault> {
        match self.behaviour() {
            Behaviour::Well => Ok(()),
            Behaviour::FailsAfter(_) => Err(fault()),
        }
    }

    pub(crate) fn topic(&self, channel: Channel) -> Vec<Uuid> {
        self.topics.lock().unwrap().get(&channel).cloned().unwrap_or_default()
    }
}

pub(crate) fn fault() -> BrokerFault {
    BrokerFault { broker: "nowhere".to_owned(), reason: "is not well".to_owned() }
}

impl Topics for FakeBroker {
    fn ensure<'a>(&'a self, topics: &'a [Channel]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async move {
            self.answer()?;
            for topic in topics {
                self.topics.lock().unwrap().entry(*topic).or_default();
            }
            Ok(())
        }
        .boxed()
    }

    fn tail(&self, topic: Channel, at_most: usize) -> BoxFuture<'_, Result<Vec<Uuid>, BrokerFault>> {
        async move {
            self.answer()?;
            let ids = self.topic(topic);
            Ok(ids[ids.len().saturating_sub(at_most)..].to_vec())
        }
        .boxed()
    }

    fn send<'a>(
        &'a self,
        topic: Channel,
        events: &'a [Arc<CommittedEvent>],
        _: Timestamp,
    ) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async move {
            assert!(events.iter().all(|event| event.channel == topic));
            let behaviour = self.behaviour();
            let arrive = match behaviour {
                Behaviour::Well => events.len(),
                Behaviour::FailsAfter(count) => count.min(events.len()),
            };
            let mut topics = self.topics.lock().unwrap();
            let Some(ids) = topics.get_mut(&topic) else { return Err(fault()) };
            ids.extend(events[..arrive].iter().map(|event| event.event_id));
            let now = self.clock.monotonic();
            let arrivals = events[..arrive].iter().map(|event| (now, event.event_id));
            self.arrivals.lock().unwrap().extend(arrivals);
            // The answer takes its time.
            self.clock.advance(LATENCY);
            if let Behaviour::Well = behaviour { Ok(()) } else { Err(fault()) }
        }
        .boxed()
    }

    fn in_flight_limit(&self) -> Duration {
        Duration::from_millis(200)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>> {
        async move { self.answer() }.boxed()
    }
}
