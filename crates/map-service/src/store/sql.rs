//! The tables of the domain in a database, and the port on top of the platform's store.
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

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::decision::StoreFault;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::PLATFORM_TABLES;
use starkeep_platform::sql::{
    Load, Migration, PostgresTables, SqlConnection, SqlFault, SqlStore, SqlTables, Statements, into_image,
};
use starkeep_platform::sqlite;
use starkeep_platform::store::{CommonStore as _, OpenError};

use self::batch_rows::BatchRows;
use self::staging::StagedWorlds;
use self::write::EncodedLayout;
use crate::domain::{Change, Evicted, Image, Key, Maps, Overview, WorldState};
use crate::ports::{Asked, Cursor, Store, Written};

/// Deposits of a withdrawn world that are removed in one transaction.
const REMOVED_AT_ONCE: usize = 4_000;

impl SqlTables for Maps {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[&[
        PLATFORM_TABLES,
        include_str!("sqlite/0001.sql"),
        include_str!("sqlite/0003.sql"),
        include_str!("sqlite/0005.sql"),
        include_str!("sqlite/0007.sql"),
    ]];

    type Cache = StagedWorlds;

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Image, SqlFault>> {
        read::image(connection).boxed()
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        match *key {
            Key::World(world) => matches!(image.state_of(world), WorldState::Unknown),
            Key::Planet(planet) => image.planet(planet).is_none(),
            Key::StagedWorld(world) => image.staged(world).is_none(),
        }
    }

    fn find<'a>(
        connection: &'a dyn SqlConnection,
        cache: &'a StagedWorlds,
        key: &'a Key,
    ) -> BoxFuture<'a, Result<Load<Image>, SqlFault>> {
        async move {
            match *key {
                Key::World(world) => {
                    let why = read::why_not_active(connection, world).await?;
                    Ok(into_image(move |image| load_world(image, world, why)))
                }
                Key::Planet(planet) => {
                    let Some(world) = read::world_of(connection, planet).await? else {
                        return Ok(into_image(|_| {}));
                    };
                    let why = read::why_not_active(connection, world).await?;
                    Ok(into_image(move |image: &mut Image| {
                        image.load_planet_for_batch(planet, world);
                        load_world(image, world, why);
                    }))
                }
                Key::StagedWorld(world) => {
                    let staged = staging::find(connection, cache, world).await?;
                    Ok(into_image(move |image: &mut Image| {
                        if let Some(world) = staged {
                            image.load_staged(world);
                        }
                    }))
                }
            }
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, changes: &[Change], _: &DocumentWrites) -> Result<(), SqlFault> {
        let mut batch = BatchRows::default();
        for change in changes {
            match change {
                Change::WorldMade { world, unannounced_from } => {
                    staging::make(rows, *world, *unannounced_from)?;
                }
                Change::StationsAnnounced { world, unannounced_from } => {
                    write::stations_announced(rows, *world, *unannounced_from)?;
                }
                Change::Mined { world, mined } => batch.mined(*world, mined),
                Change::Replenished { world, replenished } => batch.replenished(*world, replenished),
                Change::Deactivated(deactivated) => write::deactivated(rows, *deactivated)?,
                Change::Withdrawn { world, at } => {
                    batch.forget(*world);
                    write::withdrawn(rows, *world, *at)?;
                }
            }
        }
        batch.write(rows)
    }
}

impl PostgresTables for Maps {
    const FIRST_VERSION: usize = 1;
    const POSTGRES_MIGRATIONS: &'static [Migration] = &[&[include_str!("postgres/0007.sql")]];
    const TABLES: &'static [&'static str] =
        &["world", "world_layout", "deposit", "book", "planet_of_earlier_world", "withdrawn_world"];
    const POSITIONS: &'static [(&'static str, &'static str)] = &[];
}

/// What the running batch knows about a world goes before what the database says: it is saved later.
fn load_world(image: &mut Image, world: WorldId, why: Option<Evicted>) {
    if let Some(why) = why.filter(|_| matches!(image.state_of(world), WorldState::Unknown)) {
        image.load_world_for_batch(world, why);
    }
}

/// Opens or makes the data file and brings every active world into memory.
pub fn open_sqlite(path: &Path, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    Ok(Arc::new(sqlite::open::<Maps>(path, replica, DiskLog::of_one_store())?))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect_sqlite(path: &Path) -> Result<(), OpenError> {
    sqlite::inspect::<Maps>(path)
}

impl Store for SqlStore<Maps> {
    fn overview(&self, world: WorldId) -> Asked<'_, Option<Overview>> {
        self.read(move |connection| read::overview(connection, world).boxed()).boxed()
    }

    fn overviews(&self, after: Option<Cursor>, most: usize) -> Asked<'_, Vec<Overview>> {
        self.read(move |connection| read::overviews(connection, after, most).boxed()).boxed()
    }

    fn world(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>> {
        self.read_snapshot(move |connection| read::world(connection, world).boxed()).boxed()
    }

    fn world_as_made(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>> {
        self.read(move |connection| read::made(connection, world).boxed()).boxed()
    }

    fn planet(&self, planet: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>> {
        self.read_snapshot(move |connection| read::planet(connection, planet).boxed()).boxed()
    }

    fn stage(&self, world: Arc<World>) -> Written<'_, bool> {
        async move {
            self.cache().insert(&world);
            let encoded = world.clone();
            let layout = tokio::task::spawn_blocking(move || EncodedLayout::of(&encoded)).await;
            let layout = layout.map_err(|fault| StoreFault::Refused(fault.to_string()))?;
            self.maintain(None, move |connection| staging::stage(connection, world, layout).boxed()).await
        }
        .boxed()
    }

    fn discard_staged(&self, world: WorldId) -> Written<'_, ()> {
        self.maintain(None, move |connection| staging::remove(connection, world).boxed()).boxed()
    }

    /// Where one process writes, what none of its requests is making was left by an earlier one or by a request that was broken
    /// off, however old it is. Other replicas may be making what this one does not know.
    fn forget_staged(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize> {
        async move {
            let staged = self.read(|connection| staging::all(connection).boxed());
            let staged = staged.await.map_err(StoreFault::Unavailable)?;
            let is_left = |(world, at): &(WorldId, Timestamp)| {
                *at < before || (!self.is_shared() && self.cache().get(*world).is_none())
            };
            let left: Vec<WorldId> = staged.into_iter().filter(is_left).map(|(world, _)| world).collect();
            for &world in &left {
                self.maintain(Some(epoch), move |connection| staging::remove(connection, world).boxed())
                    .await?;
            }
            Ok(left.len())
        }
        .boxed()
    }

    fn clear_withdrawn(&self, world: WorldId) -> Written<'_, ()> {
        remove_deposits(self, None, world).boxed()
    }

    fn forget_withdrawn(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize> {
        async move {
            let left = self.read(|connection| read::withdrawn_with_deposits(connection).boxed());
            for world in left.await.map_err(StoreFault::Unavailable)? {
                remove_deposits(self, Some(epoch), world).await?;
            }
            self.maintain(Some(epoch), move |connection| write::forget_withdrawn(connection, before).boxed())
                .await
        }
        .boxed()
    }
}

/// A few at a time, so that the writer serves others in between.
async fn remove_deposits(
    store: &SqlStore<Maps>,
    epoch: Option<Epoch>,
    world: WorldId,
) -> Result<(), StoreFault> {
    loop {
        let removal = store.maintain(epoch, move |connection| {
            write::remove_deposits(connection, world, REMOVED_AT_ONCE).boxed()
        });
        if removal.await? {
            return Ok(());
        }
    }
}
