//! Writing a world's rows, and what happens to it as a whole: it becomes inactive or is withdrawn.
//! What happens to deposits comes in large numbers and is added up in `batch_rows` first.

use jiff::Timestamp;
use rusqlite::{Connection, Result, params};
use starkeep_map_core::{Deactivated, Deposit, Nonce, ResourceKind, Slot, World, WorldId};

use crate::store::layout_form;

/// What never changes of a world, as it is stored.
pub(super) struct EncodedLayout {
    stations: Vec<u8>,
    layout: Vec<u8>,
}

impl EncodedLayout {
    /// Takes milliseconds for large worlds, so it is done before the writer is asked.
    pub(super) fn of(world: &World) -> Self {
        let stations = world.terrain.stations().flat_map(|slot| world.terrain.planet(slot).id.0.into_bytes());
        Self { stations: stations.collect(), layout: layout_form::encode(world) }
    }
}

/// The row of the world itself.
pub(super) fn staged_world(connection: &Connection, world: &World) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO world
             (id, status, player_amount, round_amount, seed, nonce, style, generator_version, replenishment,
              random_state, created_at_millis, updated_at_millis)
             VALUES (?1, 'staged', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            world.id.0.as_bytes(),
            world.player_amount,
            world.round_amount,
            world.seed.cast_signed(),
            world.nonce.as_ref().map(Nonce::as_str),
            world.origin.as_str(),
            world.origin.generator_version(),
            world.replenishment.as_str(),
            world.rng.state().cast_signed(),
            world.created_at.as_millisecond(),
            world.updated_at.as_millisecond(),
        ])
        .map(drop)
}

pub(super) fn layout(connection: &Connection, world: WorldId, encoded: &EncodedLayout) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO world_layout (world_id, stations, layout) VALUES (?1, ?2, ?3)")?
        .execute(params![world.0.as_bytes(), encoded.stations, encoded.layout])
        .map(drop)
}

/// A deposit that appeared, whatever was stored of the slot before.
pub(super) fn deposit(connection: &Connection, world: WorldId, slot: Slot, deposit: &Deposit) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO deposit
             (world_id, slot, id, kind, max_amount, current_amount, created_at_millis, updated_at_millis)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            world.0.as_bytes(),
            slot,
            deposit.id.0.as_bytes(),
            deposit.kind.as_str(),
            deposit.max_amount,
            deposit.current_amount,
            deposit.created_at.as_millisecond(),
            deposit.updated_at.as_millisecond(),
        ])
        .map(drop)
}

pub(super) fn books(connection: &Connection, world: &World) -> Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO book (world_id, kind, initial, replenished, mined) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for kind in ResourceKind::ALL {
        let book = world.books.of(kind);
        insert.execute(params![
            world.id.0.as_bytes(),
            kind.as_str(),
            book.initial,
            book.replenished,
            book.mined
        ])?;
    }
    Ok(())
}

pub(super) fn stations_announced(
    connection: &Connection,
    world: WorldId,
    unannounced_from: Option<u32>,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE world SET unannounced_from = ?2 WHERE id = ?1")?
        .execute(params![world.0.as_bytes(), unannounced_from])
        .map(drop)
}

pub(super) fn deactivated(connection: &Connection, deactivated: Deactivated) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE world SET status = 'inactive', is_sealed = ?3, updated_at_millis = ?2 WHERE id = ?1",
        )?
        .execute(params![
            deactivated.world.0.as_bytes(),
            deactivated.at.as_millisecond(),
            deactivated.is_sealed,
        ])
        .map(drop)
}

/// Removes the world, also a staged one.
pub(super) fn withdrawn(connection: &Connection, world: WorldId, at: Timestamp) -> Result<()> {
    remove_world(connection, world)?;
    connection
        .prepare_cached("INSERT INTO withdrawn_world (id, at_millis) VALUES (?1, ?2)")?
        .execute(params![world.0.as_bytes(), at.as_millisecond()])
        .map(drop)
}

/// All but the rows of its deposits, which may be many: see [`remove_deposits`].
pub(super) fn remove_world(connection: &Connection, world: WorldId) -> Result<()> {
    for rows in [
        "DELETE FROM book WHERE world_id = ?1",
        "DELETE FROM world_layout WHERE world_id = ?1",
        "DELETE FROM world WHERE id = ?1",
    ] {
        connection.prepare_cached(rows)?.execute([world.0.as_bytes()])?;
    }
    Ok(())
}

/// Removes at most so many deposits of a withdrawn world; whether none is left.
pub(super) fn remove_deposits(connection: &Connection, world: WorldId, most: usize) -> Result<bool> {
    let removed = connection
        .prepare_cached(
            "DELETE FROM deposit WHERE world_id = ?1
             AND slot IN (SELECT slot FROM deposit WHERE world_id = ?1 LIMIT ?2)
             AND EXISTS (SELECT 1 FROM withdrawn_world WHERE id = ?1)",
        )?
        .execute(params![world.0.as_bytes(), i64::try_from(most).unwrap_or(i64::MAX)])?;
    Ok(removed < most)
}

/// Ids are forgotten only when nothing is left of their worlds: a new world with the id would inherit it.
pub(super) fn forget_withdrawn(connection: &Connection, before: Timestamp) -> Result<usize> {
    connection.execute(
        "DELETE FROM withdrawn_world
         WHERE at_millis < ?1 AND NOT EXISTS (SELECT 1 FROM deposit WHERE world_id = withdrawn_world.id)",
        [before.as_millisecond()],
    )
}
