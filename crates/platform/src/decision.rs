//! The port of every write: a use case hands the store a *decision*, never statements.
//! Because decisions are plain functions of what was loaded, a store can run many of them in one commit.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::join_all;
use starkeep_contract::events::NewEvent;
use tokio::sync::oneshot;

use crate::answer::Answer;
use crate::idempotency::KeyClaim;

/// What a service keeps, and how a change moves it forward.
pub trait Domain: Send + Sync + Sized + 'static {
    /// What a decision needs to be loaded before it is made.
    type Key: Send + Sync;
    /// What decisions and reads see. Cheap to clone: a batch runs on a clone, which is published after the commit.
    type Image: Clone + Send + Sync + 'static;
    /// What is to be written.
    type Change: Send;
    /// Why a decision was refused.
    type Rejection: Send;

    /// Moves an image forward: the one function that does, whoever made the change. It depends on nothing but the change
    /// and on what is always in memory, so that an image that was given only the changes equals one that was loaded.
    fn absorb(image: &mut Self::Image, change: &Self::Change);

    /// What a change names instead of carrying it, because it is large: loaded into the image before `absorb`.
    fn needed_by(_change: &Self::Change) -> Vec<Self::Key> {
        Vec::new()
    }

    /// Who is to look again when this change is committed.
    fn concerns(_change: &Self::Change) -> Interest {
        Interest::ALL
    }

    /// Called before an image is published: drops what need not stay in memory.
    fn evict(image: &mut Self::Image);
}

/// The serialised form of a domain's changes: what replicas and replays read. Implemented in a service's `store`.
pub trait ChangeCodec: Domain {
    fn encode(change: &Self::Change) -> Vec<u8>;

    /// Refuses a form that this version does not know.
    fn decode(bytes: &[u8]) -> Result<Self::Change, UnreadableChange>;
}

/// A change that this version cannot read: a newer one wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a change cannot be read by this version: {0}")]
pub struct UnreadableChange(pub String);

/// What a task waits for, as a set of bits that a service gives its meanings to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest(u32);

impl Interest {
    pub const ALL: Self = Self(u32::MAX);
    pub const NONE: Self = Self(0);

    /// One of 32 bits.
    pub const fn bit(number: u32) -> Self {
        Self(1 << number)
    }

    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a decision came to: rows and their announcement, in one breath, and what the caller wants to know.
pub struct Decided<D: Domain, T> {
    pub change: D::Change,
    pub events: Vec<NewEvent>,
    pub output: T,
}

type Decide<D, T> =
    Box<dyn Fn(&<D as Domain>::Image) -> Result<Decided<D, T>, <D as Domain>::Rejection> + Send>;
type Render<T> = Arc<dyn Fn(&T) -> Option<Answer> + Send + Sync>;

/// One decision to be made, with what it needs.
pub struct Decision<D: Domain, T> {
    keys: Vec<D::Key>,
    decide: Decide<D, T>,
    remember: AnswerRecorder<T>,
}

impl<D: Domain, T: 'static> Decision<D, T> {
    /// `decide` may run more than once: it must depend on nothing but the image and what it has captured.
    pub fn new(
        keys: Vec<D::Key>,
        decide: impl Fn(&D::Image) -> Result<Decided<D, T>, D::Rejection> + Send + 'static,
    ) -> Self {
        Self { keys, decide: Box::new(decide), remember: AnswerRecorder::nothing() }
    }

    /// Keeps the answer under the request's idempotency key, in the transaction of the effect itself.
    #[must_use]
    pub fn remember(mut self, remember: AnswerRecorder<T>) -> Self {
        self.remember = remember;
        self
    }
}

/// How a successful answer is kept for a repeated request; empty where the request had no key.
pub struct AnswerRecorder<T>(Option<(Arc<KeyClaim>, Render<T>)>);

impl<T> Clone for AnswerRecorder<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: 'static> AnswerRecorder<T> {
    pub fn nothing() -> Self {
        Self(None)
    }

    pub(crate) fn under(
        ticket: Arc<KeyClaim>,
        render: impl Fn(&T) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self(Some((ticket, Arc::new(move |output| Some(render(output))))))
    }

    /// For work of several steps: remembers only where the step's output already is the answer's.
    #[must_use]
    pub fn when<U: 'static>(
        self,
        finished: impl Fn(&U) -> Option<&T> + Send + Sync + 'static,
    ) -> AnswerRecorder<U> {
        AnswerRecorder(self.0.map(|(ticket, render)| {
            let render: Render<U> =
                Arc::new(move |output| finished(output).and_then(|output| render(output)));
            (ticket, render)
        }))
    }

    fn answer(&self, output: &T) -> Option<(Arc<KeyClaim>, Answer)> {
        let (ticket, render) = self.0.as_ref()?;
        Some((ticket.clone(), render(output)?))
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Failure<R> {
    /// The rules refuse it.
    Rejected(R),
    /// It could not be made durable; nothing was changed.
    Unavailable(String),
    /// The store refuses what the rules allowed: a fault of ours. Nothing was changed.
    Broken(String),
}

impl<R> Failure<R> {
    pub fn map<S>(self, rejection: impl FnOnce(R) -> S) -> Failure<S> {
        match self {
            Self::Rejected(reason) => Failure::Rejected(rejection(reason)),
            Self::Unavailable(text) => Failure::Unavailable(text),
            Self::Broken(text) => Failure::Broken(text),
        }
    }
}

/// Why a whole batch, or one job of it, was not written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{0}")]
    Unavailable(String),
    #[error("{0}")]
    Broken(String),
}

/// A store takes jobs; it promises to finish every one, whether or not anybody still waits for it.
pub trait DecisionQueue<D: Domain>: Send + Sync + 'static {
    /// What is handed in together shares a commit.
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>);
}

/// Submits the work and waits for its commit.
pub async fn apply<D: Domain, T: Send + 'static>(
    desk: &dyn DecisionQueue<D>,
    work: Decision<D, T>,
) -> Result<T, Failure<D::Rejection>> {
    let (job, outcome) = pending(work);
    desk.submit(vec![job]);
    outcome.await
}

/// The same for many at once; each comes to its own end.
pub async fn apply_all<D: Domain, T: Send + 'static>(
    desk: &dyn DecisionQueue<D>,
    works: impl IntoIterator<Item = Decision<D, T>>,
) -> Vec<Result<T, Failure<D::Rejection>>> {
    let (jobs, outcomes): (Vec<_>, Vec<_>) = works.into_iter().map(pending).unzip();
    desk.submit(jobs);
    join_all(outcomes).await
}

type Outcome<D, T> = Result<T, Failure<<D as Domain>::Rejection>>;

fn pending<D: Domain, T: Send + 'static>(
    work: Decision<D, T>,
) -> (Box<dyn Job<D>>, impl Future<Output = Outcome<D, T>>) {
    let (reply, outcome) = oneshot::channel();
    let stopped = |_| Err(Failure::Unavailable("the store has stopped".to_owned()));
    (
        Box::new(Pending { work, verdict: None, reply }),
        outcome.map(move |outcome| outcome.unwrap_or_else(stopped)),
    )
}

/// A decision as the store sees it, whatever it will answer.
pub trait Job<D: Domain>: Send {
    fn keys(&self) -> &[D::Key];
    /// Makes the decision on the running image; `None` if it was rejected and nothing is to be written.
    fn decide(&mut self, image: &D::Image) -> Option<Writes<D>>;
    /// Tells the caller. A rejection is told only after the commit, too: it may rest on a neighbour in the batch.
    fn finish(self: Box<Self>, written: Result<(), WriteError>);
}

/// What one job writes.
pub struct Writes<D: Domain> {
    pub change: D::Change,
    pub events: Vec<NewEvent>,
    pub answer: Option<(Arc<KeyClaim>, Answer)>,
}

/// What a store has written in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    pub commits: u64,
    pub decisions: u64,
    pub events: u64,
}

struct Pending<D: Domain, T> {
    work: Decision<D, T>,
    verdict: Option<Result<T, D::Rejection>>,
    reply: oneshot::Sender<Result<T, Failure<D::Rejection>>>,
}

impl<D: Domain, T: Send + 'static> Job<D> for Pending<D, T> {
    fn keys(&self) -> &[D::Key] {
        &self.work.keys
    }

    fn decide(&mut self, image: &D::Image) -> Option<Writes<D>> {
        match (self.work.decide)(image) {
            Ok(Decided { change, events, output }) => {
                let answer = self.work.remember.answer(&output);
                self.verdict = Some(Ok(output));
                Some(Writes { change, events, answer })
            }
            Err(rejection) => {
                self.verdict = Some(Err(rejection));
                None
            }
        }
    }

    fn finish(self: Box<Self>, written: Result<(), WriteError>) {
        let outcome = match (written, self.verdict) {
            (Ok(()), Some(Ok(output))) => Ok(output),
            (Ok(()), Some(Err(rejection))) => Err(Failure::Rejected(rejection)),
            (Ok(()), None) => Err(Failure::Broken("a decision was committed that was never made".to_owned())),
            (Err(WriteError::Unavailable(text)), _) => Err(Failure::Unavailable(text)),
            (Err(WriteError::Broken(text)), _) => Err(Failure::Broken(text)),
        };
        // Nobody waits any longer where the client has gone; the change stands all the same.
        let _ = self.reply.send(outcome);
    }
}
