//! The promises of the embedded store, on a domain as small as can be: numbered counters that never pass a limit.
//! What is promised: one commit for many, a failure that takes only itself down, reads of what is committed.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_platform::clock::ManualClock;
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault, apply};
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::domain::Domain;
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::retention::{Retention, RetentionPolicy};
use starkeep_platform::sql::PLATFORM_TABLES;
use starkeep_platform::sql::{Migration, SqlConnection, SqlFault, SqlStore, SqlTables, Statements};
use starkeep_platform::sqlite;
use starkeep_platform::store::{CommonStore, Store};
use starkeep_platform::values;
use uuid::Uuid;

enum Counters {}

#[derive(Debug, PartialEq, Eq)]
struct LimitReached;

/// Adds to a counter; the rule knows a limit of 10, the table one of 20.
#[derive(Clone, Debug, PartialEq)]
struct Added {
    counter: i64,
    value: i64,
}

impl Domain for Counters {
    type Key = ();
    type Image = imbl::OrdMap<i64, i64>;
    type Change = Added;
    type Rejection = LimitReached;

    fn absorb(image: &mut Self::Image, change: &Added) {
        image.insert(change.counter, change.value);
    }

    fn evict(_: &mut Self::Image) {}
}

impl SqlTables for Counters {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[&[
        PLATFORM_TABLES,
        "CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL CHECK (value <= 20)) STRICT;",
    ]];

    type Cache = ();

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Self::Image, SqlFault>> {
        async move {
            let rows = connection.query("SELECT id, value FROM counter", &[]).await?;
            rows.iter().map(|row| Ok((row.get::<i64>("id")?, row.get::<i64>("value")?))).collect()
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, changes: &[Added], _: &DocumentWrites) -> Result<(), SqlFault> {
        changes.iter().try_for_each(|Added { counter, value }| {
            let upsert =
                "INSERT INTO counter VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET value = excluded.value";
            rows.run(upsert, values![*counter, *value])
        })
    }
}

fn event(number: i64) -> NewEvent {
    NewEvent {
        payload: format!("{{\"number\":{number}}}"),
        ..NewEvent::new(
            Channel::Status,
            Uuid::from_u128(number.unsigned_abs().into()),
            About::subject(Uuid::nil()),
            None,
            jiff::Timestamp::UNIX_EPOCH,
            &(),
        )
    }
}

/// Adds up to the rule's limit.
fn add(counter: i64, amount: i64) -> Decision<Counters, i64> {
    Decision::new(vec![], move |image: &imbl::OrdMap<i64, i64>| {
        let value = image.get(&counter).copied().unwrap_or_default() + amount;
        if value > 10 {
            return Err(LimitReached);
        }
        Ok(Decided { change: Added { counter, value }, events: vec![event(value)], output: value })
    })
}

/// Writes any value, past the rule.
fn force(counter: i64, value: i64) -> Decision<Counters, i64> {
    Decision::new(vec![], move |_: &imbl::OrdMap<i64, i64>| {
        Ok(Decided { change: Added { counter, value }, events: vec![event(value)], output: value })
    })
}

/// Keeps the writer busy until it is let go, so that what is submitted meanwhile becomes one batch.
fn hold_writer(store: &Arc<SqlStore<Counters>>) -> mpsc::Sender<()> {
    let (let_go, held) = mpsc::channel::<()>();
    let (entered, is_held) = mpsc::channel();
    let store = store.clone();
    tokio::spawn(async move {
        let held = Mutex::new(held);
        store
            .maintain(None, move |_| {
                entered.send(()).expect("the test waits");
                let _ = held.lock().expect("nobody else holds it").recv();
                ready(Ok(())).boxed()
            })
            .await
    });
    tokio::task::block_in_place(|| is_held.recv()).expect("the maintenance begins");
    let_go
}

fn counters<const N: usize>(values: [(i64, i64); N]) -> imbl::OrdMap<i64, i64> {
    values.into_iter().collect()
}

fn open(folder: &Path) -> Arc<SqlStore<Counters>> {
    Arc::new(
        sqlite::open(&folder.join("counters.db"), ReplicaId(Uuid::nil()), DiskLog::of_one_store())
            .expect("the store opens"),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_together_shares_a_commit_and_is_decided_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let let_go = hold_writer(&store);
    let mut waiting: Vec<_> = (0..8).map(|_| Box::pin(apply(&*store, add(1, 2)))).collect();
    // Polling once submits the job; the batch keeps the order of submission.
    for job in &mut waiting {
        assert!(futures::poll!(job).is_pending());
    }
    let commits = store.counts().commits;
    let_go.send(()).unwrap();
    let outcomes = futures::future::join_all(waiting).await;
    let rejected = Err(Failure::Rejected(LimitReached));
    assert_eq!(outcomes[..5], [Ok(2), Ok(4), Ok(6), Ok(8), Ok(10)]);
    assert!(outcomes[5..].iter().all(|outcome| *outcome == rejected), "{outcomes:?}");
    assert_eq!(store.counts().commits, commits + 1);
    assert_eq!(store.log().0.head(), 5, "a rejection leaves no event");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_table_refuses_and_what_panics_harms_no_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let let_go = hold_writer(&store);
    let panics =
        Decision::new(vec![], |_: &imbl::OrdMap<i64, i64>| -> Result<Decided<Counters, i64>, LimitReached> {
            panic!("a fault in a rule")
        });
    let mut waiting: Vec<_> = [add(1, 1), force(2, 21), add(1, 1), panics, add(3, 5)]
        .map(|work| Box::pin(apply(&*store, work)))
        .into_iter()
        .collect();
    for job in &mut waiting {
        assert!(futures::poll!(job).is_pending());
    }
    let_go.send(()).unwrap();
    let outcomes = futures::future::join_all(waiting).await;
    assert_eq!(outcomes[0], Ok(1));
    assert!(
        matches!(&outcomes[1], Err(Failure::Store(StoreFault::Refused(text))) if text.contains("CHECK")),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[2], Ok(2));
    assert!(matches!(&outcomes[3], Err(Failure::Store(StoreFault::Refused(_)))), "{outcomes:?}");
    assert_eq!(outcomes[4], Ok(5));
    assert_eq!(*store.image(), counters([(1, 2), (3, 5)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_finds_what_was_acknowledged_and_the_log_goes_on_without_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    apply(&*store, add(1, 3)).await.unwrap();
    apply(&*store, add(2, 4)).await.unwrap();
    drop(store);
    assert!(!folder.path().join("counters.db-wal").exists(), "a closed store is one file");
    let store = open(folder.path());
    assert_eq!(*store.image(), counters([(1, 3), (2, 4)]));
    apply(&*store, add(1, 1)).await.unwrap();
    let log = store.read(|connection| {
        async move {
            let rows =
                connection.query("SELECT position, payload FROM event_log ORDER BY position", &[]).await?;
            let rows = rows.iter().map(|row| Ok((row.get("position")?, row.get("payload")?)));
            rows.collect::<Result<Vec<(i64, String)>, SqlFault>>()
        }
        .boxed()
    });
    let expected =
        [(1, 3), (2, 4), (3, 4)].map(|(position, number)| (position, format!("{{\"number\":{number}}}")));
    assert_eq!(log.await.unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_full_loses_nothing_and_is_noticed_until_it_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    apply(&*store, add(1, 3)).await.unwrap();
    // No page may be added: what SQLite reports is what it reports for a full disk.
    let limit_pages = |pages: u32| {
        let (store, limit) = (store.clone(), format!("PRAGMA max_page_count = {pages}").leak());
        async move { store.maintain(None, move |connection| connection.query(limit, &[])).await }
    };
    let pages = store.read(|connection| connection.query("PRAGMA page_count", &[])).await.unwrap();
    let pages: u32 = pages[0].first().unwrap();
    limit_pages(pages).await.unwrap();
    let fill = |counter: i64| {
        Decision::new(vec![], move |_: &imbl::OrdMap<i64, i64>| {
            let mut large = event(counter);
            large.payload = "x".repeat(100_000);
            Ok(Decided { change: Added { counter, value: 1 }, events: vec![large], output: counter })
        })
    };
    let outcome = apply(&*store, fill(7)).await;
    assert!(matches!(&outcome, Err(Failure::Store(StoreFault::DiskFull(_)))), "{outcome:?}");
    assert_eq!(*store.image(), counters([(1, 3)]), "what was not written is not shown");
    assert_eq!(store.log().0.head(), 1);
    limit_pages(1_000_000).await.unwrap();
    assert_eq!(store.check().await, Ok(()));
    assert_eq!(apply(&*store, fill(7)).await, Ok(7));
}

/// One commit with an event a second, beginning at 1970.
async fn append_seconds(store: &SqlStore<Counters>, seconds: std::ops::Range<i64>) {
    let events: Vec<_> = seconds
        .map(|second| NewEvent { timestamp: jiff::Timestamp::from_second(second).unwrap(), ..event(second) })
        .collect();
    let work = Decision::new(vec![], move |_: &imbl::OrdMap<i64, i64>| {
        Ok(Decided { change: Added { counter: 1, value: 1 }, events: events.clone(), output: () })
    });
    apply(store, work).await.unwrap();
}

fn positions(store: &SqlStore<Counters>) -> impl Future<Output = Result<(i64, i64, i64), String>> + use<'_> {
    store.read(|connection| {
        async move {
            let ends =
                "SELECT min(position) AS oldest, max(position) AS newest, count(*) AS kept FROM event_log";
            let rows = connection.query(ends, &[]).await?;
            Ok((rows[0].get("oldest")?, rows[0].get("newest")?, rows[0].get("kept")?))
        }
        .boxed()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_removes_what_is_too_old_or_too_much_and_never_the_newest() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let clock = ManualClock::new(jiff::Timestamp::from_second(5_000).unwrap());
    append_seconds(&store, 0..5_000).await;
    let step = |age: Option<u64>, count| {
        let keep = RetentionPolicy { age: age.map(Duration::from_secs), count };
        let retention = Retention::new(store.clone(), clock.clone(), keep);
        async move { retention.step(Epoch(1)).await }
    };
    assert_eq!(step(None, 10_000).await, Ok(0));
    assert_eq!(step(None, 4_500).await, Ok(500));
    assert_eq!(positions(&store).await, Ok((501, 5_000, 4_500)));
    // Of the last 2,000 seconds; the event of second n has the position n + 1.
    assert_eq!(step(Some(2_000), 10_000).await, Ok(2_500));
    assert_eq!(positions(&store).await, Ok((3_001, 5_000, 2_000)));
    assert_eq!(store.log().0.oldest(), 3_001);
    clock.advance(Duration::from_hours(1));
    assert_eq!(step(Some(60), 10_000).await, Ok(1_999));
    assert_eq!(positions(&store).await, Ok((5_000, 5_000, 1)), "the next number follows from the newest");
    drop(store);
    let store = open(folder.path());
    append_seconds(&store, 9_000..9_001).await;
    assert_eq!((store.log().0.oldest(), store.log().0.head()), (5_000, 5_001));
}
