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
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{
    Load, Migration, PostgresTables, SqlConnection, SqlFault, SqlStore, SqlTables, Statements,
    take_over_intent,
};
use starkeep_platform::sqlite::{
    self, ABOUT_COLUMNS, INTENT_TABLE, PLATFORM_TABLES, RELAY_TABLE, SUBJECT_INDEX,
};
use starkeep_platform::store::OpenError;
use starkeep_trading_core::{GameId, Market};

use crate::domain::{Change, Image, Key, Trading};
use crate::ports::{Asked, Store};

impl SqlTables for Trading {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[
        &[PLATFORM_TABLES, RELAY_TABLE, INTENT_TABLE, ABOUT_COLUMNS, include_str!("sqlite/0001.sql")],
        &[SUBJECT_INDEX],
        &[include_str!("sqlite/0003.sql")],
    ];

    type Cache = ();

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Image, SqlFault>> {
        read::image(connection).boxed()
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        match key {
            Key::Market(game) => image.lacks_market(*game),
            Key::Executed(transaction) => !image.is_executed(transaction),
        }
    }

    fn find<'a>(
        connection: &'a dyn SqlConnection,
        (): &'a (),
        key: &'a Key,
    ) -> BoxFuture<'a, Result<Load<Image>, SqlFault>> {
        async move {
            Ok(match key {
                Key::Market(game) => {
                    let (game, market) = (*game, read::market(connection, *game).await?);
                    Box::new(move |image: &mut Image| {
                        if let Some(market) = market.filter(|_| image.lacks_market(game)) {
                            image.load_market_for_batch(game, market);
                        }
                    }) as Load<Image>
                }
                Key::Executed(transaction) => {
                    let is_executed = read::is_executed(connection, transaction).await?;
                    let transaction = transaction.clone();
                    Box::new(move |image: &mut Image| {
                        if is_executed {
                            image.load_executed(transaction);
                        }
                    })
                }
            })
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, changes: &[Change]) -> Result<(), SqlFault> {
        changes.iter().try_for_each(|change| match change {
            Change::Received(received) => write::received(rows, received),
            Change::Traded(traded) => write::traded(rows, traded),
            Change::TakenOver { wave, by, .. } => take_over_intent(rows, *wave, *by),
        })
    }
}

impl PostgresTables for Trading {
    const FIRST_VERSION: usize = 3;
    const POSTGRES_MIGRATIONS: &'static [Migration] = &[&[include_str!("postgres/0003.sql")]];
    const TABLES: &'static [&'static str] = &[
        "installation",
        "event_log",
        "answer",
        "relay",
        "intent",
        "game",
        "account",
        "price",
        "sale",
        "balance",
        "world",
        "station",
        "executed",
        "stream",
    ];
    const POSITIONS: &'static [(&'static str, &'static str)] = &[("stream", "position")];
}

/// Opens or makes the data file and brings every market into memory whose game has not ended.
pub fn open_sqlite(path: &Path, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    Ok(Arc::new(sqlite::open::<Trading>(path, replica, DiskLog::of_one_store())?))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect_sqlite(path: &Path) -> Result<(), OpenError> {
    sqlite::inspect::<Trading>(path)
}

impl Store for SqlStore<Trading> {
    fn market(&self, game: GameId) -> Asked<'_, Option<Market>> {
        self.read_snapshot(move |connection| read::market(connection, game).boxed()).boxed()
    }
}
