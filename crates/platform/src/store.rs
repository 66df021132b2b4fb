//! What every store offers, whatever it keeps. A service's own port adds what its domain asks.
//! A store is built by the executable and handed in; no driver's type is in a signature here.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_contract::health::{ImageDigest, ReplicaState};
use tokio::sync::watch;

use crate::decision::{DecisionQueue, StoreFault};
use crate::documents::{Document, Question};
use crate::domain::{Domain, Interest};
use crate::events::{Log, Pages};
use crate::idempotency::AnswerStore;
use crate::lease::{Epoch, Lease};
pub use crate::published::WriteCounts;
use crate::replica::ReplicaId;

/// The part of a store that knows the service's domain.
pub trait Store<D: Domain>: DecisionQueue<D> {
    /// What this replica last saw committed. Waits for nobody; what tasks look at.
    fn image(&self) -> Arc<D::Image>;

    /// The image that a request is answered from: nothing that any replica acknowledged before is missing in it.
    fn fresh(&self) -> Fresh<D::Image>;

    /// Asks for documents, for each question those that it finds; all of them as they were at one moment.
    fn ask(&self, questions: Vec<Question>) -> BoxFuture<'_, Result<Vec<Vec<Document>>, String>>;

    /// Changes with every commit that concerns the interest: a hint to look again.
    fn commits(&self, interest: Interest) -> watch::Receiver<()>;

    /// What it offers whatever it keeps.
    fn common(self: Arc<Self>) -> Arc<dyn CommonStore>;
}

/// An image that is as fresh as a request needs it; of an embedded store at once.
pub enum Fresh<I> {
    Ready(Arc<I>),
    Waiting(BoxFuture<'static, Result<Arc<I>, StoreFault>>),
}

impl<I> Fresh<I> {
    /// Where nothing has to be waited for.
    pub fn at_once(self) -> Option<Arc<I>> {
        match self {
            Self::Ready(image) => Some(image),
            Self::Waiting(_) => None,
        }
    }
}

impl<I> Future for Fresh<I> {
    type Output = Result<Arc<I>, StoreFault>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Ready(image) => Poll::Ready(Ok(image.clone())),
            Self::Waiting(waiting) => waiting.poll_unpin(context),
        }
    }
}

/// The part of a store that is the same for every service: stored answers, the log, the lease, and how it is.
pub trait CommonStore: AnswerStore {
    /// Can it write? Where the last attempt failed it tries again.
    fn check(&self) -> BoxFuture<'_, Result<(), StoreFault>>;

    /// Removes answers that were stored before the instant; how many.
    fn remove_answers(&self, epoch: Epoch, before: Timestamp) -> BoxFuture<'_, Result<usize, StoreFault>>;

    /// What was written in this process.
    fn counts(&self) -> WriteCounts;

    /// The log, and where its older pages come from.
    fn log(&self) -> (Arc<Log>, Arc<dyn Pages>);

    /// Waits until the log has all that any replica acknowledged before.
    fn catch_up(&self) -> BoxFuture<'_, Result<(), StoreFault>>;

    /// Number of the last event that the relay sent; `None` if none ever was.
    fn relayed(&self) -> BoxFuture<'_, Result<Option<u64>, StoreFault>>;

    /// Saves that everything up to this event was sent.
    fn save_relayed(&self, epoch: Epoch, number: u64) -> BoxFuture<'_, Result<(), StoreFault>>;

    /// Removes at most so many of the oldest events that are not kept; how many.
    fn remove_events(
        &self,
        epoch: Epoch,
        keep: RetentionBounds,
        at_most: u32,
    ) -> BoxFuture<'_, Result<u64, StoreFault>>;

    /// Whether this replica leads.
    fn lease(&self) -> &Lease;

    /// This replica.
    fn replica(&self) -> ReplicaId;

    /// Does the replica that owns something still run?
    fn is_alive(&self, replica: ReplicaId) -> bool;

    /// Changes when a replica no longer runs: what it owned is to be taken over.
    fn departures(&self) -> watch::Receiver<()>;

    /// May other replicas write as well?
    fn is_shared(&self) -> bool;

    /// Which replica this is, who leads, and how far behind this one is; `None` where there is only one.
    fn replica_state(&self) -> BoxFuture<'_, Option<ReplicaState>>;

    /// A digest of the image; `None` where there is only one replica.
    fn digest(&self) -> BoxFuture<'_, Option<ImageDigest>>;
}

/// How much of the log is kept. The newest event always is: the next one's number follows from it.
#[derive(Clone, Copy, Debug)]
pub struct RetentionBounds {
    /// Events from before this instant are removed.
    pub since: Option<Timestamp>,
    /// At most so many are kept.
    pub count: u64,
    /// Nothing after this number is removed, however old: the relay has yet to send it.
    pub unsent_after: Option<u64>,
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("written by a newer version (schema {found}, this program knows {known}); nothing was changed")]
    Newer { found: usize, known: usize },
    #[error("not a database of this program; nothing was changed")]
    Foreign,
    #[error(
        "written by an earlier development version, whose data no later one reads; nothing was changed. Begin with an empty \
         place, or use that version"
    )]
    Development,
    #[error(
        "another replica runs, or did a moment ago, that was started with other flags: {0}; nothing was changed"
    )]
    OtherFlags(String),
    #[error("the database cannot be written: {0}")]
    Unwritable(String),
    #[error("the disk is full ({0}); nothing was changed")]
    DiskFull(String),
    #[error("the database cannot be opened: {0}")]
    Unopenable(String),
    #[error("the writer thread cannot be started: {source}")]
    Thread { source: io::Error },
}
