//! Stores on PostgreSQL, which several replicas of a service share: a replicated state machine whose log is the database.
//!
//! Each replica has an image of its own and moves it by the change log (`replica`). It writes in batches under the service's
//! lock (`writer`), follows what others write (`follower`), and leads while it holds the lease (`lease`). The row code is the
//! services' own and the same as for SQLite. Each service has a schema of its own, so that several can share a database.

mod connect;
mod connection;
mod drop_schemas;
mod fault;
mod follower;
mod lease;
mod load;
mod log;
mod migrate;
mod pipeline;
mod readers;
mod register;
mod replica;
mod state;
mod tls;
mod transfer;
mod url;
mod values;
mod writer;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use starkeep_clock::Clock;
use starkeep_contract::health::{ImageDigest, ReplicaState};
use starkeep_platform::broken::Broken;
use starkeep_platform::chance::Chance;
use starkeep_platform::decision::{Job, StoreFault};
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::events::Pages;
use starkeep_platform::lease::{Epoch, Lease};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{Database, Isolation, PostgresTables, SqlStore, Work, WriterStatus};
use starkeep_platform::store::{Fresh, OpenError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use self::connect::{Connector, Purpose};
pub use self::drop_schemas::drop_schemas;
use self::follower::{Follower, Waiting};
use self::readers::Readers;
pub use self::register::Flags;
use self::replica::Replica;
pub use self::transfer::{PostgresReader, PostgresWriter, ServiceSchema};
pub use self::url::{DatabaseUrl, InvalidUrl};
use self::writer::{Message, Writer};

/// Where a service keeps its data, and what it gets from outside.
pub struct Settings {
    pub url: DatabaseUrl,
    /// The service's own schema: lower-case letters, digits and underscores.
    pub schema: String,
    pub replica: ReplicaId,
    pub clock: Arc<dyn Clock>,
    pub chance: Arc<dyn Chance>,
    /// Cancelled when the process is about to end: the lease is handed over.
    pub stop: CancellationToken,
    /// Those that decide what this replica does.
    pub flags: Flags,
    /// Told when the store cannot go on.
    pub broken: Broken,
    /// What the log says of a full disk.
    pub disk_log: Arc<DiskLog>,
}

/// Makes the tables or brings them up to date, loads what is kept in memory, and starts to follow, to write and to ask for the lease.
pub async fn open<D: PostgresTables>(settings: Settings) -> Result<SqlStore<D>, OpenError> {
    let Settings { url, schema, replica: id, clock, chance, stop, flags, broken, disk_log } = settings;
    let connector = Connector::new(url, schema, clock).map_err(OpenError::Unopenable)?;
    connector.refuse_pooler().await?;
    migrate::migrate::<D>(&connector).await?;
    let session = connector.open(Purpose::Preparing).await?;
    register::register(&session, &connector, id, &flags).await?;
    let replica = Arc::new(load::first::<D>(&session, id).await?);
    let (messages, inbox) = mpsc::unbounded_channel();
    let (asking, waiting) = mpsc::unbounded_channel();
    let status = WriterStatus::new(disk_log);
    let writer = Writer::new(connector.clone(), replica.clone(), chance, status.clone(), inbox);
    let follower = Follower {
        connector: connector.clone(),
        replica: replica.clone(),
        waiting,
        status: status.clone(),
        broken: broken.clone(),
    };
    spawn(writer.run(), "writer", &broken);
    spawn(follower.run(), "follower", &broken);
    let closed = CancellationToken::new();
    let keeper = lease::keeper(connector.clone(), replica.clone(), flags, stop, closed.clone());
    spawn(keeper.run(), "keeper of the lease", &broken);
    let (published, cache) = (replica.published.clone(), replica.cache.clone());
    let readers = Readers::new(connector.clone());
    let closed = closed.drop_guard();
    let database = Postgres { replica, messages, asking, readers, connector, status, _closed: closed };
    Ok(SqlStore::new(published, cache, id, Box::new(database)))
}

/// Without one of its tasks a store would seem well and answer nothing.
fn spawn(task: impl Future<Output = ()> + Send + 'static, name: &'static str, broken: &Broken) {
    let broken = broken.clone();
    tokio::spawn(async move {
        if AssertUnwindSafe(task).catch_unwind().await.is_err() {
            broken.tell(format!("the {name} of a store has panicked"));
        }
    });
}

/// A schema that several replicas write.
struct Postgres<D: PostgresTables> {
    replica: Arc<Replica<D>>,
    messages: mpsc::UnboundedSender<Message<D>>,
    asking: mpsc::UnboundedSender<Waiting<D>>,
    readers: Readers,
    connector: Connector,
    status: Arc<WriterStatus>,
    /// Tells the keeper of the lease that the store is dropped.
    _closed: DropGuard,
}

impl<D: PostgresTables> Database<D> for Postgres<D> {
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>) {
        // A writer that has stopped drops the message, and with it the sender that its caller waits on.
        let _ = self.messages.send(Message::Jobs(jobs));
    }

    fn read(&self, isolation: Isolation, question: Work) -> BoxFuture<'_, Result<(), String>> {
        self.readers.read(isolation, question).boxed()
    }

    fn maintain(&self, epoch: Option<Epoch>, work: Work) -> BoxFuture<'_, Result<(), StoreFault>> {
        let (reply, done) = oneshot::channel();
        let _ = self.messages.send(Message::Maintenance { epoch, work, reply });
        done.map(|outcome| outcome.unwrap_or_else(|_| Err(stopped()))).boxed()
    }

    fn fresh(&self) -> Fresh<D::Image> {
        let (asking, connector) = (self.asking.clone(), self.connector.clone());
        // Asks when it is waited for: whoever only wants to know whether it has to wait asks nothing.
        Fresh::Waiting(
            async move {
                let (waiting, fresh) = oneshot::channel();
                let _ = asking.send(waiting);
                connector.in_time(fresh.map(|fresh| fresh.unwrap_or_else(|_| Err(stopped())))).await
            }
            .boxed(),
        )
    }

    fn pages(&self) -> Arc<dyn Pages> {
        Arc::new(self.readers.clone())
    }

    fn fault(&self) -> Option<String> {
        self.status.fault()
    }

    fn lease(&self) -> &Lease {
        &self.replica.lease
    }

    fn is_alive(&self, replica: ReplicaId) -> bool {
        self.replica.living.is_alive(replica)
    }

    fn departures(&self) -> watch::Receiver<()> {
        self.replica.living.departures()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn replica_state(&self) -> BoxFuture<'_, Option<ReplicaState>> {
        state::of(&self.replica, &self.readers).map(Some).boxed()
    }

    fn digest(&self) -> BoxFuture<'_, Option<ImageDigest>> {
        state::digest(&self.replica, &self.connector).boxed()
    }
}

fn stopped() -> StoreFault {
    StoreFault::Unavailable("the store has stopped".to_owned())
}
