//! The embedded store: the tables of the domain, and the port on top of the platform's one writer and its readers.
//! Rows are read and written in the modules below; batching and committing are the platform's.

mod batch_rows;
mod read;
mod rows;
mod staging;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::decision::StoreFault;
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sqlite::{
    ABOUT_COLUMNS, Migration, PLATFORM_TABLES, RELAY_TABLE, SUBJECT_INDEX, Sqlite, Tables,
};
use starkeep_platform::store::OpenError;

use self::batch_rows::BatchRows;
use self::staging::StagedWorlds;
use self::write::EncodedLayout;
use crate::domain::{Change, Image, Key, Maps, Overview, WorldState};
use crate::ports::{Asked, Cursor, Store, Written};

/// Deposits of a withdrawn world that are removed in one transaction.
const REMOVED_AT_ONCE: usize = 4_000;

impl Tables for Maps {
    const MIGRATIONS: &'static [Migration] = &[
        &[PLATFORM_TABLES, include_str!("sqlite/0001.sql")],
        &[RELAY_TABLE],
        &[include_str!("sqlite/0003.sql")],
        &[ABOUT_COLUMNS],
        &[include_str!("sqlite/0005.sql")],
        &[SUBJECT_INDEX],
        &[include_str!("sqlite/0007.sql")],
    ];

    type Cache = StagedWorlds;

    fn load(connection: &Connection) -> rusqlite::Result<Image> {
        let mut image = Image::default();
        for id in read::active_worlds(connection)? {
            if let Some(world) = read::world(connection, id)? {
                image.insert_world(Arc::new(world));
            }
        }
        for (id, from) in read::unannounced(connection)? {
            image.set_unannounced(id, Some(from));
        }
        Ok(image)
    }

    fn fetch(
        connection: &Connection,
        cache: &StagedWorlds,
        key: &Key,
        image: &mut Image,
    ) -> rusqlite::Result<()> {
        match *key {
            Key::World(world) => fetch_world(connection, world, image),
            Key::Planet(planet) => {
                if image.planet(planet).is_none()
                    && let Some(world) = read::world_of(connection, planet)?
                {
                    image.load_planet_for_batch(planet, world);
                    fetch_world(connection, world, image)?;
                }
                Ok(())
            }
            Key::StagedWorld(world) => staging::fetch(connection, cache, world, image),
        }
    }

    fn save(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
        let mut rows = BatchRows::default();
        for change in changes {
            match change {
                Change::WorldMade { world, unannounced_from } => {
                    staging::make(connection, *world, *unannounced_from)?;
                }
                Change::StationsAnnounced { world, unannounced_from } => {
                    write::stations_announced(connection, *world, *unannounced_from)?;
                }
                Change::Mined { world, mined } => rows.mined(*world, mined),
                Change::Replenished { world, replenished } => rows.replenished(*world, replenished),
                Change::Deactivated(deactivated) => write::deactivated(connection, *deactivated)?,
                Change::Withdrawn { world, at } => {
                    rows.forget(*world);
                    write::withdrawn(connection, *world, *at)?;
                }
            }
        }
        rows.write(connection)
    }
}

/// What the running batch knows about a world goes before what the database says: it is saved later.
fn fetch_world(connection: &Connection, world: WorldId, image: &mut Image) -> rusqlite::Result<()> {
    if matches!(image.state_of(world), WorldState::Unknown)
        && let Some(why) = read::why_not_active(connection, world)?
    {
        image.load_world_for_batch(world, why);
    }
    Ok(())
}

/// Opens or makes the data file and brings every active world into memory.
pub fn open(path: &Path, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    Ok(Arc::new(Sqlite::<Maps>::open(path, replica)?))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect(path: &Path) -> Result<(), OpenError> {
    starkeep_platform::sqlite::inspect::<Maps>(path)
}

impl Store for Sqlite<Maps> {
    fn overview(&self, world: WorldId) -> Asked<'_, Option<Overview>> {
        Box::pin(self.read(move |connection| read::overview(connection, world)))
    }

    fn overviews(&self, after: Option<Cursor>, most: usize) -> Asked<'_, Vec<Overview>> {
        Box::pin(self.read(move |connection| read::overviews(connection, after, most)))
    }

    fn world(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>> {
        Box::pin(self.read(move |connection| Ok(read::world(connection, world)?.map(Arc::new))))
    }

    fn world_as_made(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>> {
        Box::pin(self.read(move |connection| Ok(read::made(connection, world)?.map(Arc::new))))
    }

    fn planet(&self, planet: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>> {
        Box::pin(self.read(move |connection| read::planet(connection, planet)))
    }

    fn stage(&self, world: Arc<World>) -> Written<'_, bool> {
        Box::pin(async move {
            self.cache().insert(&world);
            let encoded = world.clone();
            let layout = self.read(move |_| Ok(EncodedLayout::of(&encoded))).await;
            let layout = layout.map_err(StoreFault::Unavailable)?;
            self.maintain(None, move |connection| staging::stage(connection, &world, &layout)).await
        })
    }

    fn discard_staged(&self, world: WorldId) -> Written<'_, ()> {
        Box::pin(self.maintain(None, move |connection| staging::remove(connection, world)))
    }

    /// One process writes this file: what none of its requests is making was left by an earlier one or by a request that
    /// was broken off, however old it is.
    fn forget_staged(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize> {
        Box::pin(async move {
            let staged = self.read(staging::all).await.map_err(StoreFault::Unavailable)?;
            let is_left =
                |(world, at): &(WorldId, Timestamp)| *at < before || self.cache().get(*world).is_none();
            let left: Vec<WorldId> = staged.into_iter().filter(is_left).map(|(world, _)| world).collect();
            for &world in &left {
                self.maintain(Some(epoch), move |connection| staging::remove(connection, world)).await?;
            }
            Ok(left.len())
        })
    }

    fn clear_withdrawn(&self, world: WorldId) -> Written<'_, ()> {
        Box::pin(remove_deposits(self, None, world))
    }

    fn forget_withdrawn(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize> {
        Box::pin(async move {
            let left = self.read(read::withdrawn_with_deposits).await.map_err(StoreFault::Unavailable)?;
            for world in left {
                remove_deposits(self, Some(epoch), world).await?;
            }
            self.maintain(Some(epoch), move |connection| write::forget_withdrawn(connection, before)).await
        })
    }
}

/// A few at a time, so that the writer serves others in between.
async fn remove_deposits(
    sqlite: &Sqlite<Maps>,
    epoch: Option<Epoch>,
    world: WorldId,
) -> Result<(), StoreFault> {
    let some = move |connection: &Connection| write::remove_deposits(connection, world, REMOVED_AT_ONCE);
    while !sqlite.maintain(epoch, some).await? {}
    Ok(())
}
