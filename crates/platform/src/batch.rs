//! Running a batch of decisions, without a driver: which store makes it durable, and how, is not known here.
//!
//! A store collects the jobs that are waiting and calls [`execute`] with an [`Attempt`] of its own. The attempt opens a
//! transaction, clones the published image, loads the keys of all jobs into the clone, calls [`decide`], writes what comes
//! out, commits, and publishes the clone. Example: two joins and a mining arrive while a commit is under way. They become
//! one batch: the second join sees the game as the first one left it, since each change is absorbed before the next
//! decision runs; three changes and their events are one commit; then all three callers are answered.
//!
//! Why a clone: image and log must not show what is not durable yet, and a batch that fails must leave no trace. The image
//! is a persistent data structure, so the clone costs nothing.
//!
//! Why a broken batch is split: if one decision panics, or the store refuses its rows, the others must not suffer. The batch
//! is run again job by job, and only the one at fault fails. A store that is away fails all of them at once instead.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use starkeep_contract::events::NewEvent;

use crate::answer::Answer;
use crate::decision::{Job, StoreFault};
use crate::document_writes::DocumentWrites;
use crate::domain::{Domain, Interest};
use crate::idempotency::KeyClaim;
use crate::lease::Epoch;

/// What a batch writes, and the image as it is afterwards.
pub struct BatchWrites<D: Domain> {
    pub image: D::Image,
    /// In the order of their decisions.
    pub changes: Vec<D::Change>,
    /// See [`Domain::documents`].
    pub documents: Result<DocumentWrites, String>,
    pub events: Vec<NewEvent>,
    pub answers: Vec<(Arc<KeyClaim>, Answer)>,
}

impl<D: Domain> BatchWrites<D> {
    /// Who is to look again when this is committed.
    pub fn concerns(&self) -> Interest {
        self.changes.iter().fold(Interest::NONE, |all, change| all.or(D::concerns(change)))
    }
}

/// Runs the jobs one after the other on the image, into which the keys of all of them were loaded; `None` if none of them
/// writes anything. `lease` is the epoch that holds now.
pub fn decide<D: Domain>(
    mut image: D::Image,
    jobs: &mut [Box<dyn Job<D>>],
    lease: Option<Epoch>,
) -> Option<BatchWrites<D>> {
    let before = image.clone();
    let (mut changes, mut events, mut answers) = (Vec::with_capacity(jobs.len()), Vec::new(), Vec::new());
    for job in jobs {
        if !job.is_due(lease) {
            continue;
        }
        let Some(writes) = job.decide(&image) else { continue };
        D::absorb(&mut image, &writes.change);
        changes.push(writes.change);
        events.extend(writes.events);
        answers.extend(writes.answer);
    }
    if changes.is_empty() {
        return None;
    }
    let documents = D::documents(&before, &image, &changes);
    D::evict(&mut image);
    Some(BatchWrites { image, changes, documents, events, answers })
}

/// How a store makes a batch durable, all of it or nothing.
pub trait Attempt<D: Domain> {
    fn attempt(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> impl Future<Output = Result<(), StoreFault>>;
}

/// Makes the batch durable by attempts and answers every job. What fails takes only itself down.
pub async fn execute<D: Domain>(mut jobs: Vec<Box<dyn Job<D>>>, attempts: &mut impl Attempt<D>) {
    let outcome = once(&mut jobs, attempts).await;
    if !matches!(outcome, Err(StoreFault::Refused(_))) || jobs.len() == 1 {
        return finish(jobs, &outcome);
    }
    // One of them is at fault. Alone, each of the others succeeds.
    let mut jobs = jobs.into_iter();
    while let Some(job) = jobs.next() {
        let mut alone = vec![job];
        let outcome = once(&mut alone, attempts).await;
        finish(alone, &outcome);
        // The store is away, so those behind it are not tried.
        match outcome {
            Err(StoreFault::Unavailable(fault) | StoreFault::Unknown(fault)) => {
                return finish(jobs.collect(), &Err(StoreFault::Unavailable(fault)));
            }
            full @ Err(StoreFault::DiskFull(_)) => return finish(jobs.collect(), &full),
            Ok(()) | Err(StoreFault::Refused(_)) => {}
        }
    }
}

async fn once<D: Domain>(
    jobs: &mut [Box<dyn Job<D>>],
    attempts: &mut impl Attempt<D>,
) -> Result<(), StoreFault> {
    AssertUnwindSafe(attempts.attempt(jobs))
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(StoreFault::Refused("a decision panicked".to_owned())))
}

fn finish<D: Domain>(jobs: Vec<Box<dyn Job<D>>>, outcome: &Result<(), StoreFault>) {
    if let Err(fault @ (StoreFault::Refused(_) | StoreFault::Unknown(_))) = outcome {
        tracing::error!(%fault, "a change was not committed as decided");
    }
    for job in jobs {
        job.finish(outcome.clone());
    }
}
