//! Staged worlds: written in a transaction of their own before the change that makes them, so that no commit waits for them.
//! They stay invisible until a change names them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use jiff::Timestamp;
use starkeep_map_core::{World, WorldId};
use starkeep_platform::sql::{SqlConnection, SqlFault, Statements};
use starkeep_platform::values;

use super::read;
use super::write::{self, EncodedLayout};

/// The worlds that requests of this process are making. A request that has ended no longer holds its world.
#[derive(Default)]
pub struct StagedWorlds(Mutex<BTreeMap<WorldId, Weak<World>>>);

impl StagedWorlds {
    pub(super) fn insert(&self, world: &Arc<World>) {
        let mut worlds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        worlds.retain(|_, world| world.strong_count() > 0);
        worlds.insert(world.id, Arc::downgrade(world));
    }

    pub(super) fn get(&self, world: WorldId) -> Option<Arc<World>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&world)?.upgrade()
    }
}

/// Writes a world that nothing has happened to; false if its id is in use or was withdrawn.
pub(super) async fn stage(
    connection: &dyn SqlConnection,
    world: Arc<World>,
    layout: EncodedLayout,
) -> Result<bool, SqlFault> {
    remove(connection, world.id).await?;
    if is_taken(connection, world.id).await? {
        return Ok(false);
    }
    write::staged_world(connection, &world).await?;
    write::layout(connection, world.id, &layout).await?;
    write::books(connection, &world).await?;
    Ok(true)
}

/// Removes a world that is staged; others stay.
pub(super) async fn remove(connection: &dyn SqlConnection, world: WorldId) -> Result<(), SqlFault> {
    let is_staged = "SELECT 1 FROM world WHERE id = ?1 AND status = 'staged'";
    if connection.exists(is_staged, values![world.0]).await? {
        for removal in write::WORLD_ROWS {
            connection.execute(removal, values![world.0]).await?;
        }
    }
    Ok(())
}

/// The staged worlds, and when each was made up.
pub(super) async fn all(connection: &dyn SqlConnection) -> Result<Vec<(WorldId, Timestamp)>, SqlFault> {
    let staged = "SELECT id, created_at_millis FROM world WHERE status = 'staged' ORDER BY id";
    let rows = connection.query(staged, &[]).await?;
    rows.iter().map(|row| Ok((WorldId(row.get("id")?), row.get("created_at_millis")?))).collect()
}

/// The change that names it is saved: from now on reads find it.
pub(super) fn make(
    rows: &mut dyn Statements,
    world: WorldId,
    unannounced_from: Option<u32>,
) -> Result<(), SqlFault> {
    rows.run_on_one_row(
        "UPDATE world SET status = 'active', unannounced_from = ?2 WHERE id = ?1 AND status = 'staged'",
        values![world.0, unannounced_from],
    )
}

/// A world as it was staged, also after it was made. The process that staged it still has it in memory; but another replica may
/// have staged it anew, with other planets, for the same request that came again.
pub(super) async fn find(
    connection: &dyn SqlConnection,
    cache: &StagedWorlds,
    id: WorldId,
) -> Result<Option<Arc<World>>, SqlFault> {
    match cache.get(id) {
        Some(world) => {
            let is_staged = "SELECT 1 FROM world_layout WHERE world_id = ?1 AND stations = ?2";
            let stations = write::stations(&world);
            if connection.exists(is_staged, values![id.0, stations.as_slice()]).await? {
                return Ok(Some(world));
            }
            read::as_made(connection, id).await
        }
        None => read::as_made(connection, id).await,
    }
}

async fn is_taken(connection: &dyn SqlConnection, world: WorldId) -> Result<bool, SqlFault> {
    let taken = "SELECT 1 FROM world WHERE id = ?1 UNION ALL SELECT 1 FROM withdrawn_world WHERE id = ?1";
    connection.exists(taken, values![world.0]).await
}
