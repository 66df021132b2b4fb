//! Reading worlds: whole ones, worlds in short, and the world of a planet. Staged worlds are never found.
//! Everything here only selects; it runs on the writer's connection as well as on the readers'.

use std::sync::Arc;

use imbl::OrdMap;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use starkeep_map_core::{
    Book, Books, Deposit, PlanetId, ReplenishmentMode, ResourceKind, Rng, Slot, World, WorldId, WorldStatus,
    replenishment_rng, seed_commitment, worlds_that_may_hold,
};
use starkeep_platform::sqlite::uuid_column;
use uuid::Uuid;

use super::rows::{DepositRow, book, deposit, instant, invalid, nonce, origin, word};
use crate::domain::{Evicted, Overview};
use crate::ports::Cursor;
use crate::store::layout_form::{self, MadeLayout};

pub(super) fn active_worlds(connection: &Connection) -> Result<Vec<WorldId>> {
    connection
        .prepare_cached("SELECT id FROM made_world WHERE status = 'active' ORDER BY id")?
        .query_map([], world_id)?
        .collect()
}

/// The active worlds of which not all stations are announced, and the first of them that is not.
pub(super) fn unannounced(connection: &Connection) -> Result<Vec<(WorldId, u32)>> {
    connection
        .prepare_cached(
            "SELECT id, unannounced_from FROM made_world
             WHERE status = 'active' AND unannounced_from IS NOT NULL ORDER BY id",
        )?
        .query_map([], |row| Ok((world_id(row)?, row.get("unannounced_from")?)))?
        .collect()
}

/// Why a world that is not in memory is not active; `None` if it is unknown.
pub(super) fn why_not_active(connection: &Connection, world: WorldId) -> Result<Option<Evicted>> {
    let exists = |sql: &str| connection.prepare_cached(sql)?.exists([world.0.as_bytes()]);
    Ok(if exists("SELECT 1 FROM made_world WHERE id = ?1")? {
        Some(Evicted::Inactive)
    } else if exists("SELECT 1 FROM withdrawn_world WHERE id = ?1")? {
        Some(Evicted::Withdrawn)
    } else {
        None
    })
}

/// The withdrawn worlds of which deposits are left.
pub(super) fn withdrawn_with_deposits(connection: &Connection) -> Result<Vec<WorldId>> {
    connection
        .prepare_cached(
            "SELECT id FROM withdrawn_world AS gone WHERE EXISTS (SELECT 1 FROM deposit WHERE world_id = gone.id)",
        )?
        .query_map([], world_id)?
        .collect()
}

/// The world of a planet that is not in memory.
pub(super) fn world_of(connection: &Connection, planet: PlanetId) -> Result<Option<WorldId>> {
    let range = worlds_that_may_hold(planet);
    let bounds = [range.start(), range.end()].map(|world| world.0.into_bytes());
    let mut worlds = connection.prepare_cached(
        "SELECT id, layout FROM made_world JOIN world_layout ON world_id = id WHERE id BETWEEN ?1 AND ?2",
    )?;
    let mut rows = worlds.query(bounds)?;
    while let Some(row) = rows.next()? {
        let layout = row.get_ref("layout")?.as_blob()?;
        if layout_form::holds(layout, planet).map_err(invalid)? {
            return world_id(row).map(Some);
        }
    }
    connection
        .prepare_cached(
            "SELECT world.id FROM planet_of_earlier_world AS planet
             JOIN made_world AS world ON world.id = planet.world_id WHERE planet.id = ?1",
        )?
        .query_row([planet.0.as_bytes()], world_id)
        .optional()
}

pub(super) fn planet(connection: &Connection, planet: PlanetId) -> Result<Option<(Arc<World>, Slot)>> {
    let snapshot = connection.unchecked_transaction()?;
    let Some(id) = world_of(&snapshot, planet)? else { return Ok(None) };
    let world = load(&snapshot, id)?;
    Ok(world.and_then(|world| {
        let slot = world.terrain.slot_of(planet)?;
        Some((Arc::new(world), slot))
    }))
}

pub(super) fn world(connection: &Connection, id: WorldId) -> Result<Option<World>> {
    // One transaction, so that all of its tables are seen at the same moment.
    load(&*connection.unchecked_transaction()?, id)
}

fn load(connection: &Connection, id: WorldId) -> Result<Option<World>> {
    connection
        .prepare_cached("SELECT * FROM made_world JOIN world_layout ON world_id = id WHERE id = ?1")?
        .query_row([id.0.as_bytes()], |row| {
            let made = layout(row)?;
            Ok(World {
                status: word(row, "status", WorldStatus::parse)?,
                is_sealed: row.get("is_sealed")?,
                updated_at: instant(row, "updated_at_millis")?,
                rng: Rng::from_state(row.get::<_, i64>("random_state")?.cast_unsigned()),
                deposits: deposits(connection, id, &made)?,
                books: books(connection, id)?,
                ..world_as_made(row, made)?
            })
        })
        .optional()
}

/// A world as it was when it was made. Of one of an earlier version: as it was when this one took over.
pub(super) fn made(connection: &Connection, id: WorldId) -> Result<Option<World>> {
    connection
        .prepare_cached("SELECT * FROM made_world JOIN world_layout ON world_id = id WHERE id = ?1")?
        .query_row([id.0.as_bytes()], |row| world_as_made(row, layout(row)?))
        .optional()
}

/// A world as it was when it was made, also a staged one. Of worlds of earlier versions this is not known.
pub(super) fn as_made(connection: &Connection, id: WorldId) -> Result<Option<World>> {
    connection
        .prepare_cached(
            "SELECT * FROM world JOIN world_layout ON world_id = id WHERE id = ?1 AND nonce IS NOT NULL",
        )?
        .query_row([id.0.as_bytes()], |row| world_as_made(row, layout(row)?))
        .optional()
}

fn world_as_made(row: &Row<'_>, made: MadeLayout) -> Result<World> {
    let (seed, nonce) = (row.get::<_, i64>("seed")?.cast_unsigned(), nonce(row)?);
    let created_at = instant(row, "created_at_millis")?;
    let MadeLayout { terrain, deposits, fairness } = made;
    Ok(World {
        id: world_id(row)?,
        status: WorldStatus::Active,
        is_sealed: false,
        player_amount: row.get("player_amount")?,
        round_amount: row.get("round_amount")?,
        origin: origin(row)?,
        replenishment: word(row, "replenishment", ReplenishmentMode::parse)?,
        seed,
        nonce,
        created_at,
        updated_at: created_at,
        rng: nonce.map_or_else(|| Rng::from_state(0), |nonce| replenishment_rng(&nonce, seed)),
        fairness,
        terrain,
        books: Books::opening(deposits.values()),
        deposits,
    })
}

fn layout(row: &Row<'_>) -> Result<MadeLayout> {
    let created_at = instant(row, "created_at_millis")?;
    layout_form::decode(row.get_ref("layout")?.as_blob()?, created_at).map_err(invalid)
}

/// Those that the world was made with, and what has become of them.
fn deposits(connection: &Connection, world: WorldId, made: &MadeLayout) -> Result<OrdMap<Slot, Deposit>> {
    let mut deposits = made.deposits.clone();
    let mut changed = connection.prepare_cached("SELECT * FROM deposit WHERE world_id = ?1")?;
    let mut rows = changed.query([world.0.as_bytes()])?;
    while let Some(row) = rows.next()? {
        let slot = row.get("slot")?;
        let after = match deposit(row)? {
            DepositRow::Vacated => {
                deposits.remove(&slot);
                continue;
            }
            DepositRow::AsMade { id, added, updated_at } => {
                let before = made.deposits.get(&slot).filter(|before| before.id == id);
                let before = before.ok_or_else(|| {
                    invalid(format_args!("gameworld {world} was not made with deposit {id}"))
                })?;
                Deposit { current_amount: before.current_amount + added, updated_at, ..before.clone() }
            }
            DepositRow::Later(deposit) => deposit,
        };
        layout_form::check_deposit(&made.terrain, slot, &after).map_err(invalid)?;
        deposits.insert(slot, after);
    }
    Ok(deposits)
}

fn books(connection: &Connection, world: WorldId) -> Result<Books> {
    let found: Vec<(ResourceKind, Book)> = connection
        .prepare_cached("SELECT kind, initial, replenished, mined FROM book WHERE world_id = ?1")?
        .query_map([world.0.as_bytes()], book)?
        .collect::<Result<_>>()?;
    let mut books = [Book::default(); ResourceKind::ALL.len()];
    for kind in ResourceKind::ALL {
        let (_, book) = found
            .iter()
            .find(|(of, _)| *of == kind)
            .ok_or_else(|| invalid(format_args!("gameworld {world} has no book of {}", kind.as_str())))?;
        books[kind.index()] = *book;
    }
    Ok(Books::new(books))
}

const OVERVIEW: &str =
    "SELECT id, status, is_sealed, player_amount, round_amount, seed, nonce, style, generator_version, replenishment,
            created_at_millis, updated_at_millis, stations
     FROM made_world JOIN world_layout ON world_id = id";

pub(super) fn overview(connection: &Connection, world: WorldId) -> Result<Option<Overview>> {
    connection
        .prepare_cached(&format!("{OVERVIEW} WHERE id = ?1"))?
        .query_row([world.0.as_bytes()], overview_row)
        .optional()
}

pub(super) fn overviews(
    connection: &Connection,
    after: Option<Cursor>,
    most: usize,
) -> Result<Vec<Overview>> {
    // Without a cursor the list begins with the newest.
    let millis = after.map_or(i64::MAX, |cursor| cursor.created_at.as_millisecond());
    let id = after.map_or([0; 16], |cursor| *cursor.id.0.as_bytes());
    connection
        .prepare_cached(&format!(
            "{OVERVIEW} WHERE (created_at_millis, id) < (?1, ?2)
             ORDER BY created_at_millis DESC, id DESC LIMIT ?3"
        ))?
        .query_map(params![millis, id, i64::try_from(most).unwrap_or(i64::MAX)], overview_row)?
        .collect()
}

fn overview_row(row: &Row<'_>) -> Result<Overview> {
    let (seed, nonce) = (row.get::<_, i64>("seed")?.cast_unsigned(), nonce(row)?);
    let (stations, _) = row.get_ref("stations")?.as_blob()?.as_chunks();
    let status = word(row, "status", WorldStatus::parse)?;
    Ok(Overview {
        id: world_id(row)?,
        status,
        is_hidden: status == WorldStatus::Active || row.get("is_sealed")?,
        player_amount: row.get("player_amount")?,
        round_amount: row.get("round_amount")?,
        origin: origin(row)?,
        replenishment: word(row, "replenishment", ReplenishmentMode::parse)?,
        seed,
        nonce,
        seed_commitment: nonce.map(|nonce| seed_commitment(&nonce, seed)),
        created_at: instant(row, "created_at_millis")?,
        updated_at: instant(row, "updated_at_millis")?,
        stations: stations.iter().map(|id| PlanetId(Uuid::from_bytes(*id))).collect(),
    })
}

fn world_id(row: &Row<'_>) -> Result<WorldId> {
    uuid_column(row, "id").map(WorldId)
}
