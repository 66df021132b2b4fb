//! The port of every write: a use case hands the store a *decision*, never statements.
//! Because decisions are plain functions of what was loaded, a store can run many of them in one commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt as _;
use futures::future::join_all;
use starkeep_contract::events::NewEvent;
use tokio::sync::oneshot;

use crate::answer::Answer;
use crate::domain::Domain;
use crate::idempotency::{AnswerRecorder, KeyClaim};
use crate::lease::Epoch;

/// What a decision came to: a change and its announcement, committed together, and what the caller wants to know.
pub struct Decided<D: Domain, T> {
    pub change: D::Change,
    pub events: Vec<NewEvent>,
    pub output: T,
}

type Decide<D, T> =
    Box<dyn Fn(&<D as Domain>::Image) -> Result<Decided<D, T>, <D as Domain>::Rejection> + Send>;

/// One decision to be made, with what it needs.
pub struct Decision<D: Domain, T> {
    keys: Vec<D::Key>,
    decide: Decide<D, T>,
    answer: AnswerRecorder<T>,
    epoch: Option<Epoch>,
    withdrawal: Option<Withdrawal>,
}

impl<D: Domain, T: 'static> Decision<D, T> {
    /// `decide` may run more than once: it must depend on nothing but the image and what it has captured. `keys` name
    /// everything it reads that may have been evicted from memory.
    pub fn new(
        keys: Vec<D::Key>,
        decide: impl Fn(&D::Image) -> Result<Decided<D, T>, D::Rejection> + Send + 'static,
    ) -> Self {
        Self { keys, decide: Box::new(decide), answer: AnswerRecorder::none(), epoch: None, withdrawal: None }
    }

    /// Keeps the answer under the request's idempotency key, in the transaction of the effect itself.
    #[must_use]
    pub fn record_answer(self, answer: AnswerRecorder<T>) -> Self {
        Self { answer, ..self }
    }

    /// Made by a task of the leader: it is refused once the lease has passed on.
    #[must_use]
    pub fn fenced_by(self, epoch: Epoch) -> Self {
        Self { epoch: Some(epoch), ..self }
    }

    /// Not made any longer once it was withdrawn: for what is worth nothing when it waited too long.
    #[must_use]
    pub fn withdrawn_by(self, withdrawal: &Withdrawal) -> Self {
        Self { withdrawal: Some(withdrawal.clone()), ..self }
    }
}

/// Takes back decisions that were handed in and not made yet. A decision reads no clock, so whoever waits for it does.
#[derive(Clone, Debug, Default)]
pub struct Withdrawal(Arc<AtomicBool>);

impl Withdrawal {
    pub fn withdraw(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_withdrawn(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Why a decision has no output.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure<R> {
    /// The rules refuse it.
    Rejected(R),
    /// The store failed.
    Store(StoreFault),
}

impl<R> Failure<R> {
    pub fn map<S>(self, rejection: impl FnOnce(R) -> S) -> Failure<S> {
        match self {
            Self::Rejected(reason) => Failure::Rejected(rejection(reason)),
            Self::Store(fault) => Failure::Store(fault),
        }
    }
}

impl<R> From<StoreFault> for Failure<R> {
    fn from(fault: StoreFault) -> Self {
        Self::Store(fault)
    }
}

/// How a store fails, by what is certain about the change. The texts are for the log and never reach a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreFault {
    /// The store refuses what the rules allowed, or the decision itself broke: a fault of ours. Nothing was changed.
    #[error("the store refused the change: {0}")]
    Refused(String),
    /// It could not be made durable, or came from a leader whose lease has passed on. Nothing was changed.
    #[error("nothing was changed: {0}")]
    Unavailable(String),
    /// The answer to the commit was lost: whether anything was changed is not known.
    #[error("it is not known whether the change was made: {0}")]
    Unknown(String),
}

impl StoreFault {
    /// A write of a leader that no longer leads.
    pub fn passed_on(epoch: Epoch) -> Self {
        Self::Unavailable(format!("the lease of epoch {epoch} has passed on"))
    }
}

/// A store takes jobs; it promises to finish every one, whether or not anybody still waits for it.
pub trait DecisionQueue<D: Domain>: Send + Sync + 'static {
    /// What is handed in together shares a commit.
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>);
}

/// Submits the decision and waits for its commit.
pub async fn apply<D: Domain, T: Send + 'static>(
    queue: &dyn DecisionQueue<D>,
    decision: Decision<D, T>,
) -> Result<T, Failure<D::Rejection>> {
    let (job, outcome) = pending(decision);
    queue.submit(vec![job]);
    outcome.await
}

/// The same for many at once; each comes to its own end.
pub async fn apply_all<D: Domain, T: Send + 'static>(
    queue: &dyn DecisionQueue<D>,
    decisions: impl IntoIterator<Item = Decision<D, T>>,
) -> Vec<Result<T, Failure<D::Rejection>>> {
    let (jobs, outcomes): (Vec<_>, Vec<_>) = decisions.into_iter().map(pending).unzip();
    queue.submit(jobs);
    join_all(outcomes).await
}

type Outcome<D, T> = Result<T, Failure<<D as Domain>::Rejection>>;

fn pending<D: Domain, T: Send + 'static>(
    decision: Decision<D, T>,
) -> (Box<dyn Job<D>>, impl Future<Output = Outcome<D, T>>) {
    let (reply, outcome) = oneshot::channel();
    let stopped = |_| Err(StoreFault::Unavailable("the store has stopped".to_owned()).into());
    (
        Box::new(PendingJob { decision, verdict: None, reply }),
        outcome.map(move |outcome| outcome.unwrap_or_else(stopped)),
    )
}

/// A decision as the store sees it, whatever its output is.
pub trait Job<D: Domain>: Send {
    fn keys(&self) -> &[D::Key];
    /// Makes the decision on the running image; `None` if nothing is to be written: it was rejected, or comes from a task
    /// of a leader whose lease is not the one that holds now.
    fn decide(&mut self, image: &D::Image, lease: Option<Epoch>) -> Option<JobWrites<D>>;
    /// Tells the caller. A rejection is told only after the commit, too: it may rest on another job of the batch.
    fn finish(self: Box<Self>, committed: Result<(), StoreFault>);
}

/// What one job writes.
pub struct JobWrites<D: Domain> {
    pub change: D::Change,
    pub events: Vec<NewEvent>,
    pub answer: Option<(Arc<KeyClaim>, Answer)>,
}

struct PendingJob<D: Domain, T> {
    decision: Decision<D, T>,
    verdict: Option<Verdict<T, D::Rejection>>,
    reply: oneshot::Sender<Result<T, Failure<D::Rejection>>>,
}

enum Verdict<T, R> {
    Output(T),
    Rejected(R),
    Fenced(Epoch),
    Withdrawn,
}

impl<D: Domain, T: Send + 'static> Job<D> for PendingJob<D, T> {
    fn keys(&self) -> &[D::Key] {
        &self.decision.keys
    }

    fn decide(&mut self, image: &D::Image, lease: Option<Epoch>) -> Option<JobWrites<D>> {
        if let Some(epoch) = self.decision.epoch.filter(|epoch| lease != Some(*epoch)) {
            self.verdict = Some(Verdict::Fenced(epoch));
            return None;
        }
        if self.decision.withdrawal.as_ref().is_some_and(Withdrawal::is_withdrawn) {
            self.verdict = Some(Verdict::Withdrawn);
            return None;
        }
        match (self.decision.decide)(image) {
            Ok(Decided { change, events, output }) => {
                let answer = self.decision.answer.answer(&output);
                self.verdict = Some(Verdict::Output(output));
                Some(JobWrites { change, events, answer })
            }
            Err(rejection) => {
                self.verdict = Some(Verdict::Rejected(rejection));
                None
            }
        }
    }

    fn finish(self: Box<Self>, committed: Result<(), StoreFault>) {
        let outcome = match (committed, self.verdict) {
            (Ok(()), Some(Verdict::Output(output))) => Ok(output),
            (Ok(()), Some(Verdict::Rejected(rejection))) => Err(Failure::Rejected(rejection)),
            (Ok(()), Some(Verdict::Fenced(epoch))) => Err(StoreFault::passed_on(epoch).into()),
            (Ok(()), Some(Verdict::Withdrawn)) => {
                Err(StoreFault::Unavailable("the decision was withdrawn before it was made".to_owned())
                    .into())
            }
            (Ok(()), None) => {
                Err(StoreFault::Refused("a decision was committed that was never made".to_owned()).into())
            }
            (Err(fault), _) => Err(fault.into()),
        };
        // Nobody waits any longer where the client has gone; the change stands all the same.
        let _ = self.reply.send(outcome);
    }
}
