//! A replica that reaches the store over a network: its batches wait for their turn, and end as the network lets them.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::conditions::{CommitFate, Conditions, PlantedBug};
use super::{Memory, MemoryTables};
use crate::batch::{self, Attempt};
use crate::decision::{Job, StoreFault};
use crate::lease::Epoch;
use crate::replica::ReplicaId;

pub(super) type Jobs<D> = Vec<Box<dyn Job<D>>>;

/// How a replica reaches the store.
pub(super) struct Remote<D: MemoryTables> {
    pub(super) conditions: Arc<dyn Conditions>,
    pub(super) waiting: mpsc::UnboundedSender<Jobs<D>>,
    /// The epoch in which the replica believed to lead when it began its last batch.
    pub(super) believed: Mutex<Option<Epoch>>,
}

impl<D: MemoryTables> Memory<D> {
    /// Another replica on the same rows, which reaches them over a network. It follows when it is told to.
    pub fn another_under(&self, replica: ReplicaId, conditions: Arc<dyn Conditions>) -> Arc<Self> {
        let (waiting, jobs) = mpsc::unbounded_channel();
        let planted = conditions.planted();
        let remote = Remote { conditions, waiting, believed: Mutex::default() };
        let memory = self.replicated(replica, planted, Some(remote));
        memory.lag();
        tokio::spawn(write(memory.clone(), jobs));
        memory
    }

    /// What it refused of replicas that reach it over a network: each is a fault of whoever asked for it.
    pub fn refusals(&self) -> Vec<String> {
        self.rows().refusals.clone()
    }

    pub(super) fn has(&self, bug: PlantedBug) -> bool {
        self.own.planted == Some(bug)
    }
}

async fn write<D: MemoryTables>(memory: Arc<Memory<D>>, mut waiting: mpsc::UnboundedReceiver<Jobs<D>>) {
    while let Some(jobs) = waiting.recv().await {
        for job in jobs {
            batch::execute(vec![job], &mut RemoteAttempt(&memory)).await;
        }
    }
}

struct RemoteAttempt<'a, D: MemoryTables>(&'a Memory<D>);

impl<D: MemoryTables> Attempt<D> for RemoteAttempt<'_, D> {
    async fn attempt(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        let Some(remote) = &self.0.remote else { return self.0.write(jobs) };
        *remote.believed.lock().unwrap_or_else(PoisonError::into_inner) = self.0.lease.current();
        let fate = remote.conditions.begin_batch().await;
        let outcome = self.commit(fate, jobs);
        if let Err(StoreFault::Refused(fault)) = &outcome {
            self.0.rows().refusals.push(fault.clone());
        }
        remote.conditions.end_batch().await;
        outcome
    }
}

impl<D: MemoryTables> RemoteAttempt<'_, D> {
    fn commit(&self, fate: CommitFate, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        let lost = || StoreFault::Unavailable("the connection was lost".to_owned());
        match fate {
            CommitFate::Answered => self.0.write(jobs),
            CommitFate::NotReached => {
                self.0.leave_planted_traces(jobs);
                Err(lost())
            }
            CommitFate::Unanswered { is_made: true, .. }
                if self.0.has(PlantedBug::LostCommitCalledRefused) =>
            {
                self.0.write(jobs).and(Err(lost()))
            }
            CommitFate::Unanswered { is_made, is_found_out } => {
                let outcome = if is_made { self.0.write(jobs) } else { Err(lost()) };
                match outcome {
                    Err(refused @ StoreFault::Refused(_)) => Err(refused),
                    outcome if is_found_out => outcome,
                    _ => Err(StoreFault::Unknown("the answer to the commit was lost".to_owned())),
                }
            }
        }
    }
}
