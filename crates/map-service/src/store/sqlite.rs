//! The embedded store: the tables of the domain, and the port on top of the platform's one writer and its readers.
//! Rows are read and written in the modules below; batching and committing are the platform's.

mod draft;
mod read;
mod rows;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use rusqlite::Connection;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::decision::StoreFault;
use starkeep_platform::intent::ReplicaId;
use starkeep_platform::lease::Epoch;
use starkeep_platform::sqlite::{Migration, PLATFORM_TABLES, RELAY_TABLE, Sqlite, Tables};
use starkeep_platform::store::OpenError;

use self::draft::BatchRows;
use crate::domain::{Change, Image, Key, Maps, Overview, WorldState};
use crate::ports::{Asked, Cursor, Store};

impl Tables for Maps {
    const MIGRATIONS: &'static [Migration] =
        &[&[PLATFORM_TABLES, include_str!("sqlite/0001.sql")], &[RELAY_TABLE]];

    type Cache = ();

    fn load(connection: &Connection) -> rusqlite::Result<Image> {
        let mut image = Image::default();
        for id in read::active_worlds(connection)? {
            if let Some(world) = read::world(connection, id)? {
                image.insert_world(Arc::new(world));
            }
        }
        Ok(image)
    }

    fn fetch(connection: &Connection, (): &(), key: &Key, image: &mut Image) -> rusqlite::Result<()> {
        match *key {
            Key::World(world) => fetch_world(connection, world, image),
            Key::Planet(planet) => {
                if image.planet(planet).is_none()
                    && let Some((world, _)) = read::place(connection, planet)?
                {
                    image.load_planet_for_batch(planet, world);
                    fetch_world(connection, world, image)?;
                }
                Ok(())
            }
        }
    }

    fn save(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
        let mut draft = BatchRows::default();
        for change in changes {
            match change {
                Change::WorldMade(world) => write::world(connection, world)?,
                Change::Mined { world, mined } => draft.mined(*world, mined),
                Change::Replenished { world, replenished } => draft.replenished(*world, replenished),
                Change::Deactivated(deactivated) => write::deactivated(connection, *deactivated)?,
                Change::Withdrawn { world, at } => {
                    draft.forget(*world);
                    write::withdrawn(connection, *world, *at)?;
                }
            }
        }
        draft.write(connection)
    }
}

/// What the running batch knows about a world goes before what the database says: it is saved later.
fn fetch_world(connection: &Connection, world: WorldId, image: &mut Image) -> rusqlite::Result<()> {
    if matches!(image.state_of(world), WorldState::Unknown)
        && let Some(absence) = read::absence(connection, world)?
    {
        image.load_world_for_batch(world, absence);
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

    fn neighbourhood(&self, planet: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>> {
        Box::pin(self.read(move |connection| read::neighbourhood(connection, planet)))
    }

    fn forget_withdrawn(&self, epoch: Epoch, before: Timestamp) -> BoxFuture<'_, Result<usize, StoreFault>> {
        Box::pin(self.maintain(Some(epoch), move |connection| write::forget_withdrawn(connection, before)))
    }
}
