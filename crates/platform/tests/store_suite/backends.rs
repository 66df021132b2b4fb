//! The stores that the suite runs on, each with the counters' tables in its own form.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::lease::Epoch;
use starkeep_platform::memory::{Memory, MemoryTables};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{
    Load, Migration, PostgresTables, SqlConnection, SqlFault, SqlTables, Statements, into_image,
};
use starkeep_platform::sqlite::{self, ABOUT_COLUMNS, PLATFORM_TABLES, RELAY_TABLE};
use starkeep_platform::store::{CommonStore, Store};
use starkeep_platform::values;
use starkeep_test_harness::postgres_settings;
use uuid::Uuid;

use crate::counters::{Change, Counters, Image, Key, TABLE_LIMIT};

pub(crate) const REPLICA: ReplicaId = ReplicaId(Uuid::nil());

/// A store under test, with what keeps it alive.
pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) store: Arc<dyn Store<Counters>>,
    pub(crate) common: Arc<dyn CommonStore>,
    /// Moves the lease past this replica, or gives it to it.
    set_lease: Box<dyn Fn(Option<Epoch>)>,
    _folder: Option<tempfile::TempDir>,
}

impl Backend {
    fn embedded<S: Store<Counters> + CommonStore>(
        name: &'static str,
        store: Arc<S>,
        folder: Option<tempfile::TempDir>,
    ) -> Self {
        let leased = store.clone();
        let set_lease = Box::new(move |epoch| leased.lease().set(epoch));
        Self { name, store: store.clone(), common: store, set_lease, _folder: folder }
    }

    pub(crate) fn set_lease(&self, epoch: Option<Epoch>) {
        (self.set_lease)(epoch);
    }
}

/// Every store there is.
pub(crate) async fn all() -> Vec<Backend> {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Arc::new(
        sqlite::open::<Counters>(&folder.path().join("counters.db"), REPLICA, DiskLog::of_one_store())
            .unwrap(),
    );
    let memory = Memory::<Counters>::new(REPLICA, Arc::new(|_| {}));
    vec![
        Backend::embedded("SQLite", sqlite, Some(folder)),
        Backend::embedded("memory", memory, None),
        postgres().await,
    ]
}

/// On a real server, in a schema of its own. Who leads is decided by the test; at first this one does.
async fn postgres() -> Backend {
    let backend = postgres_replica(&starkeep_test_postgres::unique_schema("suite"), REPLICA).await;
    backend.set_lease(Some(Epoch(1)));
    backend
}

/// One of several that share a schema.
pub(crate) async fn postgres_replica(schema: &str, replica: ReplicaId) -> Backend {
    let (server, schema) = (starkeep_test_postgres::shared(), schema.to_owned());
    let store =
        Arc::new(starkeep_postgres::open::<Counters>(postgres_settings(&schema, replica)).await.unwrap());
    let set_lease = move |epoch: Option<Epoch>| {
        let (epoch, holder) = epoch.map_or((9, Uuid::max()), |Epoch(epoch)| (epoch, replica.0));
        server.psql(&format!(
            "UPDATE {schema}.lease SET epoch = {epoch}, holder = '{holder}', until = 'infinity'"
        ));
    };
    Backend {
        name: "PostgreSQL",
        store: store.clone(),
        common: store,
        set_lease: Box::new(set_lease),
        _folder: None,
    }
}

impl PostgresTables for Counters {
    const FIRST_VERSION: usize = 1;
    const POSTGRES_MIGRATIONS: &'static [Migration] = &[&["CREATE TABLE counter (
             id BIGINT PRIMARY KEY, value BIGINT NOT NULL CHECK (value <= 20), closed BIGINT NOT NULL
         );"]];
    const TABLES: &'static [&'static str] = &["installation", "event_log", "answer", "relay", "counter"];
    const POSITIONS: &'static [(&'static str, &'static str)] = &[];
}

impl SqlTables for Counters {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[&[
        PLATFORM_TABLES,
        RELAY_TABLE,
        ABOUT_COLUMNS,
        "CREATE TABLE counter (
             id INTEGER PRIMARY KEY, value INTEGER NOT NULL CHECK (value <= 20), closed INTEGER NOT NULL
         ) STRICT;",
    ]];

    type Cache = ();

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Image, SqlFault>> {
        async move {
            let open = connection.query("SELECT id, value FROM counter WHERE closed = 0", &[]).await?;
            let open = open.iter().map(|row| Ok((row.get("id")?, row.get("value")?)));
            let open = open.collect::<Result<Vec<_>, SqlFault>>()?;
            let closed = connection.query_row("SELECT count(*) FROM counter WHERE closed = 1", &[]).await?;
            Ok(Image::new(open, closed.first()?))
        }
        .boxed()
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        !image.open.contains_key(&key.0)
    }

    fn find<'a>(
        connection: &'a dyn SqlConnection,
        (): &'a (),
        key: &'a Key,
    ) -> BoxFuture<'a, Result<Load<Image>, SqlFault>> {
        async move {
            let closed = "SELECT value FROM counter WHERE id = ?1 AND closed = 1";
            let value = connection.query_one(closed, values![key.0]).await?;
            let value = value.map(|row| row.get("value")).transpose()?;
            let counter = key.0;
            Ok(into_image(move |image: &mut Image| {
                if let Some(value) = value {
                    image.load_for_batch(counter, value);
                }
            }))
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, changes: &[Change]) -> Result<(), SqlFault> {
        changes.iter().try_for_each(|change| {
            let (counter, value, closed) = row(change);
            rows.run(
                "INSERT INTO counter (id, value, closed) VALUES (?1, ?2, ?3)
                 ON CONFLICT (id) DO UPDATE SET value = excluded.value, closed = excluded.closed",
                values![counter, value, closed],
            )
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
