//! What is stored, read from the file or the schema itself, beside the running service.

use futures::FutureExt as _;
use rusqlite::{Connection, OpenFlags, Row};
use serde::Deserialize;
use starkeep_platform::events::CommittedEvent;
use uuid::Uuid;

use crate::harness::Harness;
use crate::under_test::ServiceUnderTest;

/// An event of the log.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StoredEvent {
    pub event_id: Uuid,
    pub channel: String,
    pub subject: Uuid,
    #[serde(rename = "transaction_id")]
    pub transaction: Option<Uuid>,
    pub at_millis: i64,
    pub payload: String,
}

impl<S: ServiceUnderTest> Harness<S> {
    /// The database as it is on the disk.
    pub fn database(&self) -> Connection {
        let opened = Connection::open_with_flags(self.file(), OpenFlags::SQLITE_OPEN_READ_WRITE);
        opened.expect("the database opens")
    }

    /// How many rows there are; `from` is what stands after FROM.
    #[track_caller]
    pub fn count(&self, from: &str) -> i64 {
        if let Some(schema) = self.schema() {
            return schema.count(from);
        }
        let count = self.database().query_row(&format!("SELECT count(*) FROM {from}"), [], |row| row.get(0));
        count.expect("a count")
    }

    /// How many documents of the kind there are.
    #[track_caller]
    pub fn documents(&self, kind: &str) -> i64 {
        self.count(&format!("document WHERE kind = '{kind}'"))
    }

    /// The events in the order of the log, whose numbers have no gap.
    #[track_caller]
    pub fn stored_events(&self) -> Vec<StoredEvent> {
        let stored = match self.schema() {
            Some(schema) => schema.events(),
            None if self.is_in_memory() => self.events_in_memory(),
            None => read(&self.database()),
        };
        let numbers = stored.iter().map(|(number, _)| *number);
        assert!(numbers.eq(1..=stored.len() as u64), "the log has gaps");
        stored.into_iter().map(|(_, event)| event).collect()
    }

    fn events_in_memory(&self) -> Vec<(u64, StoredEvent)> {
        let (log, pages) = self.store().log();
        let kept = pages.read(1, log.head()).now_or_never().expect("a store in memory answers at once");
        kept.expect("events").into_iter().map(|event| (event.number, committed(&event))).collect()
    }
}

fn read(database: &Connection) -> Vec<(u64, StoredEvent)> {
    let mut select = database.prepare("SELECT * FROM event_log ORDER BY position").expect("a log");
    let rows = select.query_map([], |row| Ok((row.get::<_, i64>("position")?.cast_unsigned(), stored(row)?)));
    rows.and_then(Iterator::collect).expect("rows of events")
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredEvent> {
    let uuid = |column| row.get::<_, [u8; 16]>(column).map(Uuid::from_bytes);
    Ok(StoredEvent {
        event_id: uuid("event_id")?,
        channel: row.get("channel")?,
        subject: uuid("subject")?,
        transaction: row.get::<_, Option<[u8; 16]>>("transaction_id")?.map(Uuid::from_bytes),
        at_millis: row.get("at_millis")?,
        payload: row.get("payload")?,
    })
}

fn committed(event: &CommittedEvent) -> StoredEvent {
    StoredEvent {
        event_id: event.event_id,
        channel: event.channel.name().to_owned(),
        subject: event.about.subject,
        transaction: event.transaction_id,
        at_millis: event.timestamp.as_millisecond(),
        payload: event.payload.to_string(),
    }
}
