//! Intents as rows and back. What is called stands in them as JSON that the service writes and reads.

use super::{SqlConnection, SqlFault, Statements};
use crate::intent::{Intent, IntentId};
use crate::replica::ReplicaId;

/// Every open intent; `read` understands what is called.
pub async fn load_intents<C>(
    connection: &dyn SqlConnection,
    read: impl Fn(&str) -> Result<C, SqlFault>,
) -> Result<Vec<Intent<C>>, SqlFault> {
    let rows = connection.query("SELECT id, owner, call FROM intent", &[]).await?;
    let intents = rows.iter().map(|row| {
        Ok(Intent {
            id: IntentId(row.get("id")?),
            owner: ReplicaId(row.get("owner")?),
            call: read(row.text("call")?)?,
        })
    });
    intents.collect()
}

pub fn begin_intent(rows: &mut dyn Statements, intent: &Intent<String>) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO intent (id, owner, call) VALUES (?1, ?2, ?3)",
        crate::values![intent.id.0, intent.owner.0, &intent.call],
    )
}

/// It belongs to this replica from now on.
pub fn take_over_intent(rows: &mut dyn Statements, id: IntentId, by: ReplicaId) -> Result<(), SqlFault> {
    rows.run_on_one_row("UPDATE intent SET owner = ?2 WHERE id = ?1", crate::values![id.0, by.0])
}

/// Settled or withdrawn.
pub fn remove_intent(rows: &mut dyn Statements, id: IntentId) -> Result<(), SqlFault> {
    rows.run("DELETE FROM intent WHERE id = ?1", crate::values![id.0])
}
