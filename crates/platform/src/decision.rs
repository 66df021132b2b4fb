//! The port of every write: a use case hands the store a *decision*, never statements.
//! Because decisions are plain functions of what was loaded, a store can run many of them in one commit.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::join_all;
use starkeep_contract::events::NewEvent;
use tokio::sync::oneshot;

use crate::answer::Answer;
use crate::clock::{Clock, Monotonic};
use crate::domain::Domain;
use crate::idempotency::{AnswerRecorder, KeyClaim};
use crate::lease::Epoch;

/// What a decision came to: a change and its announcement, committed together, and what the caller wants to know.
pub struct Decided<D: Domain, T> {
    pub change: D::Change,
    pub events: Vec<NewEvent>,
    pub output: T,
}

/// What is done once the decision is committed, whether or not anybody still waits for it: a line in the log, for instance.
/// The store waits for it. It is not done again by whoever reads the change later.
pub type AfterCommit = Box<dyn FnOnce() + Send>;

type Followed<D, T> = (Decided<D, T>, Option<AfterCommit>);

type Decide<D, T> =
    Box<dyn Fn(&<D as Domain>::Image) -> Result<Followed<D, T>, <D as Domain>::Rejection> + Send>;

/// One decision to be made, with what it needs.
pub struct Decision<D: Domain, T> {
    keys: Vec<D::Key>,
    decide: Decide<D, T>,
    answer: AnswerRecorder<T>,
    epoch: Option<Epoch>,
    expiry: Option<(Arc<dyn Clock>, Monotonic)>,
}

impl<D: Domain, T: 'static> Decision<D, T> {
    /// `decide` may run more than once: it must depend on nothing but the image and what it has captured. `keys` name
    /// everything it reads that may have been evicted from memory.
    pub fn new(
        keys: Vec<D::Key>,
        decide: impl Fn(&D::Image) -> Result<Decided<D, T>, D::Rejection> + Send + 'static,
    ) -> Self {
        Self::followed(keys, move |image| decide(image).map(|decided| (decided, None)))
    }

    /// The same, with what is to be done after the commit. Of a decision that runs more than once, that of the last run is
    /// done.
    pub fn followed(
        keys: Vec<D::Key>,
        decide: impl Fn(&D::Image) -> Result<Followed<D, T>, D::Rejection> + Send + 'static,
    ) -> Self {
        Self { keys, decide: Box::new(decide), answer: AnswerRecorder::none(), epoch: None, expiry: None }
    }

    /// Keeps the answer under the request's idempotency key, in the transaction of the effect itself.
    #[must_use]
    pub fn record_answer(self, answer: AnswerRecorder<T>) -> Self {
        Self { answer, ..self }
    }

    /// Made by a task of the leader: it is refused once the lease has passed on. A request has no epoch.
    #[must_use]
    pub fn fenced_by(self, epoch: impl Into<Option<Epoch>>) -> Self {
        Self { epoch: epoch.into(), ..self }
    }

    /// Worth nothing after that instant: it is not made any longer if it waited for the store so long. The queue looks at
    /// the clock, so that the decision itself reads none.
    #[must_use]
    pub fn expires(self, clock: Arc<dyn Clock>, at: Monotonic) -> Self {
        Self { expiry: Some((clock, at)), ..self }
    }
}

/// Why a decision has no output.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure<R> {
    /// The rules refuse it.
    Rejected(R),
    /// It waited for the store until it was worth nothing. Nothing was changed.
    Expired,
    /// The same request, known by its idempotency key, was answered by another replica meanwhile. Nothing was changed.
    AnsweredElsewhere,
    /// The store failed.
    Store(StoreFault),
}

impl<R> Failure<R> {
    pub fn map<S>(self, rejection: impl FnOnce(R) -> S) -> Failure<S> {
        match self {
            Self::Rejected(reason) => Failure::Rejected(rejection(reason)),
            Self::Expired => Failure::Expired,
            Self::AnsweredElsewhere => Failure::AnsweredElsewhere,
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
    /// Nothing was changed: the disk is full. The store logs that by itself, so nobody else has to.
    #[error("nothing was changed, because the disk is full: {0}")]
    DiskFull(String),
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
    if !jobs.is_empty() {
        queue.submit(jobs);
    }
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
    /// The epoch of the task that wants it made; none of a request.
    fn epoch(&self) -> Option<Epoch>;
    /// The idempotency key of its request, if it has one.
    fn claim(&self) -> Option<&KeyClaim>;
    /// Another replica has answered its request: it is not to be decided.
    fn answered_elsewhere(&mut self);
    /// Is it still to be decided? Not if it comes from a task of a leader whose lease is not the one that holds now, or if it
    /// waited too long. Asked before `decide`.
    fn is_due(&mut self, lease: Option<Epoch>) -> bool;
    /// Makes the decision on the running image; `None` if it was rejected and nothing is to be written.
    fn decide(&mut self, image: &D::Image) -> Option<JobWrites<D>>;
    /// Answers the caller. A rejection is answered only after the commit, too: it may rest on another job of the batch.
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
    Output(T, Option<AfterCommit>),
    Rejected(R),
    Fenced(Epoch),
    Expired,
    AnsweredElsewhere,
}

impl<D: Domain, T: Send + 'static> Job<D> for PendingJob<D, T> {
    fn keys(&self) -> &[D::Key] {
        &self.decision.keys
    }

    fn epoch(&self) -> Option<Epoch> {
        self.decision.epoch
    }

    fn claim(&self) -> Option<&KeyClaim> {
        self.decision.answer.claim()
    }

    fn answered_elsewhere(&mut self) {
        self.verdict = Some(Verdict::AnsweredElsewhere);
    }

    fn is_due(&mut self, lease: Option<Epoch>) -> bool {
        if matches!(self.verdict, Some(Verdict::AnsweredElsewhere)) {
            return false;
        }
        if let Some(epoch) = self.decision.epoch.filter(|epoch| lease != Some(*epoch)) {
            self.verdict = Some(Verdict::Fenced(epoch));
            return false;
        }
        if self.decision.expiry.as_ref().is_some_and(|(clock, at)| clock.monotonic() > *at) {
            self.verdict = Some(Verdict::Expired);
            return false;
        }
        true
    }

    fn decide(&mut self, image: &D::Image) -> Option<JobWrites<D>> {
        match (self.decision.decide)(image) {
            Ok((Decided { change, events, output }, after_commit)) => {
                let answer = self.decision.answer.answer(&output);
                self.verdict = Some(Verdict::Output(output, after_commit));
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
            (Ok(()), Some(Verdict::Output(output, after_commit))) => {
                if let Some(act) = after_commit {
                    act();
                }
                Ok(output)
            }
            (Ok(()), Some(Verdict::Rejected(rejection))) => Err(Failure::Rejected(rejection)),
            (Ok(()), Some(Verdict::Fenced(epoch))) => Err(StoreFault::passed_on(epoch).into()),
            (Ok(()), Some(Verdict::Expired)) => Err(Failure::Expired),
            (Ok(()), Some(Verdict::AnsweredElsewhere)) => Err(Failure::AnsweredElsewhere),
            (Ok(()), None) => {
                Err(StoreFault::Refused("a decision was committed that was never made".to_owned()).into())
            }
            (Err(fault), _) => Err(fault.into()),
        };
        // Nobody waits any longer where the client has gone; the change stands all the same.
        let _ = self.reply.send(outcome);
    }
}
