//! The tables of the domain in a database, and the port on top of the platform's store.
//! Rows are read and written in the modules below; batching and committing are the platform's.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{
    Load, Migration, PLATFORM_TABLES, PostgresTables, SqlConnection, SqlFault, SqlStore, SqlTables,
    Statements, into_image, take_over_intent,
};
use starkeep_platform::sqlite;
use starkeep_platform::store::OpenError;
use starkeep_robot_core::{CommandId, GameId, Robot, RobotId};

use crate::domain::{Change, Image, Key, Order, Robots};
use crate::ports::{Asked, Store};

impl SqlTables for Robots {
    const SQLITE_MIGRATIONS: &'static [Migration] =
        &[&[PLATFORM_TABLES, include_str!("sqlite/0001.sql"), include_str!("sqlite/0003.sql")]];

    type Cache = ();

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Image, SqlFault>> {
        read::image(connection).boxed()
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        let Key::Order(transaction) = *key;
        image.order(transaction).is_none()
    }

    fn find<'a>(
        connection: &'a dyn SqlConnection,
        (): &'a (),
        key: &'a Key,
    ) -> BoxFuture<'a, Result<Load<Image>, SqlFault>> {
        async move {
            let Key::Order(transaction) = *key;
            let order = read::order(connection, transaction).await?;
            Ok(into_image(move |image: &mut Image| {
                if let Some(order) = order {
                    image.load_order_for_batch(transaction, order);
                }
            }))
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, changes: &[Change], _: &DocumentWrites) -> Result<(), SqlFault> {
        changes.iter().try_for_each(|change| match change {
            Change::Received { position, gap, games } => write::received(rows, position, *gap, games),
            Change::Robots(moved) => write::moved(rows, moved),
            Change::TakenOver { minings, by } => {
                minings.iter().try_for_each(|mining| take_over_intent(rows, *mining, *by))
            }
        })
    }
}

impl PostgresTables for Robots {
    const FIRST_VERSION: usize = 1;
    const POSTGRES_MIGRATIONS: &'static [Migration] = &[&[include_str!("postgres/0003.sql")]];
    const TABLES: &'static [&'static str] =
        &["followed_game", "game_stream", "robot", "spawned", "book", "executed", "carried_out"];
    const POSITIONS: &'static [(&'static str, &'static str)] = &[("game_stream", "position")];
}

/// Opens or makes the data file and brings the robots of every game that has not ended into memory.
pub fn open_sqlite(path: &Path, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    Ok(Arc::new(sqlite::open::<Robots>(path, replica, DiskLog::of_one_store())?))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect_sqlite(path: &Path) -> Result<(), OpenError> {
    sqlite::inspect::<Robots>(path)
}

impl Store for SqlStore<Robots> {
    fn robot(&self, robot: RobotId) -> Asked<'_, Option<(GameId, Robot)>> {
        self.read(move |connection| read::robot(connection, robot).boxed()).boxed()
    }

    fn robots_of(&self, game: GameId) -> Asked<'_, Vec<Robot>> {
        self.read(move |connection| read::robots_of(connection, game).boxed()).boxed()
    }

    fn order(&self, transaction: CommandId) -> Asked<'_, Option<Order>> {
        self.read(move |connection| read::order(connection, transaction).boxed()).boxed()
    }
}
