//! Embedded storage: one SQLite file a service, one writer that commits in groups, and an image that reads are rendered from.
//! A service says what its tables are (`Tables`); what stands in them is none of this module's business.

mod answers;
mod checkpoint;
mod common;
mod intents;
mod log;
mod open;
mod readers;
mod transaction;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use self::checkpoint::Checkpoints;
pub use self::intents::{begin_intent, load_intents, remove_intent};
pub use self::open::{
    ABOUT_COLUMNS, INTENT_TABLE, Migration, PLATFORM_TABLES, RELAY_TABLE, SUBJECT_INDEX, uuid_column,
};
use self::readers::Readers;
use self::writer::{Message, Writer, WriterStatus};
use crate::decision::{DecisionQueue, Job, StoreFault};
use crate::domain::{Domain, Interest};
use crate::lease::{Epoch, Lease};
use crate::published::Published;
use crate::replica::ReplicaId;
use crate::store::{CommonStore, Fresh, OpenError, Store};

/// A domain's rows in SQLite.
pub trait Tables: Domain {
    /// In order; the database's `user_version` is how many have been made.
    const MIGRATIONS: &'static [Migration];

    /// What this process has at hand that `fetch` need not read; `()` where that is nothing.
    type Cache: Default + Send + Sync + 'static;

    /// Everything that is kept in memory.
    fn load(connection: &Connection) -> rusqlite::Result<Self::Image>;

    /// Brings into the image what the key names and memory does not hold.
    fn fetch(
        connection: &Connection,
        cache: &Self::Cache,
        key: &Self::Key,
        image: &mut Self::Image,
    ) -> rusqlite::Result<()>;

    /// Writes a batch of changes in their order. Where two touch the same row, the last may stand for both.
    fn save(connection: &Connection, changes: &[Self::Change]) -> rusqlite::Result<()>;
}

/// Refuses a database that is newer than this program, or not ours, without touching it; one that is missing is fine.
pub fn inspect<D: Tables>(path: &Path) -> Result<(), OpenError> {
    open::refuse_newer(path, D::MIGRATIONS.len())
}

/// A service's embedded store.
pub struct Sqlite<D: Tables> {
    published: Arc<Published<D>>,
    cache: Arc<D::Cache>,
    /// `None` only while the store is being dropped.
    messages: Option<mpsc::UnboundedSender<Message<D>>>,
    writer: Option<JoinHandle<()>>,
    readers: Readers,
    status: Arc<WriterStatus>,
    lease: Arc<Lease>,
    replica: ReplicaId,
}

impl<D: Tables> Sqlite<D> {
    /// Opens or makes the database, brings its schema up to date and starts the writer. One process a file, so the lease
    /// is held from the start.
    pub fn open(path: &Path, replica: ReplicaId) -> Result<Self, OpenError> {
        let mut connection = open::writer(path, D::MIGRATIONS)?;
        let published = Arc::new(Published::new(D::load(&connection)?, log::open(&connection)?));
        let (cache, status, lease) = (Arc::default(), Arc::default(), Arc::new(Lease::held()));
        let (messages, inbox) = mpsc::unbounded_channel();
        let started = |source| OpenError::Thread { source };
        let checkpoints = Checkpoints::start(path, &mut connection).map_err(started)?;
        let writer = Writer {
            _file: checkpoints.file(),
            checkpoints,
            connection,
            published: published.clone(),
            cache: Arc::clone(&cache),
            inbox,
            status: Arc::clone(&status),
            lease: lease.clone(),
        };
        let writer = writer.start().map_err(started)?;
        let readers = Readers::new(path);
        Ok(Self {
            published,
            cache,
            messages: Some(messages),
            writer: Some(writer),
            readers,
            status,
            lease,
            replica,
        })
    }

    pub fn cache(&self) -> &D::Cache {
        &self.cache
    }

    /// Asks the database itself, on a thread that may wait for it.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        self.readers.ask(question).await
    }

    /// Maintenance between two batches, in a transaction of its own. With an epoch: for a task of the leader, and refused
    /// once the lease has passed on.
    pub async fn maintain<T: Send + 'static>(
        &self,
        epoch: Option<Epoch>,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreFault> {
        let (reply, done) = oneshot::channel();
        let result = Arc::new(Mutex::new(None));
        let slot = result.clone();
        let work = Box::new(move |connection: &Connection| {
            let output = work(connection)?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
            Ok(())
        });
        self.send(Message::Maintenance { epoch, work, reply });
        let stopped = |_| Err(StoreFault::Unavailable("the store has stopped".to_owned()));
        done.await.unwrap_or_else(stopped)?;
        let output = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        output.ok_or_else(|| StoreFault::Refused("the maintenance was not done".to_owned()))
    }

    /// A writer that has stopped drops the message, and with it the sender that its caller waits on.
    fn send(&self, message: Message<D>) {
        if let Some(messages) = &self.messages {
            let _ = messages.send(message);
        }
    }
}

impl<D: Tables> DecisionQueue<D> for Sqlite<D> {
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>) {
        self.send(Message::Jobs(jobs));
    }
}

impl<D: Tables> Store<D> for Sqlite<D> {
    fn image(&self) -> Arc<D::Image> {
        self.published.image()
    }

    /// There is one process, and what it acknowledged it has published before.
    fn fresh(&self) -> Fresh<D::Image> {
        Fresh::Ready(self.published.image())
    }

    fn commits(&self, interest: Interest) -> watch::Receiver<()> {
        self.published.commits(interest)
    }

    fn common(self: Arc<Self>) -> Arc<dyn CommonStore> {
        self
    }
}

/// Waits until everything that was submitted is written and the database is closed.
impl<D: Tables> Drop for Sqlite<D> {
    fn drop(&mut self) {
        // The writer's connection is closed last: it alone can bring the log of changes back into the file.
        self.readers.close();
        drop(self.messages.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}
