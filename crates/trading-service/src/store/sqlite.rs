//! The embedded store: the tables of the domain, and the port on top of the platform's one writer and its readers.
//! Rows are read and written in the modules below; batching and committing are the platform's.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sqlite::{
    ABOUT_COLUMNS, INTENT_TABLE, Migration, PLATFORM_TABLES, RELAY_TABLE, SUBJECT_INDEX, Sqlite, Tables,
};
use starkeep_platform::store::OpenError;
use starkeep_trading_core::{GameId, Market};

use crate::domain::{Change, Image, Key, Trading};
use crate::ports::{Asked, Store};

impl Tables for Trading {
    const MIGRATIONS: &'static [Migration] = &[
        &[PLATFORM_TABLES, RELAY_TABLE, INTENT_TABLE, ABOUT_COLUMNS, include_str!("sqlite/0001.sql")],
        &[SUBJECT_INDEX],
        &[include_str!("sqlite/0003.sql")],
    ];

    type Cache = ();

    fn load(connection: &Connection) -> rusqlite::Result<Image> {
        read::image(connection)
    }

    /// What the running batch knows goes before what the database says: it is saved later.
    fn fetch(connection: &Connection, (): &(), key: &Key, image: &mut Image) -> rusqlite::Result<()> {
        match key {
            Key::Market(game) => {
                // A game that this batch has deleted is still in the database.
                if image.games.get(*game).is_some()
                    && !image.markets.contains_key(game)
                    && let Some(market) = read::market(connection, *game)?
                {
                    image.load_market_for_batch(*game, market);
                }
            }
            Key::Executed(transaction) => {
                if read::is_executed(connection, transaction)? {
                    image.load_executed(transaction.clone());
                }
            }
        }
        Ok(())
    }

    fn save(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
        for change in changes {
            match change {
                Change::Received(received) => write::received(connection, received)?,
                Change::Traded(traded) => write::traded(connection, traded)?,
            }
        }
        Ok(())
    }
}

/// Opens or makes the data file and brings every market into memory whose game has not ended.
pub fn open(path: &Path, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    Ok(Arc::new(Sqlite::<Trading>::open(path, replica)?))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect(path: &Path) -> Result<(), OpenError> {
    starkeep_platform::sqlite::inspect::<Trading>(path)
}

impl Store for Sqlite<Trading> {
    fn market(&self, game: GameId) -> Asked<'_, Option<Market>> {
        Box::pin(self.read(move |connection| read::market(connection, game)))
    }
}
