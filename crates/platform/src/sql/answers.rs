//! Kept answers: written with their effect, found by their request key, forgotten when they are old.
//! Who may ask, and how repeated requests wait for the first, is in `idempotency`.

use http::{HeaderName, HeaderValue, StatusCode};
use jiff::Timestamp;

use super::{Row, SqlConnection, SqlFault, Statements};
use crate::answer::Answer;
use crate::idempotency::{KeyClaim, RequestKey, StoredAnswer};
use crate::values;

pub fn put(rows: &mut dyn Statements, claim: &KeyClaim, answer: &Answer) -> Result<(), SqlFault> {
    let header = answer.header.as_ref();
    // A request that was answered was found before. If ever it is not, it is refused here, with its effect.
    rows.run(
        "INSERT INTO answer (key, method, path, body_digest, status, header_name, header_value, body, kept_at_millis)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            &claim.request_key.key,
            &claim.request_key.method,
            &claim.request_key.path,
            &claim.body_digest,
            answer.status.as_u16(),
            header.map(|(name, _)| name.as_str()),
            header.and_then(|(_, value)| value.to_str().ok()),
            &answer.body[..],
            claim.claimed_at,
        ],
    )
}

pub async fn find(
    connection: &dyn SqlConnection,
    RequestKey { key, method, path }: RequestKey,
) -> Result<Option<StoredAnswer>, SqlFault> {
    let found = connection.query_one(
        "SELECT body_digest, status, header_name, header_value, body FROM answer
         WHERE key = ?1 AND method = ?2 AND path = ?3",
        values![&key, &method, &path],
    );
    found.await?.as_ref().map(stored).transpose()
}

/// Has the request been answered, by whichever replica?
pub async fn exists(
    connection: &dyn SqlConnection,
    RequestKey { key, method, path }: &RequestKey,
) -> Result<bool, SqlFault> {
    let kept = connection.exists(
        "SELECT 1 FROM answer WHERE key = ?1 AND method = ?2 AND path = ?3",
        values![key, method, path],
    );
    kept.await
}

/// Removes a part of those that were kept before the instant, so that nobody waits for long; how many.
pub async fn remove(
    connection: &dyn SqlConnection,
    before: Timestamp,
    at_most: u32,
) -> Result<usize, SqlFault> {
    let removed = connection.execute(
        "DELETE FROM answer WHERE (key, method, path) IN
         (SELECT key, method, path FROM answer WHERE kept_at_millis < ?1 ORDER BY kept_at_millis LIMIT ?2)",
        values![before, at_most],
    );
    Ok(usize::try_from(removed.await?).unwrap_or(usize::MAX))
}

fn stored(row: &Row) -> Result<StoredAnswer, SqlFault> {
    let header = match (row.get::<Option<String>>("header_name")?, row.get::<Option<String>>("header_value")?)
    {
        (Some(name), Some(value)) => HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok()),
        _ => None,
    };
    let status = StatusCode::from_u16(row.get("status")?).unwrap_or(StatusCode::OK);
    let answer = Answer { status, header, body: row.bytes("body")?.to_vec().into() };
    Ok(StoredAnswer { body_digest: row.get("body_digest")?, answer })
}
