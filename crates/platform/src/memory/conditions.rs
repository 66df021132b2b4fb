//! What it is like to reach the store, where it stands for a database behind a network: how long exchanges take and how they end.
//! A simulation decides it; and it plants bugs here, to see whether its checks find them.

use futures::future::BoxFuture;

use crate::clock::Monotonic;
use crate::decision::StoreFault;

/// Of one replica. An exchange of a process that has died never ends.
pub trait Conditions: Send + Sync + 'static {
    /// The database's own clock.
    fn server_time(&self) -> Monotonic;

    /// Takes as long as the statements of a batch; how its commit will end.
    fn begin_batch(&self) -> BoxFuture<'static, CommitFate>;

    /// Takes as long as the answer to a batch.
    fn end_batch(&self) -> BoxFuture<'static, ()>;

    /// Takes as long as a question and its answer.
    fn ask(&self) -> BoxFuture<'static, Result<(), StoreFault>>;

    fn planted(&self) -> Option<PlantedBug>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitFate {
    /// Made and answered.
    Answered,
    /// The connection is lost before it.
    NotReached,
    /// The connection is lost before its answer.
    Unanswered { is_made: bool, is_found_out: bool },
}

/// A mistake that a store, or a network, could make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// Writes of tasks are taken from whoever believes to lead.
    NoEpochCheck,
    /// The image is published before the commit.
    AbsorbBeforeCommit,
    /// A commit whose answer is lost is told as not made.
    LostCommitCalledRefused,
    /// Requests are answered from what the replica happens to know.
    StaleReads,
    /// Of several batches only the events of the last one are followed.
    EventsSkipped,
    /// Of several batches only the last one is followed.
    BatchesSkipped,
    /// Answers that were kept under idempotency keys are not found.
    AnswersForgotten,
    /// The answer under an idempotency key is written before the commit.
    AnswerBeforeCommit,
    /// The events are written before the commit.
    EventsBeforeCommit,
    /// The lease is taken while its holder may still count on it.
    LeaseTakenEarly,
    /// The holder of the lease does not look at the time.
    LeaseWithoutEnd,
    /// Whoever passes requests on between services sends those again that were not answered.
    RequestsRepeated,
    /// Whoever gains the lease does not follow first what others have committed.
    LeadsWithoutFollowing,
}

impl PlantedBug {
    pub const ALL: [Self; 13] = [
        Self::NoEpochCheck,
        Self::AbsorbBeforeCommit,
        Self::LostCommitCalledRefused,
        Self::StaleReads,
        Self::EventsSkipped,
        Self::BatchesSkipped,
        Self::AnswersForgotten,
        Self::AnswerBeforeCommit,
        Self::EventsBeforeCommit,
        Self::LeaseTakenEarly,
        Self::LeaseWithoutEnd,
        Self::RequestsRepeated,
        Self::LeadsWithoutFollowing,
    ];
}
