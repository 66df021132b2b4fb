//! What every store offers, whatever it keeps: kept answers, the log, and how it is.
//! A service's own port adds what its domain asks.

use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::decision::WriteCounts;
use crate::events::{Log, Pages};
use crate::idempotency::Answers;

pub trait CommonStore: Answers {
    /// Can it write? Where the last attempt failed it tries again.
    fn check(&self) -> BoxFuture<'_, Result<(), String>>;

    /// Forgets answers that were kept before the instant; how many.
    fn forget_answers(&self, before: Timestamp) -> BoxFuture<'_, Result<usize, String>>;

    /// What was written in this process.
    fn written(&self) -> WriteCounts;

    /// The log, and where its older pages come from.
    fn log(&self) -> (Arc<Log>, Arc<dyn Pages>);

    /// Number of the last event that was sent on; `None` if none ever was.
    fn relayed(&self) -> BoxFuture<'_, Result<Option<u64>, String>>;

    /// Remembers that everything up to this event was sent on.
    fn save_relayed(&self, number: u64) -> BoxFuture<'_, Result<(), String>>;

    /// Removes at most so many of the oldest events that are not kept; how many.
    fn expire(&self, keep: RetentionBounds, at_most: u32) -> BoxFuture<'_, Result<u64, String>>;
}

/// How much of the log is kept. The newest event always is: the next one's number follows from it.
#[derive(Clone, Copy, Debug)]
pub struct RetentionBounds {
    /// Events from before this instant are removed.
    pub since: Option<Timestamp>,
    /// At most so many are kept.
    pub count: u64,
    /// Nothing after this number is removed, however old: it is yet to be sent on.
    pub unsent_after: Option<u64>,
}
