//! The stores that the suite runs on.

use std::sync::Arc;

use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::lease::Epoch;
use starkeep_platform::memory::Memory;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sqlite;
use starkeep_platform::store::{CommonStore, Store};
use starkeep_test_harness::postgres_settings;
use uuid::Uuid;

use crate::counters::Counters;

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
