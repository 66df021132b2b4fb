//! The stores that the suite runs on, each with the counters' tables in its own form.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, params};
use starkeep_platform::memory::{Memory, MemoryTables};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sqlite::{ABOUT_COLUMNS, Migration, PLATFORM_TABLES, RELAY_TABLE, Sqlite, Tables};
use starkeep_platform::store::{CommonStore, Store};
use uuid::Uuid;

use crate::counters::{Change, Counters, Image, Key, TABLE_LIMIT};

pub(crate) const REPLICA: ReplicaId = ReplicaId(Uuid::nil());

/// A store under test, with what keeps it alive.
pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) store: Arc<dyn Store<Counters>>,
    pub(crate) common: Arc<dyn CommonStore>,
    _folder: Option<tempfile::TempDir>,
}

/// Every store there is.
pub(crate) fn all() -> Vec<Backend> {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Arc::new(Sqlite::<Counters>::open(&folder.path().join("counters.db"), REPLICA).unwrap());
    let memory = Memory::<Counters>::new(REPLICA, Arc::new(|_| {}));
    vec![
        Backend { name: "SQLite", store: sqlite.clone(), common: sqlite, _folder: Some(folder) },
        Backend { name: "memory", store: memory.clone(), common: memory, _folder: None },
    ]
}

impl Tables for Counters {
    const MIGRATIONS: &'static [Migration] = &[&[
        PLATFORM_TABLES,
        RELAY_TABLE,
        ABOUT_COLUMNS,
        "CREATE TABLE counter (
             id INTEGER PRIMARY KEY, value INTEGER NOT NULL CHECK (value <= 20), closed INTEGER NOT NULL
         ) STRICT;",
    ]];

    type Cache = ();

    fn load(connection: &Connection) -> rusqlite::Result<Image> {
        let mut select = connection.prepare("SELECT id, value FROM counter WHERE closed = 0")?;
        let open = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let open = open.collect::<rusqlite::Result<Vec<_>>>()?;
        let closed: i64 =
            connection.query_row("SELECT count(*) FROM counter WHERE closed = 1", [], |row| row.get(0))?;
        Ok(Image::new(open, closed.unsigned_abs()))
    }

    fn fetch(connection: &Connection, (): &(), key: &Key, image: &mut Image) -> rusqlite::Result<()> {
        let mut select =
            connection.prepare_cached("SELECT value FROM counter WHERE id = ?1 AND closed = 1")?;
        let mut rows = select.query([key.0])?;
        if let Some(row) = rows.next()? {
            image.load_for_batch(key.0, row.get(0)?);
        }
        Ok(())
    }

    fn save(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
        let mut upsert = connection.prepare_cached("INSERT OR REPLACE INTO counter VALUES (?1, ?2, ?3)")?;
        changes.iter().try_for_each(|change| {
            let (counter, value, closed) = row(change);
            upsert.execute(params![counter, value, closed]).map(drop)
        })
    }
}

impl MemoryTables for Counters {
    type Tables = BTreeMap<u32, (i64, bool)>;

    fn load(tables: &Self::Tables) -> Image {
        let open = tables.iter().filter(|(_, (_, closed))| !closed).map(|(id, (value, _))| (*id, *value));
        let closed = tables.values().filter(|(_, closed)| *closed).count();
        Image::new(open, closed as u64)
    }

    fn fetch(tables: &Self::Tables, key: &Key, image: &mut Image) {
        if let Some((value, true)) = tables.get(&key.0) {
            image.load_for_batch(key.0, *value);
        }
    }

    fn save(tables: &mut Self::Tables, change: &Change) -> Result<(), String> {
        let (counter, value, closed) = row(change);
        if value > TABLE_LIMIT {
            return Err(format!("CHECK: {value} is more than {TABLE_LIMIT}"));
        }
        tables.insert(counter, (value, closed));
        Ok(())
    }
}

fn row(change: &Change) -> (u32, i64, bool) {
    match *change {
        Change::Set { counter, value } => (counter, value, false),
        Change::Closed { counter, value } => (counter, value, true),
    }
}
