//! Writing a world's rows, and what happens to it as a whole: it becomes inactive or is withdrawn.
//! What happens to deposits comes in large numbers and is added up in `batch_rows` first.

use jiff::Timestamp;
use rusqlite::{Connection, Result, params};
use starkeep_map_core::{Deactivated, Deposit, Planet, ResourceKind, Slot, World, WorldId};

/// The row of the world itself.
pub(super) fn world(connection: &Connection, world: &World, id_seed: u64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO world
             (id, status, player_amount, round_amount, seed, style, generator_version, side, random_state,
              created_at_millis, updated_at_millis, id_seed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            world.id.0.as_bytes(),
            world.status.as_str(),
            world.player_amount,
            world.round_amount,
            world.seed.cast_signed(),
            world.style.as_str(),
            world.generator_version,
            world.terrain.side(),
            world.rng.state().cast_signed(),
            world.created_at.as_millisecond(),
            world.updated_at.as_millisecond(),
            id_seed.cast_signed(),
        ])
        .map(drop)
}

pub(super) fn planet(connection: &Connection, world: WorldId, slot: Slot, planet: &Planet) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO planet (world_id, slot, id, x, y, kind) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            world.0.as_bytes(),
            slot,
            planet.id.0.as_bytes(),
            planet.x,
            planet.y,
            planet.kind.as_str(),
        ])
        .map(drop)
}

/// A deposit on a planet that has none.
pub(super) fn deposit(connection: &Connection, world: WorldId, slot: Slot, deposit: &Deposit) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO deposit
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

pub(super) fn deactivated(connection: &Connection, deactivated: Deactivated) -> Result<()> {
    connection
        .prepare_cached("UPDATE world SET status = 'inactive', updated_at_millis = ?2 WHERE id = ?1")?
        .execute(params![deactivated.world.0.as_bytes(), deactivated.at.as_millisecond()])
        .map(drop)
}

/// Removes the world's rows, also those of a staged one.
pub(super) fn withdrawn(connection: &Connection, world: WorldId, at: Timestamp) -> Result<()> {
    for rows in [
        "DELETE FROM deposit WHERE world_id = ?1",
        "DELETE FROM planet WHERE world_id = ?1",
        "DELETE FROM book WHERE world_id = ?1",
        "DELETE FROM staged_world WHERE id = ?1",
        "DELETE FROM world WHERE id = ?1",
    ] {
        connection.prepare_cached(rows)?.execute([world.0.as_bytes()])?;
    }
    connection
        .prepare_cached("INSERT INTO withdrawn_world (id, at_millis) VALUES (?1, ?2)")?
        .execute(params![world.0.as_bytes(), at.as_millisecond()])
        .map(drop)
}

pub(super) fn forget_withdrawn(connection: &Connection, before: Timestamp) -> Result<usize> {
    connection.execute("DELETE FROM withdrawn_world WHERE at_millis < ?1", [before.as_millisecond()])
}
