//! What is done to the event log now and then: full pages are indexed by subject, its oldest events are removed, and it is noted how
//! far the relay has come. Appending and reading, which are done all the time, are written for each database.

use futures::future::{BoxFuture, try_join_all};
use uuid::Uuid;

use super::{Row, SqlConnection, SqlFault, Statements};
use crate::events::Log;
use crate::store::RetentionBounds;
use crate::values;

/// Indexes the pages that so many events after `head` have filled, in the transaction that appends them. Whoever looks for a subject
/// has what is on the last page in memory; a row of the index with each event would double what a batch writes.
pub fn index_full_pages(rows: &mut dyn Statements, head: u64, events: usize) -> Result<(), SqlFault> {
    let (before, after) = (Log::last_of_full_pages(head), Log::last_of_full_pages(head + events as u64));
    if before == after {
        return Ok(());
    }
    rows.run(
        "INSERT INTO event_subject (subject, position)
         SELECT subject, position FROM event_log WHERE position BETWEEN ?1 AND ?2 ORDER BY subject, position",
        values![before + 1, after],
    )
}

/// Numbers of the oldest and the newest event; of an empty log 1 and 0.
pub async fn bounds(connection: &dyn SqlConnection) -> Result<(u64, u64), SqlFault> {
    // Two look-ups at the ends of the index; one statement with both would scan it.
    let oldest = oldest(connection).await?;
    let head = connection.query_row("SELECT max(position) FROM event_log", &[]).await?;
    Ok((oldest, head.first::<Option<u64>>()?.unwrap_or(0)))
}

/// The number of the oldest event; 1 before there is any.
pub async fn oldest(connection: &dyn SqlConnection) -> Result<u64, SqlFault> {
    let oldest = connection.query_row("SELECT min(position) FROM event_log", &[]).await?;
    Ok(oldest.first::<Option<u64>>()?.unwrap_or(1))
}

/// Removes a few of the oldest events; how many, and the number of the oldest that is left.
pub async fn remove(
    connection: &dyn SqlConnection,
    keep: RetentionBounds,
    at_most: u32,
) -> Result<(u64, u64), SqlFault> {
    let (oldest, head) = bounds(connection).await?;
    let too_many = (head + 1).saturating_sub(keep.count.max(1));
    let mut remain = oldest.max(too_many.min(oldest + u64::from(at_most)));
    if let Some(since) = keep.since {
        // The log is in commit order; clocks may have been set, so it is asked only how far the old ones reach at its beginning.
        let young = connection.query_one(
            "SELECT position FROM (SELECT position, at_millis FROM event_log ORDER BY position LIMIT ?1) AS beginning
             WHERE at_millis >= ?2 ORDER BY position LIMIT 1",
            values![at_most, since],
        );
        let young = young.await?.map(|row| row.get::<u64>("position")).transpose()?;
        remain = remain.max(young.unwrap_or(oldest + u64::from(at_most)));
    }
    let unsent = keep.unsent_after.map_or(u64::MAX, |number| oldest.max(number + 1));
    let remain = remain.min(head.max(oldest)).min(unsent);
    let unwanted = connection
        .query("SELECT subject, position FROM event_log WHERE position < ?1", values![remain])
        .await?;
    let unindexed = unwanted.iter().map(|row| unindex(connection, row)).collect::<Result<Vec<_>, _>>()?;
    try_join_all(unindexed).await?;
    let removed = connection.execute("DELETE FROM event_log WHERE position < ?1", values![remain]).await?;
    Ok((removed, remain))
}

/// One by one: a database that is asked for all at once may read the whole index.
fn unindex<'a>(
    connection: &'a dyn SqlConnection,
    row: &Row,
) -> Result<BoxFuture<'a, Result<u64, SqlFault>>, SqlFault> {
    let (subject, position): (Uuid, u64) = (row.get("subject")?, row.get("position")?);
    Ok(connection.execute(
        "DELETE FROM event_subject WHERE subject = ?1 AND position = ?2",
        values![subject, position],
    ))
}

pub async fn relayed(connection: &dyn SqlConnection) -> Result<Option<u64>, SqlFault> {
    connection.query_row("SELECT sent_up_to FROM relay", &[]).await?.get("sent_up_to")
}

pub async fn save_relayed(connection: &dyn SqlConnection, number: u64) -> Result<(), SqlFault> {
    connection.execute("UPDATE relay SET sent_up_to = ?1", values![number]).await.map(drop)
}
