//! Embedded storage: one SQLite file a service, one writer that commits in groups, and an image that reads are rendered from.
//! A service says what its tables are (`SqlTables`); what stands in them is none of this module's business.

mod checkpoint;
mod connection;
mod log;
mod open;
mod readers;
mod transaction;
mod transfer;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot, watch};

use self::checkpoint::Checkpoints;
pub use self::connection::SqliteConnection;
use self::readers::Readers;
pub use self::transfer::{SqliteCut, SqliteFiller};
use self::writer::{Message, Writer};
use crate::decision::{Job, StoreFault};
use crate::disk_log::{self, DiskLog};
use crate::events::Pages;
use crate::lease::{Epoch, Lease};
use crate::published::Published;
use crate::replica::ReplicaId;
use crate::sql::{Database, Isolation, SqlFault, SqlStore, SqlTables, Work, WriterStatus, at_once};
use crate::store::{Fresh, OpenError};

/// Refuses a database that is newer than this program, or not ours, without touching it; one that is missing is fine.
pub fn inspect<D: SqlTables>(path: &Path) -> Result<(), OpenError> {
    open::refuse_newer(path, D::SQLITE_MIGRATIONS.len())
}

/// Opens or makes the database, brings its schema up to date and starts the writer. One process a file, so the lease is held
/// from the start.
pub fn open<D: SqlTables>(
    path: &Path,
    replica: ReplicaId,
    disk: Arc<DiskLog>,
) -> Result<SqlStore<D>, OpenError> {
    open_store(path, replica, disk).map_err(|fault| fault.on_disk_of(path))
}

fn open_store<D: SqlTables>(
    path: &Path,
    replica: ReplicaId,
    disk: Arc<DiskLog>,
) -> Result<SqlStore<D>, OpenError> {
    let mut connection = open::writer(path, D::SQLITE_MIGRATIONS)?;
    let started = |source| OpenError::Thread { source };
    let checkpoints = Checkpoints::start(path, &mut connection).map_err(started)?;
    let connection = SqliteConnection::new(connection);
    let published = Arc::new(Published::new(at_once(D::load(&connection))?, log::open(&connection)?));
    let (cache, status, lease) =
        (Arc::<D::Cache>::default(), WriterStatus::new(disk), Arc::new(Lease::held()));
    let (messages, inbox) = mpsc::unbounded_channel();
    let writer = Writer {
        file: checkpoints.file(),
        checkpoints,
        connection,
        published: published.clone(),
        cache: Arc::clone(&cache),
        inbox,
        status: Arc::clone(&status),
        lease: lease.clone(),
    };
    let database = Sqlite {
        published: published.clone(),
        messages: Some(messages),
        writer: Some(writer.start().map_err(started)?),
        readers: Readers::new(path),
        status,
        lease,
        replica,
        departures: watch::Sender::default(),
    };
    Ok(SqlStore::new(published, cache, replica, Box::new(database)))
}

impl OpenError {
    /// SQLite says of a full disk that the database is full, or only that something could not be written.
    fn on_disk_of(self, path: &Path) -> Self {
        match self {
            Self::Unopenable(fault) if disk_log::is_full_at(path) => Self::DiskFull(fault),
            fault => fault,
        }
    }
}

impl From<SqlFault> for OpenError {
    fn from(fault: SqlFault) -> Self {
        Self::Unopenable(fault.to_string())
    }
}

/// A file that this process alone writes.
struct Sqlite<D: SqlTables> {
    published: Arc<Published<D>>,
    /// `None` only while it is being dropped.
    messages: Option<mpsc::UnboundedSender<Message<D>>>,
    writer: Option<JoinHandle<()>>,
    readers: Readers,
    status: Arc<WriterStatus>,
    lease: Arc<Lease>,
    replica: ReplicaId,
    /// Of other replicas, of which there are none.
    departures: watch::Sender<()>,
}

impl<D: SqlTables> Sqlite<D> {
    /// A writer that has stopped drops the message, and with it the sender that its caller waits on.
    fn send(&self, message: Message<D>) {
        if let Some(messages) = &self.messages {
            let _ = messages.send(message);
        }
    }
}

impl<D: SqlTables> Database<D> for Sqlite<D> {
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>) {
        self.send(Message::Jobs(jobs));
    }

    fn read(&self, isolation: Isolation, question: Work) -> BoxFuture<'_, Result<(), String>> {
        self.readers.read(isolation, question).boxed()
    }

    fn maintain(&self, epoch: Option<Epoch>, work: Work) -> BoxFuture<'_, Result<(), StoreFault>> {
        let (reply, done) = oneshot::channel();
        self.send(Message::Maintenance { epoch, work, reply });
        let stopped = |_| Err(StoreFault::Unavailable("the store has stopped".to_owned()));
        done.map(move |outcome| outcome.unwrap_or_else(stopped)).boxed()
    }

    /// There is one process, and what it acknowledged it has published before.
    fn fresh(&self) -> Fresh<D::Image> {
        Fresh::Ready(self.published.image())
    }

    fn pages(&self) -> Arc<dyn Pages> {
        Arc::new(self.readers.clone())
    }

    fn fault(&self) -> Option<String> {
        self.status.fault()
    }

    fn lease(&self) -> &Lease {
        &self.lease
    }

    /// One process a file: whatever another one left behind, it does not live any longer.
    fn is_alive(&self, replica: ReplicaId) -> bool {
        replica == self.replica
    }

    fn departures(&self) -> watch::Receiver<()> {
        self.departures.subscribe()
    }
}

/// Waits until everything that was submitted is written and the database is closed.
impl<D: SqlTables> Drop for Sqlite<D> {
    fn drop(&mut self) {
        // The writer's connection is closed last: it alone can bring the log of changes back into the file.
        self.readers.close();
        drop(self.messages.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}
