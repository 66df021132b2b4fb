//! The event log's rows: appending them within a batch's transaction.
//! Reading it belongs to the event streams.

use rusqlite::{Connection, params};
use starkeep_contract::events::NewEvent;

/// Position of the newest event; 0 before the first.
pub(super) fn head(connection: &Connection) -> rusqlite::Result<u64> {
    connection
        .query_row("SELECT coalesce(max(position), 0) FROM event_log", [], |row| row.get(0))
        .map(i64::unsigned_abs)
}

/// Appends the events after `head` and returns the new head.
pub(super) fn append(connection: &Connection, mut head: u64, events: &[NewEvent]) -> rusqlite::Result<u64> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO event_log (position, event_id, channel, key, transaction_id, at_millis, payload, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for event in events {
        head += 1;
        insert.execute(params![
            head.cast_signed(),
            event.event_id.as_bytes(),
            event.channel.name(),
            event.key.as_bytes(),
            event.transaction_id.as_ref().map(uuid::Uuid::as_bytes),
            event.timestamp.as_millisecond(),
            event.payload,
            event.detail,
        ])?;
    }
    Ok(head)
}
