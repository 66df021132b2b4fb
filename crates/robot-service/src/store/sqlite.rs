//! The embedded store: the tables of the domain, and the port on top of the platform's one writer and its readers.
//! Rows are read and written in the modules below; batching and committing are the platform's.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use starkeep_executor::GameStatus;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sqlite::{
    ABOUT_COLUMNS, INTENT_TABLE, Migration, PLATFORM_TABLES, RELAY_TABLE, SUBJECT_INDEX, Sqlite, Tables,
};
use starkeep_platform::store::OpenError;
use starkeep_robot_core::{CommandId, GameId, Robot, RobotId};

use crate::domain::{Change, Image, Key, Order, Robots};
use crate::ports::{Asked, Store};

impl Tables for Robots {
    const MIGRATIONS: &'static [Migration] = &[
        &[PLATFORM_TABLES, RELAY_TABLE, INTENT_TABLE, ABOUT_COLUMNS, include_str!("sqlite/0001.sql")],
        &[SUBJECT_INDEX],
        &[include_str!("sqlite/0003.sql")],
    ];

    type Cache = ();

    fn load(connection: &Connection) -> rusqlite::Result<Image> {
        let (position, last_gap) = read::game_stream(connection)?;
        let mut image = Image::new(position, last_gap, read::minings(connection)?);
        for (id, game) in read::games(connection)? {
            image.games.restore(id, game);
            if game.status != GameStatus::Ended || image.open_minings(id).next().is_some() {
                image.insert_robots(id, read::game_robots(connection, id)?);
            }
        }
        Ok(image)
    }

    fn fetch(connection: &Connection, (): &(), key: &Key, image: &mut Image) -> rusqlite::Result<()> {
        let Key::Order(transaction) = *key;
        if let Some(order) = read::order(connection, transaction)? {
            image.load_order_for_batch(transaction, order);
        }
        Ok(())
    }

    fn save(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
        changes.iter().try_for_each(|change| match change {
            Change::Received { position, gap, games } => write::received(connection, position, *gap, games),
            Change::Robots(moved) => write::moved(connection, moved),
        })
    }
}

/// Opens or makes the data file and brings the robots of every game that has not ended into memory.
pub fn open(path: &Path, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    Ok(Arc::new(Sqlite::<Robots>::open(path, replica)?))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect(path: &Path) -> Result<(), OpenError> {
    starkeep_platform::sqlite::inspect::<Robots>(path)
}

impl Store for Sqlite<Robots> {
    fn robot(&self, robot: RobotId) -> Asked<'_, Option<(GameId, Robot)>> {
        Box::pin(self.read(move |connection| read::robot(connection, robot)))
    }

    fn robots_of(&self, game: GameId) -> Asked<'_, Vec<Robot>> {
        Box::pin(self.read(move |connection| read::robots_of(connection, game)))
    }

    fn order(&self, transaction: CommandId) -> Asked<'_, Option<Order>> {
        Box::pin(self.read(move |connection| read::order(connection, transaction)))
    }
}
