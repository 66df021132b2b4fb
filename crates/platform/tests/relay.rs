//! The relay: whatever dies and whenever, each topic holds its channel's events, in order, none twice, none missing.
//! The store is real; the broker is one that fails in every way that a broker may.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use proptest::prelude::*;
use rusqlite::Connection;
use starkeep_contract::events::{Channel, NewEvent};
use starkeep_platform::clock::{Clock, ManualClock, Monotonic};
use starkeep_platform::decision::{Decided, Decision, apply};
use starkeep_platform::domain::Domain;
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::lease::Epoch;
use starkeep_platform::relay::{BrokerFault, Progress, Relay, RelayStart, Topics};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::retention::{Retention, RetentionPolicy};
use starkeep_platform::sqlite::{Migration, PLATFORM_TABLES, RELAY_TABLE, Sqlite, Tables};
use starkeep_platform::store::CommonStore;
use uuid::Uuid;

const CHANNELS: &[Channel] = &[Channel::Status, Channel::RoundStatus, Channel::PlayerStatus];

/// A domain that keeps nothing and only logs events.
enum OnlyEvents {}

impl Domain for OnlyEvents {
    type Key = ();
    type Image = ();
    type Change = ();
    type Rejection = ();

    fn absorb((): &mut (), (): &()) {}
    fn evict((): &mut ()) {}
}

impl Tables for OnlyEvents {
    const MIGRATIONS: &'static [Migration] = &[&[PLATFORM_TABLES, RELAY_TABLE]];

    type Cache = ();

    fn load(_: &Connection) -> rusqlite::Result<()> {
        Ok(())
    }

    fn fetch(_: &Connection, (): &(), (): &(), (): &mut ()) -> rusqlite::Result<()> {
        Ok(())
    }

    fn save(_: &Connection, _: &[()]) -> rusqlite::Result<()> {
        Ok(())
    }
}

/// A clock on which every sleep is over at once, and time has passed all the same.
struct Hasty(Arc<ManualClock>);

impl Clock for Hasty {
    fn monotonic(&self) -> Monotonic {
        self.0.monotonic()
    }

    fn wall(&self) -> Timestamp {
        self.0.wall()
    }

    fn sleep_until(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.0.advance(instant.since(self.0.monotonic()));
        Box::pin(async {})
    }
}

/// How the broker meets the next call.
#[derive(Clone, Copy, Debug)]
enum Behaviour {
    Well,
    /// Takes so many records of a call, then fails. Other calls fail at once.
    FailsAfter(usize),
}

#[derive(Default)]
struct FakeBroker {
    topics: Mutex<HashMap<Channel, Vec<Uuid>>>,
    moods: Mutex<VecDeque<Behaviour>>,
}

impl FakeBroker {
    fn behaviour(&self) -> Behaviour {
        self.moods.lock().unwrap().pop_front().unwrap_or(Behaviour::Well)
    }

    fn answer(&self) -> Result<(), BrokerFault> {
        match self.behaviour() {
            Behaviour::Well => Ok(()),
            Behaviour::FailsAfter(_) => Err(fault()),
        }
    }

    fn topic(&self, channel: Channel) -> Vec<Uuid> {
        self.topics.lock().unwrap().get(&channel).cloned().unwrap_or_default()
    }
}

fn fault() -> BrokerFault {
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
            if let Behaviour::Well = behaviour { Ok(()) } else { Err(fault()) }
        }
        .boxed()
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>> {
        async move { self.answer() }.boxed()
    }
}

/// One life of a process: a store, a relay, and what the relay knows.
struct Process {
    store: Arc<Sqlite<OnlyEvents>>,
    relay: Relay,
    progress: Progress,
    clock: Arc<ManualClock>,
}

impl Process {
    async fn start(file: &Path, broker: &Arc<FakeBroker>, beginning: RelayStart) -> Self {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let store = Arc::new(Sqlite::open(file, ReplicaId(Uuid::nil())).unwrap());
        let hasty = Arc::new(Hasty(clock.clone()));
        let relay =
            Relay::open("counters", store.clone(), broker.clone(), CHANNELS, hasty, beginning).await.unwrap();
        let progress = relay.new_progress(Epoch(1));
        Self { store, relay, progress, clock }
    }

    async fn publish(&self, channels: &[Channel]) -> Vec<(Channel, Uuid)> {
        let head = self.store.log().0.head();
        let events: Vec<_> =
            (head + 1..).zip(channels).map(|(number, channel)| event(number, *channel)).collect();
        let published = events.iter().map(|event| (event.channel, event.event_id)).collect();
        let work = Decision::new(vec![], move |(): &()| {
            Ok(Decided { change: (), events: events.clone(), output: () })
        });
        apply(&*self.store, work).await.unwrap();
        published
    }

    async fn relay(&mut self) -> Result<(), String> {
        self.relay.step(&mut self.progress).await
    }
}

fn event(number: u64, channel: Channel) -> NewEvent {
    NewEvent {
        channel,
        event_id: Uuid::from_u128(0xe0_0000_0000 + u128::from(number)),
        key: Uuid::nil(),
        transaction_id: None,
        timestamp: Timestamp::UNIX_EPOCH,
        payload: "{}".to_owned(),
        detail: None,
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn assert_sent(broker: &FakeBroker, published: &[(Channel, Uuid)]) {
    for channel in CHANNELS {
        let expected: Vec<_> = published.iter().filter(|(of, _)| of == channel).map(|(_, id)| *id).collect();
        assert_eq!(broker.topic(*channel), expected, "{channel:?}");
    }
}

#[derive(Clone, Debug)]
enum Deed {
    Publish(Vec<usize>),
    /// The broker's next calls; what has gathered is relayed.
    Relay(Vec<Behaviour>),
    Wait(u64),
    /// A kill; what was sent and not noted is not known to the next process.
    Restart,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let behaviour =
        prop_oneof![3 => Just(Behaviour::Well), 2 => (0..12_usize).prop_map(Behaviour::FailsAfter)];
    let deed = prop_oneof![
        4 => prop::collection::vec(0..CHANNELS.len(), 1..12).prop_map(Deed::Publish),
        1 => prop::collection::vec(0..CHANNELS.len(), 250..700).prop_map(Deed::Publish),
        6 => prop::collection::vec(behaviour, 0..8).prop_map(Deed::Relay),
        2 => (0..600_u64).prop_map(Deed::Wait),
        2 => Just(Deed::Restart),
    ];
    prop::collection::vec(deed, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_dies_each_topic_is_its_channel(deeds in deeds()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (folder, broker) = (folder(), Arc::new(FakeBroker::default()));
            let file = folder.path().join("log.db");
            let mut process = Process::start(&file, &broker, RelayStart::Next).await;
            let mut published = Vec::new();
            for deed in deeds {
                match deed {
                    Deed::Publish(channels) => {
                        let channels: Vec<_> = channels.into_iter().map(|channel| CHANNELS[channel]).collect();
                        published.extend(process.publish(&channels).await);
                    }
                    Deed::Relay(moods) => {
                        *broker.moods.lock().unwrap() = moods.into();
                        let _ = process.relay().await;
                    }
                    Deed::Wait(millis) => process.clock.advance(Duration::from_millis(millis)),
                    Deed::Restart => {
                        drop(process);
                        process = Process::start(&file, &broker, RelayStart::Next).await;
                    }
                }
            }
            broker.moods.lock().unwrap().clear();
            process.relay().await.unwrap();
            assert_sent(&broker, &published);
        });
    }
}

#[tokio::test]
async fn a_relay_that_has_never_sent_begins_with_the_next_event_or_with_the_whole_log() {
    for (beginning, sent) in [(RelayStart::Next, 1), (RelayStart::Start, 3)] {
        let (folder, broker) = (folder(), Arc::new(FakeBroker::default()));
        let file = folder.path().join("log.db");
        let store: Sqlite<OnlyEvents> = Sqlite::open(&file, ReplicaId(Uuid::nil())).unwrap();
        let work = Decision::new(vec![], |(): &()| {
            let events = vec![event(1, Channel::Status), event(2, Channel::Status)];
            Ok(Decided { change: (), events, output: () })
        });
        apply(&store, work).await.unwrap();
        drop(store);
        let process = Process::start(&file, &broker, beginning).await;
        process.publish(&[Channel::Status]).await;
        drop(process);
        // What was decided at the first start stands, whatever is asked for later.
        let mut process = Process::start(&file, &broker, RelayStart::Next).await;
        process.relay().await.unwrap();
        assert_eq!(broker.topic(Channel::Status).len(), sent, "{beginning:?}");
    }
}

#[tokio::test]
async fn what_is_not_sent_is_not_removed_and_the_health_tells_how_much_waits() {
    let (folder, broker) = (folder(), Arc::new(FakeBroker::default()));
    let mut process = Process::start(&folder.path().join("log.db"), &broker, RelayStart::Next).await;
    let published = process.publish(&[Channel::Status; 40]).await;
    let keep = RetentionPolicy { age: None, count: 5 };
    let status = process.relay.status();
    let retention =
        Retention::new(process.store.clone(), process.clock.clone(), keep).behind(Some(status.clone()));
    assert_eq!(retention.step(Epoch(1)).await.unwrap(), 0);
    assert_eq!(status.part().detail, "40 events behind");
    process.relay().await.unwrap();
    process.clock.advance(Duration::from_secs(1));
    process.relay().await.unwrap();
    assert_eq!(retention.step(Epoch(1)).await.unwrap(), 35);
    assert_sent(&broker, &published);
}

#[tokio::test]
async fn records_of_others_in_a_topic_do_no_harm() {
    let (folder, broker) = (folder(), Arc::new(FakeBroker::default()));
    let file = folder.path().join("log.db");
    let mut process = Process::start(&file, &broker, RelayStart::Next).await;
    process.relay().await.unwrap();
    let published = process.publish(&[Channel::Status; 3]).await;
    *broker.moods.lock().unwrap() = [Behaviour::FailsAfter(2)].into();
    assert!(process.relay().await.is_err());
    broker.topics.lock().unwrap().get_mut(&Channel::Status).unwrap().push(Uuid::nil());
    drop(process);
    let mut process = Process::start(&file, &broker, RelayStart::Next).await;
    process.relay().await.unwrap();
    let ids: Vec<_> = published.iter().map(|(_, id)| *id).collect();
    assert_eq!(broker.topic(Channel::Status), [ids[0], ids[1], Uuid::nil(), ids[2]]);
}
