//! Reading worlds: whole ones, worlds in short, and the world of a planet. Staged worlds are never found.
//! Everything here only selects; it runs on the writer's connection as well as on the readers'.

use std::sync::Arc;

use imbl::OrdMap;
use jiff::Timestamp;
use starkeep_map_core::{
    Book, Books, Deposit, PlanetId, ReplenishmentMode, ResourceKind, Rng, Slot, World, WorldId, WorldStatus,
    replenishment_rng, seed_commitment, worlds_that_may_hold,
};
use starkeep_platform::sql::{Row, SqlConnection, SqlFault};
use starkeep_platform::values;
use uuid::Uuid;

use super::rows::{DepositRow, book, deposit, nonce, origin};
use crate::domain::{Evicted, Image, Overview};
use crate::ports::Cursor;
use crate::store::layout_form::{self, MadeLayout};

/// What is kept in memory: every active world.
pub(super) async fn image(connection: &dyn SqlConnection) -> Result<Image, SqlFault> {
    let mut image = Image::default();
    for id in active_worlds(connection).await? {
        if let Some(world) = world(connection, id).await? {
            image.insert_world(world);
        }
    }
    // Those of which not all stations are announced, and the first that is not.
    let rows = connection.query(
        "SELECT id, unannounced_from FROM made_world
         WHERE status = 'active' AND unannounced_from IS NOT NULL ORDER BY id",
        &[],
    );
    for row in rows.await? {
        image.set_unannounced(world_id(&row)?, Some(row.get("unannounced_from")?));
    }
    Ok(image)
}

pub(super) async fn active_worlds(connection: &dyn SqlConnection) -> Result<Vec<WorldId>, SqlFault> {
    let active = "SELECT id FROM made_world WHERE status = 'active' ORDER BY id";
    connection.query(active, &[]).await?.iter().map(world_id).collect()
}

/// Why a world that is not in memory is not active; `None` if it is unknown.
pub(super) async fn why_not_active(
    connection: &dyn SqlConnection,
    world: WorldId,
) -> Result<Option<Evicted>, SqlFault> {
    Ok(if connection.exists("SELECT 1 FROM made_world WHERE id = ?1", values![world.0]).await? {
        Some(Evicted::Inactive)
    } else if connection.exists("SELECT 1 FROM withdrawn_world WHERE id = ?1", values![world.0]).await? {
        Some(Evicted::Withdrawn)
    } else {
        None
    })
}

/// The withdrawn worlds of which deposits are left.
pub(super) async fn withdrawn_with_deposits(
    connection: &dyn SqlConnection,
) -> Result<Vec<WorldId>, SqlFault> {
    let rows = connection.query(
        "SELECT id FROM withdrawn_world AS gone WHERE EXISTS (SELECT 1 FROM deposit WHERE world_id = gone.id)",
        &[],
    );
    rows.await?.iter().map(world_id).collect()
}

/// The world of a planet that is not in memory.
pub(super) async fn world_of(
    connection: &dyn SqlConnection,
    planet: PlanetId,
) -> Result<Option<WorldId>, SqlFault> {
    let range = worlds_that_may_hold(planet);
    let rows = connection.query(
        "SELECT id, layout FROM made_world JOIN world_layout ON world_id = id WHERE id BETWEEN ?1 AND ?2",
        values![range.start().0, range.end().0],
    );
    for row in rows.await? {
        if layout_form::holds(row.bytes("layout")?, planet).map_err(SqlFault::unreadable)? {
            return world_id(&row).map(Some);
        }
    }
    let row = connection.query_one(
        "SELECT world.id FROM planet_of_earlier_world AS planet
         JOIN made_world AS world ON world.id = planet.world_id WHERE planet.id = ?1",
        values![planet.0],
    );
    row.await?.as_ref().map(world_id).transpose()
}

/// To be asked in a snapshot.
pub(super) async fn planet(
    connection: &dyn SqlConnection,
    planet: PlanetId,
) -> Result<Option<(Arc<World>, Slot)>, SqlFault> {
    let Some(id) = world_of(connection, planet).await? else { return Ok(None) };
    let world = world(connection, id).await?;
    Ok(world.and_then(|world| {
        let slot = world.terrain.slot_of(planet)?;
        Some((world, slot))
    }))
}

/// To be asked in a snapshot.
pub(super) async fn world(
    connection: &dyn SqlConnection,
    id: WorldId,
) -> Result<Option<Arc<World>>, SqlFault> {
    let Some(row) = connection.query_one(MADE_WORLD, values![id.0]).await? else { return Ok(None) };
    let made = layout(&row)?;
    Ok(Some(Arc::new(World {
        status: row.word("status", WorldStatus::parse)?,
        is_sealed: row.get("is_sealed")?,
        updated_at: row.get("updated_at_millis")?,
        rng: Rng::from_state(row.get("random_state")?),
        deposits: deposits(connection, id, &made).await?,
        books: books(connection, id).await?,
        ..world_as_made(&row, made)?
    })))
}

const MADE_WORLD: &str = "SELECT * FROM made_world JOIN world_layout ON world_id = id WHERE id = ?1";

/// A world as it was when it was made. Of one of an earlier version: as it was when this one took over.
pub(super) async fn made(
    connection: &dyn SqlConnection,
    id: WorldId,
) -> Result<Option<Arc<World>>, SqlFault> {
    first_as_made(connection.query_one(MADE_WORLD, values![id.0]).await?)
}

/// A world as it was when it was made, also a staged one. Of worlds of earlier versions this is not known.
pub(super) async fn as_made(
    connection: &dyn SqlConnection,
    id: WorldId,
) -> Result<Option<Arc<World>>, SqlFault> {
    let row = connection.query_one(
        "SELECT * FROM world JOIN world_layout ON world_id = id WHERE id = ?1 AND nonce IS NOT NULL",
        values![id.0],
    );
    first_as_made(row.await?)
}

fn first_as_made(row: Option<Row>) -> Result<Option<Arc<World>>, SqlFault> {
    row.map(|row| Ok(Arc::new(world_as_made(&row, layout(&row)?)?))).transpose()
}

fn world_as_made(row: &Row, made: MadeLayout) -> Result<World, SqlFault> {
    let (seed, nonce) = (row.get("seed")?, nonce(row)?);
    let created_at: Timestamp = row.get("created_at_millis")?;
    let MadeLayout { terrain, deposits, fairness } = made;
    Ok(World {
        id: world_id(row)?,
        status: WorldStatus::Active,
        is_sealed: false,
        player_amount: row.get("player_amount")?,
        round_amount: row.get("round_amount")?,
        origin: origin(row)?,
        replenishment: row.word("replenishment", ReplenishmentMode::parse)?,
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

fn layout(row: &Row) -> Result<MadeLayout, SqlFault> {
    layout_form::decode(row.bytes("layout")?, row.get("created_at_millis")?).map_err(SqlFault::unreadable)
}

/// Those that the world was made with, and what has become of them.
async fn deposits(
    connection: &dyn SqlConnection,
    world: WorldId,
    made: &MadeLayout,
) -> Result<OrdMap<Slot, Deposit>, SqlFault> {
    let mut deposits = made.deposits.clone();
    for row in connection.query("SELECT * FROM deposit WHERE world_id = ?1", values![world.0]).await? {
        let slot = row.get("slot")?;
        let after = match deposit(&row)? {
            DepositRow::Vacated => {
                deposits.remove(&slot);
                continue;
            }
            DepositRow::AsMade { id, added, updated_at } => {
                let before = made.deposits.get(&slot).filter(|before| before.id == id);
                let before = before.ok_or_else(|| {
                    SqlFault::unreadable(format_args!("gameworld {world} was not made with deposit {id}"))
                })?;
                Deposit { current_amount: before.current_amount + added, updated_at, ..before.clone() }
            }
            DepositRow::Later(deposit) => deposit,
        };
        layout_form::check_deposit(&made.terrain, slot, &after).map_err(SqlFault::unreadable)?;
        deposits.insert(slot, after);
    }
    Ok(deposits)
}

async fn books(connection: &dyn SqlConnection, world: WorldId) -> Result<Books, SqlFault> {
    let of_world = "SELECT kind, initial, replenished, mined FROM book WHERE world_id = ?1";
    let rows = connection.query(of_world, values![world.0]).await?;
    let found: Vec<(ResourceKind, Book)> = rows.iter().map(book).collect::<Result<_, _>>()?;
    let mut books = [Book::default(); ResourceKind::ALL.len()];
    for kind in ResourceKind::ALL {
        let book = found.iter().find(|(of, _)| *of == kind);
        let missing =
            || SqlFault::unreadable(format_args!("gameworld {world} has no book of {}", kind.as_str()));
        books[kind.index()] = book.ok_or_else(missing)?.1;
    }
    Ok(Books::new(books))
}

macro_rules! overviews {
    ($which:literal) => {
        concat!(
            "SELECT id, status, is_sealed, player_amount, round_amount, seed, nonce, style, generator_version,
                    replenishment, created_at_millis, updated_at_millis, stations
             FROM made_world JOIN world_layout ON world_id = id ",
            $which
        )
    };
}

pub(super) async fn overview(
    connection: &dyn SqlConnection,
    world: WorldId,
) -> Result<Option<Overview>, SqlFault> {
    let row = connection.query_one(overviews!("WHERE id = ?1"), values![world.0]).await?;
    row.as_ref().map(overview_row).transpose()
}

pub(super) async fn overviews(
    connection: &dyn SqlConnection,
    after: Option<Cursor>,
    most: usize,
) -> Result<Vec<Overview>, SqlFault> {
    // Without a cursor the list begins with the newest.
    let millis = after.map_or(i64::MAX, |cursor| cursor.created_at.as_millisecond());
    let id = after.map_or(Uuid::nil(), |cursor| cursor.id.0);
    let newest = overviews!(
        "WHERE (created_at_millis, id) < (?1, ?2) ORDER BY created_at_millis DESC, id DESC LIMIT ?3"
    );
    connection.query(newest, values![millis, id, most]).await?.iter().map(overview_row).collect()
}

fn overview_row(row: &Row) -> Result<Overview, SqlFault> {
    let (seed, nonce) = (row.get("seed")?, nonce(row)?);
    let (stations, _) = row.bytes("stations")?.as_chunks();
    let status = row.word("status", WorldStatus::parse)?;
    Ok(Overview {
        id: world_id(row)?,
        status,
        is_hidden: status == WorldStatus::Active || row.get("is_sealed")?,
        player_amount: row.get("player_amount")?,
        round_amount: row.get("round_amount")?,
        origin: origin(row)?,
        replenishment: row.word("replenishment", ReplenishmentMode::parse)?,
        seed,
        nonce,
        seed_commitment: nonce.map(|nonce| seed_commitment(&nonce, seed)),
        created_at: row.get("created_at_millis")?,
        updated_at: row.get("updated_at_millis")?,
        stations: stations.iter().map(|id| PlanetId(Uuid::from_bytes(*id))).collect(),
    })
}

fn world_id(row: &Row) -> Result<WorldId, SqlFault> {
    row.get("id").map(WorldId)
}
