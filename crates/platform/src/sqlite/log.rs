//! The event log's rows in SQLite: appended within a batch's transaction, read page by page. These are done all the time, so they
//! are written for SQLite itself; how readers see them is in `events`.

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};
use starkeep_contract::events::{About, Channel, EventType, NewEvent};
use uuid::Uuid;

use super::connection::{SqliteConnection, SqliteStatements};
use super::readers::Readers;
use crate::events::{CommittedEvent, Log, Pages};
use crate::sql::log::{bounds, index_full_pages};
use crate::sql::{SqlFault, at_once};

pub(super) fn open(connection: &SqliteConnection) -> Result<Log, SqlFault> {
    let (oldest, head) = at_once(bounds(connection))?;
    let connection = connection.lock();
    let epoch: [u8; 16] = connection.query_row("SELECT epoch FROM installation", [], |row| row.get(0))?;
    let newest = read(&connection, Log::first_of_newest_page(head), head)?;
    Ok(Log::open(Uuid::from_bytes(epoch).as_u64_pair().0, oldest, head, newest))
}

/// Appends the events after `head`.
pub(super) fn append(connection: &Connection, mut head: u64, events: &[NewEvent]) -> Result<(), SqlFault> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO event_log (position, event_id, channel, type, subject, about, transaction_id, transaction_text,
                                at_millis, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let before = head;
    for event in events {
        head += 1;
        let own_type = Some(event.event_type).filter(|kind| *kind != event.channel.event_type());
        insert.execute(params![
            head.cast_signed(),
            event.event_id.as_bytes(),
            event.channel.name(),
            own_type.map(EventType::name),
            event.about.subject.as_bytes(),
            event.about.details(),
            event.transaction_id.as_ref().map(Uuid::as_bytes),
            event.transaction_text,
            event.timestamp.as_millisecond(),
            event.payload,
        ])?;
    }
    index_full_pages(&mut SqliteStatements(connection), before, events.len())
}

macro_rules! events {
    ($which:literal) => {
        concat!(
            "SELECT event_log.position, event_id, channel, type, event_log.subject, about, transaction_id, transaction_text,
                    at_millis, payload FROM event_log ",
            $which
        )
    };
}

fn read(connection: &Connection, first: u64, last: u64) -> rusqlite::Result<Vec<CommittedEvent>> {
    let mut select =
        connection.prepare_cached(events!("WHERE position BETWEEN ?1 AND ?2 ORDER BY position"))?;
    select.query_map(params![first.cast_signed(), last.cast_signed()], committed)?.collect()
}

fn read_about(
    connection: &Connection,
    subject: Uuid,
    after: u64,
    most: u32,
) -> rusqlite::Result<Vec<CommittedEvent>> {
    let mut select = connection.prepare_cached(events!(
        "JOIN event_subject AS found ON found.position = event_log.position
         WHERE found.subject = ?1 AND found.position > ?2 ORDER BY found.position LIMIT ?3"
    ))?;
    select.query_map(params![subject.as_bytes(), after.cast_signed(), most], committed)?.collect()
}

/// Columns by their place in the statements above: streams read millions of rows, and looking names up is a sixth of it.
fn committed(row: &Row<'_>) -> rusqlite::Result<CommittedEvent> {
    let uuid = |column| row.get::<_, [u8; 16]>(column).map(Uuid::from_bytes);
    let channel = Channel::from_name(row.get_ref(2)?.as_str()?).ok_or(rusqlite::Error::InvalidQuery)?;
    let event_type = match row.get_ref(3)?.as_str_or_null()? {
        None => channel.event_type(),
        Some(own) => EventType::from_name(channel, own).ok_or(rusqlite::Error::InvalidQuery)?,
    };
    let event = NewEvent {
        channel,
        event_type,
        event_id: uuid(1)?,
        about: About::kept(uuid(4)?, row.get_ref(5)?.as_blob()?).ok_or(rusqlite::Error::InvalidQuery)?,
        transaction_id: row.get::<_, Option<[u8; 16]>>(6)?.map(Uuid::from_bytes),
        transaction_text: row.get(7)?,
        timestamp: Timestamp::from_millisecond(row.get(8)?).unwrap_or_default(),
        payload: row.get(9)?,
    };
    Ok(CommittedEvent::new(row.get::<_, i64>(0)?.unsigned_abs(), event))
}

impl Pages for Readers {
    fn read(&self, first: u64, last: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        self.ask_sqlite(move |connection| read(connection, first, last)).boxed()
    }

    fn read_about(
        &self,
        subject: Uuid,
        after: u64,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        self.ask_sqlite(move |connection| read_about(connection, subject, after, most)).boxed()
    }
}

#[cfg(test)]
mod tests;
