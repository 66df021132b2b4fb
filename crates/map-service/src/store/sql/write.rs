//! Writing a world's rows, and what happens to it as a whole: it becomes inactive or is withdrawn.
//! What happens to deposits comes in large numbers and is added up in `batch_rows` first.

use jiff::Timestamp;
use starkeep_map_core::{Deactivated, Deposit, Nonce, ResourceKind, Slot, World, WorldId};
use starkeep_platform::sql::{SqlConnection, SqlFault, Statements};
use starkeep_platform::values;
use uuid::Uuid;

use crate::store::layout_form;

/// What never changes of a world, as it is stored.
pub(super) struct EncodedLayout {
    stations: Vec<u8>,
    layout: Vec<u8>,
}

impl EncodedLayout {
    /// Takes milliseconds for large worlds, so it is done before the writer is asked.
    pub(super) fn of(world: &World) -> Self {
        Self { stations: stations(world), layout: layout_form::encode(world) }
    }
}

/// The ids of its space stations, one after the other.
pub(super) fn stations(world: &World) -> Vec<u8> {
    let stations = world.terrain.stations().map(|slot| world.terrain.planet(slot).id.0);
    stations.flat_map(Uuid::into_bytes).collect()
}

/// The row of the world itself.
pub(super) async fn staged_world(connection: &dyn SqlConnection, world: &World) -> Result<(), SqlFault> {
    let inserted = connection.execute(
        "INSERT INTO world
         (id, status, player_amount, round_amount, seed, nonce, style, generator_version, replenishment,
          random_state, created_at_millis, updated_at_millis)
         VALUES (?1, 'staged', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        values![
            world.id.0,
            world.player_amount,
            world.round_amount,
            world.seed,
            world.nonce.as_ref().map(Nonce::as_str),
            world.origin.as_str(),
            world.origin.generator_version(),
            world.replenishment.as_str(),
            world.rng.state(),
            world.created_at,
            world.updated_at,
        ],
    );
    inserted.await.map(drop)
}

pub(super) async fn layout(
    connection: &dyn SqlConnection,
    world: WorldId,
    encoded: &EncodedLayout,
) -> Result<(), SqlFault> {
    let inserted = connection.execute(
        "INSERT INTO world_layout (world_id, stations, layout) VALUES (?1, ?2, ?3)",
        values![world.0, &encoded.stations, &encoded.layout],
    );
    inserted.await.map(drop)
}

pub(super) async fn books(connection: &dyn SqlConnection, world: &World) -> Result<(), SqlFault> {
    for kind in ResourceKind::ALL {
        let book = world.books.of(kind);
        let inserted = connection.execute(
            "INSERT INTO book (world_id, kind, initial, replenished, mined) VALUES (?1, ?2, ?3, ?4, ?5)",
            values![world.id.0, kind.as_str(), book.initial, book.replenished, book.mined],
        );
        inserted.await?;
    }
    Ok(())
}

/// A deposit that appeared, whatever was stored of the slot before.
pub(super) fn deposit(
    rows: &mut dyn Statements,
    world: WorldId,
    slot: Slot,
    deposit: &Deposit,
) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO deposit
         (world_id, slot, id, kind, max_amount, current_amount, created_at_millis, updated_at_millis)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (world_id, slot) DO UPDATE SET id = excluded.id, added = NULL, kind = excluded.kind,
             max_amount = excluded.max_amount, current_amount = excluded.current_amount,
             created_at_millis = excluded.created_at_millis, updated_at_millis = excluded.updated_at_millis",
        values![
            world.0,
            slot,
            deposit.id.0,
            deposit.kind.as_str(),
            deposit.max_amount,
            deposit.current_amount,
            deposit.created_at,
            deposit.updated_at,
        ],
    )
}

pub(super) fn stations_announced(
    rows: &mut dyn Statements,
    world: WorldId,
    unannounced_from: Option<u32>,
) -> Result<(), SqlFault> {
    rows.run("UPDATE world SET unannounced_from = ?2 WHERE id = ?1", values![world.0, unannounced_from])
}

pub(super) fn deactivated(rows: &mut dyn Statements, deactivated: Deactivated) -> Result<(), SqlFault> {
    rows.run(
        "UPDATE world SET status = 'inactive', is_sealed = ?3, updated_at_millis = ?2 WHERE id = ?1",
        values![deactivated.world.0, deactivated.at, deactivated.is_sealed],
    )
}

/// The rows of a world but those of its deposits, which may be many: see [`remove_deposits`].
pub(super) const WORLD_ROWS: [&str; 3] = [
    "DELETE FROM book WHERE world_id = ?1",
    "DELETE FROM world_layout WHERE world_id = ?1",
    "DELETE FROM world WHERE id = ?1",
];

/// Removes the world, also a staged one.
pub(super) fn withdrawn(rows: &mut dyn Statements, world: WorldId, at: Timestamp) -> Result<(), SqlFault> {
    WORLD_ROWS.into_iter().try_for_each(|removal| rows.run(removal, values![world.0]))?;
    rows.run("INSERT INTO withdrawn_world (id, at_millis) VALUES (?1, ?2)", values![world.0, at])
}

/// Removes at most so many deposits of a withdrawn world; whether none is left.
pub(super) async fn remove_deposits(
    connection: &dyn SqlConnection,
    world: WorldId,
    most: usize,
) -> Result<bool, SqlFault> {
    let removed = connection.execute(
        "DELETE FROM deposit WHERE world_id = ?1
         AND slot IN (SELECT slot FROM deposit WHERE world_id = ?1 LIMIT ?2)
         AND EXISTS (SELECT 1 FROM withdrawn_world WHERE id = ?1)",
        values![world.0, most],
    );
    Ok(removed.await? < most as u64)
}

/// Ids are forgotten only when nothing is left of their worlds: a new world with the id would inherit it.
pub(super) async fn forget_withdrawn(
    connection: &dyn SqlConnection,
    before: Timestamp,
) -> Result<usize, SqlFault> {
    let forgotten = connection.execute(
        "DELETE FROM withdrawn_world
         WHERE at_millis < ?1 AND NOT EXISTS (SELECT 1 FROM deposit WHERE world_id = withdrawn_world.id)",
        values![before],
    );
    forgotten.await.map(|count| usize::try_from(count).unwrap_or(usize::MAX))
}
