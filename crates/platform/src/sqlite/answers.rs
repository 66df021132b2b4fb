//! Kept answers: written with their effect, found by their request_key, forgotten when they are old.
//! Who may ask, and how repeated requests wait for the first, is in `idempotency`.

use std::future::Future;
use std::pin::Pin;

use http::{HeaderName, HeaderValue, StatusCode};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Sqlite, Tables};
use crate::answer::Answer;
use crate::idempotency::{AnswerStore, KeyClaim, RequestKey, StoredAnswer};

pub(super) fn put(connection: &Connection, claim: &KeyClaim, answer: &Answer) -> rusqlite::Result<()> {
    // REPLACE: a row that is still there is older than we promise to keep it, or it would have been found.
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO answer
         (key, method, path, body_digest, status, header_name, header_value, body, kept_at_millis)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let header = answer.header.as_ref();
    insert.execute(params![
        claim.request_key.key,
        claim.request_key.method,
        claim.request_key.path,
        claim.body_digest,
        answer.status.as_u16(),
        header.map(|(name, _)| name.as_str()),
        header.and_then(|(_, value)| value.to_str().ok()),
        &answer.body[..],
        claim.claimed_at.as_millisecond(),
    ])?;
    Ok(())
}

pub(super) fn remove(connection: &Connection, before: Timestamp) -> rusqlite::Result<usize> {
    connection.execute("DELETE FROM answer WHERE kept_at_millis < ?1", [before.as_millisecond()])
}

impl<D: Tables> AnswerStore for Sqlite<D> {
    fn find<'a>(
        &'a self,
        request_key: &'a RequestKey,
        kept_since: Timestamp,
    ) -> Pin<Box<dyn Future<Output = Result<Option<StoredAnswer>, String>> + Send + 'a>> {
        let RequestKey { key, method, path } = request_key.clone();
        Box::pin(self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT body_digest, status, header_name, header_value, body FROM answer
                     WHERE key = ?1 AND method = ?2 AND path = ?3 AND kept_at_millis >= ?4",
                )?
                .query_row(params![key, method, path, kept_since.as_millisecond()], kept)
                .optional()
        }))
    }
}

fn kept(row: &Row<'_>) -> rusqlite::Result<StoredAnswer> {
    let header = match (row.get::<_, Option<String>>(2)?, row.get::<_, Option<String>>(3)?) {
        (Some(name), Some(value)) => HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok()),
        _ => None,
    };
    let status = StatusCode::from_u16(row.get(1)?).unwrap_or(StatusCode::OK);
    let answer = Answer { status, header, body: row.get::<_, Vec<u8>>(4)?.into() };
    Ok(StoredAnswer { body_digest: row.get(0)?, answer })
}
