//! What the tests of a service declare: how one process of it is opened, in the surroundings that the harness gives it.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::ManualClock;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::lease::Epoch;
use starkeep_platform::memory::Disturbance;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, RelayTo, Service};
use starkeep_platform::sql::{SqlStore, SqlTables};
use starkeep_platform::sqlite;
use starkeep_platform::store::CommonStore;

use crate::postgres::Schema;

/// Of the lease that every service under test holds.
pub const EPOCH: Epoch = Epoch(1);

/// When a test begins, on the wall clock.
pub const START: &str = "2026-01-01T00:00:00Z";

/// How one process of a service is opened. What outlives a process (fakes of other services, settings) is in `self`.
pub trait ServiceUnderTest: Send + Sync + 'static {
    type Service: Service;

    /// When its tests begin, on the wall clock.
    const START: &'static str = START;

    /// Whether every exchange is compared with the service's contract.
    const HAS_CONTRACT: bool = true;

    fn open(&self, environment: Environment<'_>) -> impl Future<Output = Opened<Self::Service>> + Send;
}

/// What the harness gives a process.
pub struct Environment<'a> {
    pub store: StorePlace<'a>,
    pub replica: ReplicaId,
    pub clock: Arc<ManualClock>,
    pub chance: Arc<SequentialIds>,
}

/// A process as it was opened, before the platform's frame is put around it.
pub struct Opened<S> {
    pub service: Arc<S>,
    pub store: Arc<dyn CommonStore>,
    pub frame: FrameConfig,
    pub relay_to: Option<RelayTo>,
}

/// With `STARKEEP_TEST_STORE=postgres` each is a schema of a real PostgreSQL instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// For tests that restart the service, hold its writer or look into the file.
    Sqlite,
    /// Runs every decision twice and refuses one that is not a function of the image. Not for tests of several threads: while
    /// a decision is run again, all of them see another time and other ids.
    Memory,
}

/// Where the store of a process is.
pub enum StorePlace<'a> {
    File(&'a Path),
    /// With what makes clock and ids differ while a decision is run again.
    Memory(Disturbance),
    /// To be opened with [`Schema::open`].
    Postgres(Schema),
}

/// On the file, where one process writes.
pub fn store_in<D: SqlTables>(file: &Path, replica: ReplicaId) -> Arc<SqlStore<D>> {
    Arc::new(sqlite::open(file, replica, DiskLog::of_one_store()).expect("the store opens"))
}
