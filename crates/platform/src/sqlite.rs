//! Embedded storage: one SQLite file a service, one writer that commits in groups, and an image that reads are rendered from.
//! A service says what its tables are (`Tables`); what stands in them is none of this module's business.

mod answers;
mod log;
mod open;
mod readers;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use arc_swap::ArcSwap;
use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

pub use self::open::{Migration, OpenError, PLATFORM_TABLES, RELAY_TABLE, uuid_column};
use self::readers::Readers;
use self::writer::{Message, Writer, WriterStatus};
use crate::common_store::{CommonStore, RetentionBounds};
use crate::decision::{DecisionQueue, Domain, Job, WriteCounts};
use crate::events::{Log, Pages};

/// A domain's rows in SQLite.
pub trait Tables: Domain {
    /// In order; the database's `user_version` is how many have been made.
    const MIGRATIONS: &'static [Migration];

    /// Everything that is kept in memory.
    fn load(connection: &Connection) -> rusqlite::Result<Self::Image>;

    /// Brings into the image what the key names and memory does not hold.
    fn fetch(connection: &Connection, key: &Self::Key, image: &mut Self::Image) -> rusqlite::Result<()>;

    /// Writes a batch of changes in their order. Where two touch the same row, the last may stand for both.
    fn save(connection: &Connection, changes: &[Self::Change]) -> rusqlite::Result<()>;
}

/// Refuses a database that is newer than this program, or not ours, without touching it; one that is missing is fine.
pub fn inspect<D: Tables>(path: &Path) -> Result<(), OpenError> {
    open::refuse_newer(path, D::MIGRATIONS.len())
}

/// A service's embedded store.
pub struct Sqlite<D: Tables> {
    image: Arc<ArcSwap<D::Image>>,
    /// `None` only while the store is being dropped.
    messages: Option<mpsc::UnboundedSender<Message<D>>>,
    writer: Option<JoinHandle<()>>,
    readers: Readers,
    log: Arc<Log>,
    commits: watch::Receiver<()>,
    health: Arc<WriterStatus>,
}

impl<D: Tables> Sqlite<D> {
    /// Opens or makes the database, brings its schema up to date and starts the writer.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let connection = open::writer(path, D::MIGRATIONS)?;
        let image = Arc::new(ArcSwap::from_pointee(D::load(&connection)?));
        let log = Arc::new(log::open(&connection)?);
        let (committed, commits) = watch::channel(());
        let (messages, inbox) = mpsc::unbounded_channel();
        let health = Arc::new(WriterStatus::default());
        let writer =
            Writer::start(connection, image.clone(), inbox, (log.clone(), committed), health.clone())
                .map_err(|source| OpenError::Thread { source })?;
        Ok(Self {
            image,
            messages: Some(messages),
            writer: Some(writer),
            readers: Readers::new(path),
            log,
            commits,
            health,
        })
    }

    /// What was last committed. Reading it waits for nobody.
    pub fn image(&self) -> Arc<D::Image> {
        self.image.load_full()
    }

    /// Asks the database itself, on a thread that may wait for it.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        self.readers.ask(question).await
    }

    /// Changes with every commit: a hint that it is worth looking at the image again.
    pub fn commits(&self) -> watch::Receiver<()> {
        self.commits.clone()
    }

    /// Housekeeping between two batches, in a transaction of its own.
    pub async fn chore<T: Send + 'static>(
        &self,
        chore: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        let (reply, done) = oneshot::channel();
        let result = Arc::new(Mutex::new(None));
        let slot = result.clone();
        let work = Box::new(move |connection: &Connection| {
            let output = chore(connection)?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
            Ok(())
        });
        self.send(Message::Chore { work, reply });
        done.await.unwrap_or_else(|_| Err("the store has stopped".to_owned()))?;
        let output = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        output.ok_or_else(|| "the chore was not done".to_owned())
    }
}

impl<D: Tables> CommonStore for Sqlite<D> {
    fn check(&self) -> BoxFuture<'_, Result<(), String>> {
        async {
            match self.health.fault() {
                None => Ok(()),
                Some(_) => self.chore(open::touch).await,
            }
        }
        .boxed()
    }

    fn forget_answers(&self, before: Timestamp) -> BoxFuture<'_, Result<usize, String>> {
        self.chore(move |connection| answers::forget(connection, before)).boxed()
    }

    fn written(&self) -> WriteCounts {
        self.health.written()
    }

    fn log(&self) -> (Arc<Log>, Arc<dyn Pages>) {
        (self.log.clone(), Arc::new(self.readers.clone()))
    }

    fn relayed(&self) -> BoxFuture<'_, Result<Option<u64>, String>> {
        self.read(log::relayed).boxed()
    }

    fn save_relayed(&self, number: u64) -> BoxFuture<'_, Result<(), String>> {
        self.chore(move |connection| log::save_relayed(connection, number)).boxed()
    }

    fn expire(&self, keep: RetentionBounds, at_most: u32) -> BoxFuture<'_, Result<u64, String>> {
        async move {
            let (removed, oldest) =
                self.chore(move |connection| log::expire(connection, keep, at_most)).await?;
            self.log.begins_with(oldest);
            Ok(removed)
        }
        .boxed()
    }
}

impl<D: Tables> DecisionQueue<D> for Sqlite<D> {
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>) {
        self.send(Message::Jobs(jobs));
    }
}

impl<D: Tables> Sqlite<D> {
    /// A writer that has stopped drops the message, and with it the sender that its caller waits on.
    fn send(&self, message: Message<D>) {
        if let Some(messages) = &self.messages {
            let _ = messages.send(message);
        }
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
