//! A service's store in a database: what is the same whichever database it is.
//! How a batch becomes durable, and who else writes there, is the database's own business.

use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use starkeep_contract::health::{ImageDigest, ReplicaState};
use tokio::sync::watch;

use super::documents::ask_each;
use super::{SqlConnection, SqlFault, SqlTables};
use crate::decision::{DecisionQueue, Job, StoreFault};
use crate::documents::{Document, Question};
use crate::domain::Interest;
use crate::events::Pages;
use crate::lease::{Epoch, Lease};
use crate::published::Published;
use crate::replica::ReplicaId;
use crate::store::{CommonStore, Fresh, Store};

/// Something to be done on a connection. It leaves its result where its owner finds it.
pub type Work = Box<dyn for<'a> FnOnce(&'a dyn SqlConnection) -> BoxFuture<'a, Result<(), SqlFault>> + Send>;

/// What a question sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Each of its statements sees the last commit.
    Statement,
    /// All of its statements see the same moment.
    Snapshot,
}

/// What a store needs of a database.
pub trait Database<D: SqlTables>: Send + Sync + 'static {
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>);

    /// Reads, on a connection that waits for no writer.
    fn read(&self, isolation: Isolation, question: Work) -> BoxFuture<'_, Result<(), String>>;

    /// Writes between two batches, in a transaction of its own. With an epoch: for a task of the leader, and refused once
    /// the lease has passed on.
    fn maintain(&self, epoch: Option<Epoch>, work: Work) -> BoxFuture<'_, Result<(), StoreFault>>;

    fn fresh(&self) -> Fresh<D::Image>;

    /// Where older events are read.
    fn pages(&self) -> Arc<dyn Pages>;

    /// Why the last attempt to write failed, if it did.
    fn fault(&self) -> Option<String>;

    fn lease(&self) -> &Lease;

    fn is_alive(&self, replica: ReplicaId) -> bool;

    /// Changes when a replica no longer runs.
    fn departures(&self) -> watch::Receiver<()>;

    /// Do other replicas write there, too?
    fn is_shared(&self) -> bool {
        false
    }

    /// Who the others are; `None` where there are none.
    fn replica_state(&self) -> BoxFuture<'_, Option<ReplicaState>> {
        ready(None).boxed()
    }

    /// Of the image, for comparing it with those of others; `None` where there are none.
    fn digest(&self) -> BoxFuture<'_, Option<ImageDigest>> {
        ready(None).boxed()
    }
}

/// A store whose rows are in a database.
pub struct SqlStore<D: SqlTables> {
    pub(super) published: Arc<Published<D>>,
    pub(super) database: Box<dyn Database<D>>,
    cache: Arc<D::Cache>,
    pub(super) replica: ReplicaId,
}

impl<D: SqlTables> SqlStore<D> {
    pub fn new(
        published: Arc<Published<D>>,
        cache: Arc<D::Cache>,
        replica: ReplicaId,
        database: Box<dyn Database<D>>,
    ) -> Self {
        Self { published, database, cache, replica }
    }

    pub fn cache(&self) -> &D::Cache {
        &self.cache
    }

    /// Asks the database itself. Each statement sees the last commit.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl for<'a> FnOnce(&'a dyn SqlConnection) -> BoxFuture<'a, Result<T, SqlFault>>
        + Send
        + 'static,
    ) -> Result<T, String> {
        self.answer(Isolation::Statement, question).await
    }

    /// The same for questions of several statements that have to see the same moment.
    pub async fn read_snapshot<T: Send + 'static>(
        &self,
        question: impl for<'a> FnOnce(&'a dyn SqlConnection) -> BoxFuture<'a, Result<T, SqlFault>>
        + Send
        + 'static,
    ) -> Result<T, String> {
        self.answer(Isolation::Snapshot, question).await
    }

    async fn answer<T: Send + 'static>(
        &self,
        isolation: Isolation,
        question: impl for<'a> FnOnce(&'a dyn SqlConnection) -> BoxFuture<'a, Result<T, SqlFault>>
        + Send
        + 'static,
    ) -> Result<T, String> {
        let (work, output) = kept(question);
        self.database.read(isolation, work).await?;
        output.take().ok_or_else(|| "the question was not asked".to_owned())
    }

    /// Maintenance between two batches, in a transaction of its own. With an epoch: for a task of the leader, and refused
    /// once the lease has passed on.
    pub async fn maintain<T: Send + 'static>(
        &self,
        epoch: Option<Epoch>,
        work: impl for<'a> FnOnce(&'a dyn SqlConnection) -> BoxFuture<'a, Result<T, SqlFault>> + Send + 'static,
    ) -> Result<T, StoreFault> {
        let (work, output) = kept(work);
        self.database.maintain(epoch, work).await?;
        output.take().ok_or_else(|| StoreFault::Refused("the maintenance was not done".to_owned()))
    }
}

/// Where work leaves its result.
struct Output<T>(Arc<Mutex<Option<T>>>);

impl<T> Output<T> {
    fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn kept<T: Send + 'static>(
    work: impl for<'a> FnOnce(&'a dyn SqlConnection) -> BoxFuture<'a, Result<T, SqlFault>> + Send + 'static,
) -> (Work, Output<T>) {
    let output = Arc::new(Mutex::new(None));
    let slot = output.clone();
    let work: Work = Box::new(move |connection| {
        let result = work(connection);
        Box::pin(async move {
            let result = result.await?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Ok(())
        })
    });
    (work, Output(output))
}

impl<D: SqlTables> DecisionQueue<D> for SqlStore<D> {
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>) {
        self.database.submit(jobs);
    }
}

impl<D: SqlTables> Store<D> for SqlStore<D> {
    fn image(&self) -> Arc<D::Image> {
        self.published.image()
    }

    fn fresh(&self) -> Fresh<D::Image> {
        self.database.fresh()
    }

    fn ask(&self, questions: Vec<Question>) -> BoxFuture<'_, Result<Vec<Vec<Document>>, String>> {
        let isolation = if questions.len() > 1 { Isolation::Snapshot } else { Isolation::Statement };
        self.answer(isolation, move |connection| ask_each(connection, questions).boxed()).boxed()
    }

    fn commits(&self, interest: Interest) -> watch::Receiver<()> {
        self.published.commits(interest)
    }

    fn common(self: Arc<Self>) -> Arc<dyn CommonStore> {
        self
    }
}
