//! A service under test on a real PostgreSQL: a schema of its own, in which the process that was opened last holds the lease.

use std::sync::Arc;

use serde::Deserialize as _;
use serde_json::Value;
use starkeep_platform::broken::Broken;
use starkeep_platform::chance::SystemChance;
use starkeep_platform::clock::SystemClock;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{PostgresTables, SqlStore};
use starkeep_platform::store::CommonStore as _;
use starkeep_platform::tasks::Stop;
use starkeep_postgres::{Flags, Settings};
use starkeep_test_postgres::{shared, unique_schema};

use crate::stored::StoredEvent;
use crate::under_test::EPOCH;

/// Whether stores are to be on PostgreSQL.
#[expect(clippy::disallowed_methods, reason = "a test has no command line of its own")]
pub(crate) fn is_wanted() -> bool {
    std::env::var_os("STARKEEP_TEST_STORE").is_some_and(|store| store == "postgres")
}

/// Of a replica on a schema of the tests' server. It never asks for the lease.
pub fn settings(schema: &str, replica: ReplicaId) -> Settings {
    let stop = Stop::new();
    stop.cancel();
    Settings {
        url: shared().url().parse().expect("an address"),
        schema: schema.to_owned(),
        replica,
        clock: SystemClock::start(),
        chance: Arc::new(SystemChance),
        stop,
        flags: Flags::new(),
        broken: Broken::default(),
        disk_log: DiskLog::of_one_store(),
    }
}

/// The data of one service under test.
#[derive(Clone, Debug)]
pub struct Schema(String);

impl Schema {
    pub(crate) fn new() -> Self {
        Self(unique_schema("service"))
    }

    pub(crate) fn count(&self, from: &str) -> i64 {
        let Self(schema) = self;
        shared().psql(&format!("SELECT count(*) FROM {schema}.{from}")).parse().expect("a count")
    }

    /// With their numbers, in the order of the log.
    pub(crate) fn events(&self) -> Vec<(u64, StoredEvent)> {
        let Self(schema) = self;
        let rows = shared()
            .psql(&format!("SELECT row_to_json(event_log) FROM {schema}.event_log ORDER BY position"));
        let event = |row: &str| {
            let row: Value = serde_json::from_str(row).expect("a row");
            let number = row["position"].as_u64().expect("a number");
            (number, StoredEvent::deserialize(row).expect("an event"))
        };
        rows.lines().map(event).collect()
    }

    /// The store of one process. Who leads is not left to the lease, since the test's clock stands still.
    pub async fn open<D: PostgresTables>(self, replica: ReplicaId) -> Arc<SqlStore<D>> {
        let Self(schema) = self;
        let store = starkeep_postgres::open::<D>(settings(&schema, replica)).await.expect("the store opens");
        let (epoch, holder) = (EPOCH.0, replica.0);
        shared().psql(&format!(
            "UPDATE {schema}.lease SET epoch = {epoch}, holder = '{holder}', until = 'infinity'"
        ));
        store.lease().set(Some(EPOCH));
        Arc::new(store)
    }
}
