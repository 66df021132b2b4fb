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

use jiff::Timestamp;
use rusqlite::Connection;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::common_store::CommonStore;
use starkeep_platform::decision::{DecisionQueue, Job};
use starkeep_platform::sqlite::{Migration, OpenError, PLATFORM_TABLES, RELAY_TABLE, Sqlite, Tables};

use self::draft::BatchRows;
use crate::domain::{Change, Image, Key, Maps, Overview, WorldState};
use crate::ports::{Asked, Cursor, Store};

impl Tables for Maps {
    const MIGRATIONS: &'static [Migration] =
        &[&[PLATFORM_TABLES, include_str!("sqlite/0001.sql")], &[RELAY_TABLE]];

    fn load(connection: &Connection) -> rusqlite::Result<Image> {
        let mut image = Image::default();
        for id in read::active_worlds(connection)? {
            if let Some(world) = read::world(connection, id)? {
                image.insert_world(Arc::new(world));
            }
        }
        Ok(image)
    }

    fn fetch(connection: &Connection, key: &Key, image: &mut Image) -> rusqlite::Result<()> {
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

pub(crate) struct SqliteStore(Arc<Sqlite<Maps>>);

impl SqliteStore {
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        Ok(Self(Arc::new(Sqlite::open(path)?)))
    }
}

impl Store for SqliteStore {
    fn image(&self) -> Arc<Image> {
        self.0.image()
    }

    fn overview(&self, world: WorldId) -> Asked<'_, Option<Overview>> {
        Box::pin(self.0.read(move |connection| read::overview(connection, world)))
    }

    fn overviews(&self, after: Option<Cursor>, most: usize) -> Asked<'_, Vec<Overview>> {
        Box::pin(self.0.read(move |connection| read::overviews(connection, after, most)))
    }

    fn world(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>> {
        Box::pin(self.0.read(move |connection| Ok(read::world(connection, world)?.map(Arc::new))))
    }

    fn neighbourhood(&self, planet: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>> {
        Box::pin(self.0.read(move |connection| read::neighbourhood(connection, planet)))
    }

    fn forget_withdrawn(&self, before: Timestamp) -> Asked<'_, usize> {
        Box::pin(self.0.chore(move |connection| write::forget_withdrawn(connection, before)))
    }

    fn common_store(&self) -> Arc<dyn CommonStore> {
        self.0.clone()
    }
}

impl DecisionQueue<Maps> for SqliteStore {
    fn submit(&self, jobs: Vec<Box<dyn Job<Maps>>>) {
        self.0.submit(jobs);
    }
}
