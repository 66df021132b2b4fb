//! Staged worlds: written in a transaction of their own before the change that makes them, so that no commit waits for them.
//! They stay invisible until a change names them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use jiff::Timestamp;
use rusqlite::{Connection, Error, Result, params};
use starkeep_map_core::{World, WorldId};
use starkeep_platform::sqlite::uuid_column;

use super::read;
use super::rows::instant;
use super::write::{self, EncodedLayout};
use crate::domain::Image;

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
pub(super) fn stage(connection: &Connection, world: &World, layout: &EncodedLayout) -> Result<bool> {
    remove(connection, world.id)?;
    if is_taken(connection, world.id)? {
        return Ok(false);
    }
    write::staged_world(connection, world)?;
    write::layout(connection, world.id, layout)?;
    write::books(connection, world)?;
    Ok(true)
}

/// Removes a world that is staged; others stay.
pub(super) fn remove(connection: &Connection, world: WorldId) -> Result<()> {
    let id = world.0.as_bytes();
    if connection.prepare_cached("SELECT 1 FROM world WHERE id = ?1 AND status = 'staged'")?.exists([id])? {
        write::remove_world(connection, world)?;
    }
    Ok(())
}

/// The staged worlds, and when each was made up.
pub(super) fn all(connection: &Connection) -> Result<Vec<(WorldId, Timestamp)>> {
    connection
        .prepare_cached("SELECT id, created_at_millis FROM world WHERE status = 'staged' ORDER BY id")?
        .query_map([], |row| Ok((WorldId(uuid_column(row, "id")?), instant(row, "created_at_millis")?)))?
        .collect()
}

/// The change that names it is saved: from now on reads find it.
pub(super) fn make(connection: &Connection, world: WorldId, unannounced_from: Option<u32>) -> Result<()> {
    let made = connection
        .prepare_cached(
            "UPDATE world SET status = 'active', unannounced_from = ?2 WHERE id = ?1 AND status = 'staged'",
        )?
        .execute(params![world.0.as_bytes(), unannounced_from])?;
    if made == 1 { Ok(()) } else { Err(Error::StatementChangedRows(made)) }
}

/// Loads a world as it was staged, also after it was made. The process that staged it still has it in memory.
pub(super) fn fetch(
    connection: &Connection,
    cache: &StagedWorlds,
    id: WorldId,
    image: &mut Image,
) -> Result<()> {
    if image.staged(id).is_some() {
        return Ok(());
    }
    let exists = connection.prepare_cached("SELECT 1 FROM world WHERE id = ?1")?.exists([id.0.as_bytes()])?;
    let world = match cache.get(id).filter(|_| exists) {
        Some(world) => Some(world),
        None => read::as_made(connection, id)?.map(Arc::new),
    };
    if let Some(world) = world {
        image.load_staged(world);
    }
    Ok(())
}

fn is_taken(connection: &Connection, world: WorldId) -> Result<bool> {
    connection
        .prepare_cached(
            "SELECT 1 FROM world WHERE id = ?1 UNION ALL SELECT 1 FROM withdrawn_world WHERE id = ?1",
        )?
        .exists([world.0.as_bytes()])
}
