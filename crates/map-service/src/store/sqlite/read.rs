//! Reading worlds: whole ones, worlds in short, and the world of a planet. Staged worlds are never found.
//! Everything here only selects; it runs on the writer's connection as well as on the readers'.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use starkeep_map_core::{
    Book, Books, Deposit, Planet, PlanetId, ResourceKind, Rng, Slot, Style, Terrain, World, WorldId,
    WorldStatus,
};
use starkeep_platform::sqlite::uuid_column;

use super::rows::{book, deposit, instant, invalid, planet as planet_row, word};
use crate::domain::{Evicted, Overview};
use crate::ports::Cursor;
use crate::store::window::Window;

pub(super) fn active_worlds(connection: &Connection) -> Result<Vec<WorldId>> {
    connection
        .prepare_cached("SELECT id FROM made_world WHERE status = 'active' ORDER BY id")?
        .query_map([], world_id)?
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

pub(super) fn place(connection: &Connection, planet: PlanetId) -> Result<Option<(WorldId, Slot)>> {
    connection
        .prepare_cached(
            "SELECT world_id AS id, slot FROM planet
             WHERE id = ?1 AND world_id NOT IN (SELECT id FROM staged_world)",
        )?
        .query_row([planet.0.as_bytes()], |row| Ok((world_id(row)?, row.get("slot")?)))
        .optional()
}

pub(super) fn neighbourhood(connection: &Connection, planet: PlanetId) -> Result<Option<(Arc<World>, Slot)>> {
    let snapshot = connection.unchecked_transaction()?;
    let Some((id, slot)) = place(&snapshot, planet)? else { return Ok(None) };
    let side: u32 = snapshot
        .prepare_cached("SELECT side FROM made_world WHERE id = ?1")?
        .query_row([id.0.as_bytes()], |row| row.get("side"))?;
    let window = Window::around(slot, side);
    let world = load(&snapshot, id, window)?;
    Ok(world.map(|world| (Arc::new(world), slot - window.first)))
}

pub(super) fn world(connection: &Connection, id: WorldId) -> Result<Option<World>> {
    // One transaction, so that all of its tables are seen at the same moment.
    load(&*connection.unchecked_transaction()?, id, Window::WHOLE_WORLD)
}

/// Slots are counted from the window's first: no slot is left out, so they stay dense.
fn load(connection: &Connection, id: WorldId, window: Window) -> Result<Option<World>> {
    connection
        .prepare_cached(
            "SELECT id, status, player_amount, round_amount, seed, style, generator_version, side, random_state,
                    created_at_millis, updated_at_millis
             FROM made_world WHERE id = ?1",
        )?
        .query_row([id.0.as_bytes()], |row| {
            Ok(World {
                id,
                status: word(row, "status", WorldStatus::parse)?,
                player_amount: row.get("player_amount")?,
                round_amount: row.get("round_amount")?,
                seed: row.get::<_, i64>("seed")?.cast_unsigned(),
                style: word(row, "style", Style::parse)?,
                generator_version: row.get("generator_version")?,
                created_at: instant(row, "created_at_millis")?,
                updated_at: instant(row, "updated_at_millis")?,
                rng: Rng::from_state(row.get::<_, i64>("random_state")?.cast_unsigned()),
                terrain: Arc::new(terrain(connection, id, row.get("side")?, window)?),
                deposits: deposits(connection, id, window)?.into_iter().collect(),
                books: books(connection, id)?,
            })
        })
        .optional()
}

fn terrain(connection: &Connection, world: WorldId, side: u32, window: Window) -> Result<Terrain> {
    let planets: Vec<Planet> = connection
        .prepare_cached(
            "SELECT id, x, y, kind FROM planet WHERE world_id = ?1 AND slot BETWEEN ?2 AND ?3 ORDER BY slot",
        )?
        .query_map(params![world.0.as_bytes(), window.first, window.last], planet_row)?
        .collect::<Result<_>>()?;
    let place = |planet: &Planet| (planet.y, planet.x);
    let in_order = planets.is_sorted_by(|one, next| place(one) < place(next));
    let inside = planets.iter().all(|planet| u32::from(planet.x.max(planet.y)) < side);
    if !in_order || !inside {
        return Err(invalid(format_args!(
            "the planets of gameworld {world} do not lie row by row in their square"
        )));
    }
    Ok(Terrain::new(side, planets))
}

fn deposits(connection: &Connection, world: WorldId, window: Window) -> Result<Vec<(Slot, Deposit)>> {
    connection
        .prepare_cached(
            "SELECT slot - ?2 AS slot, id, kind, max_amount, current_amount, created_at_millis, updated_at_millis
             FROM deposit WHERE world_id = ?1 AND slot BETWEEN ?2 AND ?3",
        )?
        .query_map(params![world.0.as_bytes(), window.first, window.last], |row| {
            Ok((row.get("slot")?, deposit(row)?))
        })?
        .collect()
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
    "SELECT id, status, player_amount, round_amount, created_at_millis, updated_at_millis FROM made_world";

pub(super) fn overview(connection: &Connection, world: WorldId) -> Result<Option<Overview>> {
    let snapshot = connection.unchecked_transaction()?;
    snapshot
        .prepare_cached(&format!("{OVERVIEW} WHERE id = ?1"))?
        .query_row([world.0.as_bytes()], |row| overview_row(&snapshot, row))
        .optional()
}

pub(super) fn overviews(
    connection: &Connection,
    after: Option<Cursor>,
    most: usize,
) -> Result<Vec<Overview>> {
    let snapshot = connection.unchecked_transaction()?;
    // Without a cursor the list begins with the newest.
    let millis = after.map_or(i64::MAX, |cursor| cursor.created_at.as_millisecond());
    let id = after.map_or([0; 16], |cursor| *cursor.id.0.as_bytes());
    snapshot
        .prepare_cached(&format!(
            "{OVERVIEW} WHERE (created_at_millis, id) < (?1, ?2)
             ORDER BY created_at_millis DESC, id DESC LIMIT ?3"
        ))?
        .query_map(params![millis, id, i64::try_from(most).unwrap_or(i64::MAX)], |row| {
            overview_row(&snapshot, row)
        })?
        .collect()
}

fn overview_row(connection: &Connection, row: &Row<'_>) -> Result<Overview> {
    let id = world_id(row)?;
    Ok(Overview {
        id,
        status: word(row, "status", WorldStatus::parse)?,
        player_amount: row.get("player_amount")?,
        round_amount: row.get("round_amount")?,
        created_at: instant(row, "created_at_millis")?,
        updated_at: instant(row, "updated_at_millis")?,
        stations: connection
            .prepare_cached(
                "SELECT id FROM planet INDEXED BY station
                 WHERE world_id = ?1 AND kind = 'spacestation' ORDER BY slot",
            )?
            .query_map([id.0.as_bytes()], |row| uuid_column(row, "id").map(PlanetId))?
            .collect::<Result<_>>()?,
    })
}

fn world_id(row: &Row<'_>) -> Result<WorldId> {
    uuid_column(row, "id").map(WorldId)
}
