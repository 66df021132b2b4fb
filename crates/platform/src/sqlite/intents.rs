//! Intents as rows and back. What is called stands in them as JSON that the service writes and reads.

use rusqlite::{Connection, params};

use super::uuid_column;
use crate::intent::{Intent, IntentId};
use crate::replica::ReplicaId;

/// Every open intent; `read` understands what is called.
pub fn load_intents<C>(
    connection: &Connection,
    read: impl Fn(&str) -> rusqlite::Result<C>,
) -> rusqlite::Result<Vec<Intent<C>>> {
    let mut select = connection.prepare("SELECT id, owner, call FROM intent")?;
    let intents = select.query_map([], |row| {
        Ok(Intent {
            id: IntentId(uuid_column(row, "id")?),
            owner: ReplicaId(uuid_column(row, "owner")?),
            call: read(row.get_ref("call")?.as_str()?)?,
        })
    })?;
    intents.collect()
}

pub fn begin_intent(connection: &Connection, intent: &Intent<String>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO intent (id, owner, call) VALUES (?1, ?2, ?3)")?
        .execute(params![intent.id.0.as_bytes(), intent.owner.0.as_bytes(), intent.call])
        .map(drop)
}

/// Settled or withdrawn.
pub fn remove_intent(connection: &Connection, id: IntentId) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM intent WHERE id = ?1")?.execute([id.0.as_bytes()]).map(drop)
}
