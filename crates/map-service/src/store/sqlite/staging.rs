//! Staged worlds: their rows are written in chunks, each in a transaction of its own, so that the writer serves others in
//! between. They stay invisible until a change names them, and are removed in chunks, too, if none does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use jiff::Timestamp;
use rusqlite::{Connection, Error, OptionalExtension, Result, params};
use starkeep_map_core::{GENERATOR_VERSION, NewWorld, Style, World, WorldId};
use starkeep_platform::sqlite::uuid_column;

use super::rows::{instant, word};
use super::write;
use crate::domain::Image;

/// Rows of one transaction.
pub(super) const CHUNK: usize = 4_000;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    Complete,
    /// The id is in use or was withdrawn, or what was staged so far was removed: nothing is written.
    Refused,
}

/// Writes one chunk of the world's rows: the planets, then the deposits, both in slot order.
pub(super) fn write_chunk(
    connection: &Connection,
    new: &NewWorld,
    world: &World,
    number: usize,
    size: usize,
) -> Result<Progress> {
    if number == 0 {
        while !remove_chunk(connection, world.id, size)? {}
        if is_taken(connection, world.id)? {
            return Ok(Progress::Refused);
        }
        write::world(connection, world, new.id_seed)?;
        connection
            .prepare_cached("INSERT INTO staged_world (id, at_millis, is_complete) VALUES (?1, ?2, 0)")?
            .execute(params![world.id.0.as_bytes(), world.created_at.as_millisecond()])?;
    } else if !is_staged(connection, world.id)? {
        return Ok(Progress::Refused);
    }
    let planets = world.terrain.planets();
    let first = number * size;
    for (slot, planet) in (0..).zip(planets).skip(first).take(size) {
        write::planet(connection, world.id, slot, planet)?;
    }
    // How many rows of this chunk are left for deposits, and how many deposits were written before.
    let room = (first + size).saturating_sub(planets.len()).min(size);
    let written = first.saturating_sub(planets.len());
    for (slot, deposit) in world.deposits.iter().skip(written).take(room) {
        write::deposit(connection, world.id, *slot, deposit)?;
    }
    if first + size < planets.len() + world.deposits.len() {
        return Ok(Progress::More);
    }
    write::books(connection, world)?;
    connection
        .prepare_cached("UPDATE staged_world SET is_complete = 1 WHERE id = ?1")?
        .execute([world.id.0.as_bytes()])?;
    Ok(Progress::Complete)
}

/// Removes at most so many planets and deposits of a staged world; whether nothing of it is left.
pub(super) fn remove_chunk(connection: &Connection, world: WorldId, size: usize) -> Result<bool> {
    if !is_staged(connection, world)? {
        return Ok(true);
    }
    let id = world.0.as_bytes();
    connection.prepare_cached("UPDATE staged_world SET is_complete = 0 WHERE id = ?1")?.execute([id])?;
    for some in [
        "DELETE FROM deposit WHERE world_id = ?1
         AND slot IN (SELECT slot FROM deposit WHERE world_id = ?1 LIMIT ?2)",
        "DELETE FROM planet WHERE world_id = ?1
         AND slot IN (SELECT slot FROM planet WHERE world_id = ?1 LIMIT ?2)",
    ] {
        let limit = i64::try_from(size).unwrap_or(i64::MAX);
        if connection.prepare_cached(some)?.execute(params![id, limit])? == size {
            return Ok(false);
        }
    }
    for rest in [
        "DELETE FROM book WHERE world_id = ?1",
        "DELETE FROM staged_world WHERE id = ?1",
        "DELETE FROM world WHERE id = ?1",
    ] {
        connection.prepare_cached(rest)?.execute([id])?;
    }
    Ok(true)
}

/// The staged worlds, and when each was staged.
pub(super) fn all(connection: &Connection) -> Result<Vec<(WorldId, Timestamp)>> {
    connection
        .prepare_cached("SELECT id, at_millis FROM staged_world ORDER BY id")?
        .query_map([], |row| Ok((WorldId(uuid_column(row, "id")?), instant(row, "at_millis")?)))?
        .collect()
}

/// The change that names it is saved: from now on reads find it.
pub(super) fn make(connection: &Connection, world: WorldId) -> Result<()> {
    let made = connection
        .prepare_cached("DELETE FROM staged_world WHERE id = ?1 AND is_complete = 1")?
        .execute([world.0.as_bytes()])?;
    if made == 1 { Ok(()) } else { Err(Error::StatementChangedRows(made)) }
}

/// Loads a world as it was staged, also after it was made, when its rows may have changed: a new world follows from what
/// its row says, so it is created anew. The process that staged it still has it in memory.
pub(super) fn fetch(
    connection: &Connection,
    cache: &StagedWorlds,
    id: WorldId,
    image: &mut Image,
) -> Result<()> {
    if image.staged(id).is_some() {
        return Ok(());
    }
    let Some(new) = complete(connection, id)? else { return Ok(()) };
    image.load_staged(cache.get(id).unwrap_or_else(|| Arc::new(World::create(&new))));
    Ok(())
}

fn complete(connection: &Connection, id: WorldId) -> Result<Option<NewWorld>> {
    connection
        .prepare_cached(
            "SELECT player_amount, round_amount, seed, style, id_seed, created_at_millis
             FROM world LEFT JOIN staged_world AS staged USING (id)
             WHERE id = ?1 AND generator_version = ?2 AND id_seed IS NOT NULL AND ifnull(is_complete, 1) = 1",
        )?
        .query_row(params![id.0.as_bytes(), GENERATOR_VERSION], |row| {
            Ok(NewWorld {
                id,
                player_amount: row.get("player_amount")?,
                round_amount: row.get("round_amount")?,
                seed: row.get::<_, i64>("seed")?.cast_unsigned(),
                style: word(row, "style", Style::parse)?,
                id_seed: row.get::<_, i64>("id_seed")?.cast_unsigned(),
                created_at: instant(row, "created_at_millis")?,
            })
        })
        .optional()
}

fn is_staged(connection: &Connection, world: WorldId) -> Result<bool> {
    connection.prepare_cached("SELECT 1 FROM staged_world WHERE id = ?1")?.exists([world.0.as_bytes()])
}

fn is_taken(connection: &Connection, world: WorldId) -> Result<bool> {
    connection
        .prepare_cached(
            "SELECT 1 FROM world WHERE id = ?1 UNION ALL SELECT 1 FROM withdrawn_world WHERE id = ?1",
        )?
        .exists([world.0.as_bytes()])
}
