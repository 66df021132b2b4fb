//! Processes one after the other, each with a relay on the same file, which a test steps by hand.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use jiff::Timestamp;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_platform::clock::{Clock, ManualClock, Monotonic};
use starkeep_platform::decision::{Decided, Decision, apply};
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::domain::Domain;
use starkeep_platform::lease::Epoch;
use starkeep_platform::relay::{Progress, Relay, RelayStart, Spacing};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::PLATFORM_TABLES;
use starkeep_platform::sql::{Migration, SqlConnection, SqlFault, SqlStore, SqlTables, Statements};
use starkeep_platform::sqlite;
use starkeep_platform::store::CommonStore;
use uuid::Uuid;

use crate::broker::FakeBroker;

pub(crate) const CHANNELS: &[Channel] = &[Channel::Status, Channel::RoundStatus, Channel::PlayerStatus];

/// A domain that keeps nothing and only logs events.
pub(crate) enum OnlyEvents {}

impl Domain for OnlyEvents {
    type Key = ();
    type Image = ();
    type Change = ();
    type Rejection = ();

    fn absorb((): &mut (), (): &()) {}
    fn evict((): &mut ()) {}
}

impl SqlTables for OnlyEvents {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[&[PLATFORM_TABLES]];

    type Cache = ();

    fn load(_: &dyn SqlConnection) -> BoxFuture<'_, Result<(), SqlFault>> {
        ready(Ok(())).boxed()
    }

    fn save(_: &mut dyn Statements, _: &[()], _: &DocumentWrites) -> Result<(), SqlFault> {
        Ok(())
    }
}

/// A clock on which every sleep is over at once, and time has passed all the same.
pub(crate) struct Hasty(pub(crate) Arc<ManualClock>);

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

/// One life of a process: a store, a relay, and what the relay knows.
pub(crate) struct Process {
    pub(crate) store: Arc<SqlStore<OnlyEvents>>,
    pub(crate) relay: Relay,
    pub(crate) progress: Progress,
    pub(crate) clock: Arc<ManualClock>,
}

impl Process {
    pub(crate) async fn start(file: &Path, broker: &Arc<FakeBroker>, beginning: RelayStart) -> Self {
        let hasty = Arc::new(Hasty(broker.clock.clone()));
        Self::start_with(file, broker, beginning, hasty, Duration::ZERO).await
    }

    pub(crate) async fn start_with(
        file: &Path,
        broker: &Arc<FakeBroker>,
        beginning: RelayStart,
        clock: Arc<dyn Clock>,
        gap: Duration,
    ) -> Self {
        let store = Arc::new(sqlite::open(file, ReplicaId(Uuid::nil()), DiskLog::of_one_store()).unwrap());
        let spacing = Spacing { gap, applies_to: |event| is_spaced(event.event_id) };
        let (log, topics) = (store.clone(), broker.clone());
        let relay = Relay::open("counters", log, topics, CHANNELS, clock, beginning, spacing).await.unwrap();
        let progress = relay.new_progress(Epoch(1));
        Self { store, relay, progress, clock: broker.clock.clone() }
    }

    pub(crate) async fn publish(&self, channels: &[Channel]) -> Vec<(Channel, Uuid)> {
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

    /// The end of the gap that the rest waits for.
    pub(crate) async fn relay(&mut self) -> Result<Option<Monotonic>, String> {
        self.relay.step(&mut self.progress).await
    }

    /// Lets every gap pass.
    pub(crate) async fn relay_all(&mut self) {
        while let Some(gap_end) = self.relay().await.unwrap() {
            self.clock.advance(gap_end.since(self.clock.monotonic()));
        }
    }
}

/// Of the first events 4, 8, 9 and 17.
pub(crate) fn is_spaced(id: Uuid) -> bool {
    [5, 9, 10].contains(&(id.as_u128() % 13))
}

pub(crate) fn event(number: u64, channel: Channel) -> NewEvent {
    NewEvent {
        payload: "{}".to_owned(),
        ..NewEvent::new(
            channel,
            Uuid::from_u128(0xe0_0000_0000 + u128::from(number)),
            About::subject(Uuid::nil()),
            None,
            Timestamp::UNIX_EPOCH,
            &(),
        )
    }
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn assert_sent(broker: &FakeBroker, published: &[(Channel, Uuid)]) {
    for channel in CHANNELS {
        let expected: Vec<_> = published.iter().filter(|(of, _)| of == channel).map(|(_, id)| *id).collect();
        assert_eq!(broker.topic(*channel), expected, "{channel:?}");
    }
}
