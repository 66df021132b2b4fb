//! The writer of the bare programs: a thread that owns the connection to SQLite and commits all that is waiting at once.
//! Its settings and its largest batch are those of the real store.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use rusqlite::{Connection, params};
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::failure::{During, Failure};

/// How many rows there are to change, numbered from 1.
pub(crate) const ROWS: u32 = 1_000;

/// The most requests that share a commit.
const BATCH: usize = 1024;

/// More than are committed while a reader sleeps.
const LIVE: usize = 64 * BATCH;

const DATABASE: &str = "bare.sqlite";

const SCHEMA: &str = "
    CREATE TABLE counter (id INTEGER PRIMARY KEY, mined INTEGER NOT NULL) STRICT;
    CREATE TABLE event (position INTEGER PRIMARY KEY, payload TEXT NOT NULL) STRICT;
";

/// What a request costs the database.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Stored {
    /// A row is changed.
    Row,
    /// A row is changed and an event is inserted.
    RowAndEvent,
}

struct Job {
    row: u32,
    amount: u32,
    /// Gets the event's position once it is on the disk.
    committed: oneshot::Sender<i64>,
}

/// Commits, one after the other for each who waits for them.
#[derive(Clone)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
    /// The events as they are committed.
    live: broadcast::Sender<(i64, Arc<str>)>,
}

impl Writer {
    pub(super) fn start(directory: &Path, stored: Stored) -> Result<Self, Failure> {
        let connection = create(directory).during("creating the bare database")?;
        let (queue, jobs) = mpsc::channel(BATCH);
        let (live, _) = broadcast::channel(LIVE);
        let writer = Self { queue, live: live.clone() };
        thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || {
                // Requests find the queue closed from then on, and the load shows their 500.
                if let Err(error) = write(&connection, jobs, stored, &live) {
                    eprintln!("the writer stopped: {error}");
                }
            })
            .during("starting the writer")?;
        Ok(writer)
    }

    /// The position of the event, once it is on the disk; none if the writer has stopped.
    pub(super) async fn commit(&self, row: u32, amount: u32) -> Option<i64> {
        let (committed, position) = oneshot::channel();
        self.queue.send(Job { row, amount, committed }).await.ok()?;
        position.await.ok()
    }

    pub(super) fn live(&self) -> broadcast::Receiver<(i64, Arc<str>)> {
        self.live.subscribe()
    }
}

fn create(directory: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(directory.join(DATABASE))?;
    connection.execute_batch(super::DURABLE)?;
    connection.execute_batch(SCHEMA)?;
    let transaction = connection.transaction()?;
    for row in 1..=ROWS {
        transaction.prepare_cached("INSERT INTO counter (id, mined) VALUES (?1, 0)")?.execute([row])?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// What arrives while a commit is under way shares the next one.
fn write(
    connection: &Connection,
    mut jobs: mpsc::Receiver<Job>,
    stored: Stored,
    live: &broadcast::Sender<(i64, Arc<str>)>,
) -> rusqlite::Result<()> {
    let mut begin = connection.prepare("BEGIN IMMEDIATE")?;
    let mut update = connection.prepare("UPDATE counter SET mined = mined + ?2 WHERE id = ?1")?;
    let mut insert = connection.prepare("INSERT INTO event (payload) VALUES (?1)")?;
    let mut commit = connection.prepare("COMMIT")?;
    let mut batch = Vec::with_capacity(BATCH);
    let mut answers = Vec::with_capacity(BATCH);
    let mut events: Vec<(i64, Arc<str>)> = Vec::new();
    let mut text = String::with_capacity(512);
    while jobs.blocking_recv_many(&mut batch, BATCH) > 0 {
        let is_read = live.receiver_count() > 0;
        begin.execute([])?;
        for Job { row, amount, committed } in batch.drain(..) {
            update.execute(params![row, amount])?;
            if stored == Stored::RowAndEvent {
                payload(&mut text, row, amount);
                insert.execute([&text])?;
                if is_read {
                    events.push((connection.last_insert_rowid(), text.as_str().into()));
                }
            }
            answers.push((committed, connection.last_insert_rowid()));
        }
        commit.execute([])?;
        for event in events.drain(..) {
            // A reader that has left needs none.
            let _ = live.send(event);
        }
        for (committed, position) in answers.drain(..) {
            // A client that has disconnected needs no answer.
            let _ = committed.send(position);
        }
    }
    Ok(())
}

fn payload(text: &mut String, row: u32, amount: u32) {
    text.clear();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        r#"{{"planet_id":"6f2a1c04-58be-4d7e-9a31-{row:012}","resource_id":"b81e9d53-07c2-4f6a-8e45-{row:012}","resource_type":"coal","amount_mined":{amount},"amount_left":9999,"transaction_id":"","robot_id":"1d4c7f90-e3a6-4b28-8c5d-{row:012}"}}"#
    );
}

/// What the row has come to and how many events there are, read by a connection of its own.
#[cfg(test)]
pub(crate) fn stored(directory: &Path, row: u32) -> (u32, u32) {
    let connection = Connection::open(directory.join(DATABASE)).unwrap();
    let query = "SELECT mined, (SELECT count(*) FROM event) FROM counter WHERE id = ?1";
    connection.query_row(query, [row], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_event_is_as_large_as_a_real_one() {
        let mut text = String::new();
        payload(&mut text, 7, 1);
        assert!((230..=270).contains(&text.len()), "{} bytes", text.len());
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
    }

    #[test]
    fn the_settings_and_the_largest_batch_are_those_of_the_store() {
        let store = include_str!("../../../platform/src/sqlite/writer.rs");
        assert!(store.contains(&format!("const LARGEST_BATCH: usize = {BATCH};")));

        let open = include_str!("../../../platform/src/sqlite/open.rs");
        let settings = |text: &str, before: &str| -> BTreeSet<String> {
            let found = text.split(before).skip(1).filter_map(|rest| rest.split(['=', ',']).next());
            found.map(|name| name.trim().trim_matches('"').to_owned()).collect()
        };
        // The application's id is a mark in the file, and the version its schema's: neither is a setting.
        let known = ["application_id", "user_version"];
        let of_store: BTreeSet<_> = settings(open, "pragma_update(None, ")
            .into_iter()
            .filter(|name| !known.contains(&name.as_str()))
            .collect();
        assert_eq!(of_store, settings(super::super::DURABLE, "PRAGMA "));

        let folder = tempfile::tempdir().unwrap();
        let connection = create(folder.path()).unwrap();
        let value = |name: &str| {
            connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, rusqlite::types::Value>(0))
        };
        assert_eq!(value("journal_mode").unwrap(), rusqlite::types::Value::from("wal".to_owned()));
        assert_eq!(value("synchronous").unwrap(), rusqlite::types::Value::from(2));
        assert_eq!(value("foreign_keys").unwrap(), rusqlite::types::Value::from(1));
    }
}
