//! What the log reads of its file when it is opened, resumed from or cleaned: as much however long it is.
//! Counted in bytes, not in time, so that no outcome depends on the machine's mood.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::events::{Filter, From, Reader};
use crate::sql::Migration;
use crate::sql::PLATFORM_TABLES;
use crate::sql::log::remove;
use crate::sqlite::open;
use crate::store::RetentionBounds;

use super::*;

/// More levels of a larger tree, and a newest page that is a little fuller.
const SLACK: u64 = 64 * 1024;

/// A database with a log of so many events.
struct Database {
    path: PathBuf,
    events: u64,
    _folder: tempfile::TempDir,
}

impl Database {
    fn with(events: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.db");
        let connection = open::writer(&path, &[&[PLATFORM_TABLES]]).unwrap();
        connection
            .execute(
                "INSERT INTO event_log (position, event_id, channel, subject, about, at_millis, payload)
                 WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT ?1)
                 SELECT n, randomblob(16), 'status', zeroblob(16), x'', n, hex(zeroblob(100)) FROM number",
                [events.cast_signed()],
            )
            .unwrap();
        index_full_pages(&mut SqliteStatements(&connection), 0, usize::try_from(events).unwrap()).unwrap();
        Self { path, events, _folder: folder }
    }

    /// A short log and one that is a hundred times as long; ten times as many in the long run.
    fn short_and_long() -> [Self; 2] {
        let scale = if proptest::test_runner::Config::default().cases >= 640 { 10 } else { 1 };
        [Self::with(1_000 * scale), Self::with(100_000 * scale)]
    }

    fn connection(&self) -> SqliteConnection {
        let migrations: &[Migration] = &[&[PLATFORM_TABLES]];
        SqliteConnection::new(open::writer(&self.path, migrations).unwrap())
    }

    fn opened(&self) -> (SqliteConnection, Log) {
        let connection = self.connection();
        let log = super::open(&connection).unwrap();
        assert_eq!((log.oldest(), log.head()), (1, self.events));
        (connection, log)
    }
}

/// Pages read by a connection that knows nothing yet, on the thread whose reading is counted.
struct Afresh(PathBuf);

impl Pages for Afresh {
    fn read(&self, first: u64, last: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        let events = super::read(&open::reader(&self.0).unwrap(), first, last);
        async move { events.map_err(|fault| fault.to_string()) }.boxed()
    }

    fn read_about(
        &self,
        subject: Uuid,
        after: u64,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        let events = super::read_about(&open::reader(&self.0).unwrap(), subject, after, most);
        async move { events.map_err(|fault| fault.to_string()) }.boxed()
    }
}

/// Bytes that this thread reads from files meanwhile.
fn bytes_read(work: impl FnOnce()) -> u64 {
    let so_far = || {
        let counters = std::fs::read_to_string(Path::new("/proc/thread-self/io")).unwrap();
        let line = counters.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
        line.parse::<u64>().unwrap()
    };
    let before = so_far();
    work();
    so_far() - before
}

#[track_caller]
fn assert_alike([short, long]: [u64; 2]) {
    assert!(short > 4096, "something was read: {short} bytes");
    assert!(long < short + SLACK, "{short} bytes of a short log, {long} of a long one");
}

#[test]
fn a_long_log_is_opened_with_as_little_reading_as_a_short_one() {
    assert_alike(Database::short_and_long().map(|database| bytes_read(|| drop(database.opened()))));
}

#[test]
fn a_reader_comes_back_to_a_long_log_with_as_little_reading_as_to_a_short_one() {
    let databases = Database::short_and_long();
    // What is on the newest page is in memory.
    for behind in [300, 900] {
        assert_alike(databases.each_ref().map(|database| {
            let (connection, log) = database.opened();
            let number = database.events - behind;
            let seen = read(&connection.lock(), number, number).unwrap()[0].position(log.epoch());
            let from = From::After(seen.to_string());
            let (log, pages) = (Arc::new(log), Arc::new(Afresh(database.path.clone())));
            bytes_read(|| {
                let reader = Reader::new(log, pages, &from, Filter::default());
                let mut reader = reader.now_or_never().unwrap().unwrap();
                let batch = reader.take().now_or_never().unwrap().unwrap();
                assert_eq!(batch.events[0].number, number + 1);
            })
        }));
    }
}

#[test]
fn the_events_of_one_game_are_found_in_a_long_log_with_as_little_reading_as_in_a_short_one() {
    let game = Uuid::from_u128(9);
    assert_alike(Database::short_and_long().map(|database| {
        let (connection, log) = database.opened();
        // The first, and one long before the newest pages.
        for number in [2, i64::try_from(database.events / 2).unwrap()] {
            for table in ["event_log", "event_subject"] {
                let about = format!("UPDATE {table} SET subject = ?1 WHERE position = ?2");
                connection.lock().execute(&about, params![game.as_bytes(), number]).unwrap();
            }
        }
        let (log, pages) = (Arc::new(log), Arc::new(Afresh(database.path.clone())));
        let filter = Filter { channels: Vec::new(), subject: Some(game) };
        bytes_read(|| {
            let reader = Reader::new(log, pages, &From::Start, filter);
            let mut reader = reader.now_or_never().unwrap().unwrap();
            let numbers = std::iter::from_fn(|| {
                let batch = reader.take().now_or_never().unwrap().unwrap();
                (!batch.events.is_empty())
                    .then(|| batch.events.iter().map(|event| event.number).collect::<Vec<_>>())
            });
            assert_eq!(numbers.flatten().collect::<Vec<_>>(), [2, database.events / 2]);
        })
    }));
}

#[test]
fn only_what_is_kept_on_full_pages_is_indexed() {
    let database = Database::with(1_000);
    let connection = database.connection();
    let indexed = || -> (i64, i64, i64) {
        let bounds = "SELECT count(*), min(position), max(position) FROM event_subject";
        connection.lock().query_row(bounds, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
    };
    assert_eq!(indexed(), (768, 1, 768));
    let keep = RetentionBounds { since: None, count: 500, unsent_after: None };
    assert_eq!(at_once(remove(&connection, keep, 300)).unwrap(), (300, 301));
    assert_eq!(indexed(), (468, 301, 768));
}

#[test]
fn looking_for_old_events_reads_as_little_of_a_long_log_as_of_a_short_one() {
    let keep = RetentionBounds { since: Some(Timestamp::UNIX_EPOCH), count: u64::MAX, unsent_after: None };
    assert_alike(Database::short_and_long().map(|database| {
        let connection = database.connection();
        bytes_read(|| assert_eq!(at_once(remove(&connection, keep, 1_000)).unwrap(), (0, 1)))
    }));
}
