//! An executor (a trading or robot service) in memory: it keeps the batches it was sent, and fails as a test says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use starkeep_game_core::Kind;
use starkeep_game_service::ports::{Batch, BatchFault, Executor, ExecutorHealth, Taken};
use tokio::sync::{Notify, watch};
use uuid::Uuid;

pub(crate) struct FakeExecutor {
    sent: Mutex<Vec<(Kind, Vec<Uuid>)>>,
    /// The round and the seed of every attempt.
    attempts: Mutex<Vec<(u32, u64)>>,
    script: Mutex<VecDeque<Reaction>>,
    /// Where its log stands.
    position: Mutex<Option<String>>,
    health: Mutex<Result<ExecutorHealth, String>>,
    probes: watch::Sender<usize>,
}

/// How it reacts to the next batch. Without one it accepts it.
pub(crate) enum Reaction {
    /// It is not accepted, for this reason.
    Fail(BatchFault),
    /// It is accepted, and its log stands here afterwards.
    Answer(&'static str),
    /// There is no answer, ever.
    Hang,
    /// It is taken, and the answer comes when it is asked for.
    Hold(Arc<Notify>),
    /// The same, and the answer is this.
    HoldAndFail(Arc<Notify>, BatchFault),
}

impl FakeExecutor {
    pub(crate) fn new(health: Result<ExecutorHealth, String>) -> Arc<Self> {
        Arc::new(Self {
            sent: Mutex::default(),
            attempts: Mutex::default(),
            script: Mutex::default(),
            position: Mutex::default(),
            health: Mutex::new(health),
            probes: watch::Sender::new(0),
        })
    }

    /// What it answers to a probe.
    pub(crate) fn set_health(&self, health: Result<ExecutorHealth, String>) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }

    /// Returns when it has answered so many probes in all.
    pub(crate) async fn probes_answered(&self, probes: usize) {
        self.probes.subscribe().wait_for(|count| *count >= probes).await.expect("it is alive");
    }

    /// What it says with every batch that it accepts.
    pub(crate) fn set_position(&self, position: Option<String>) {
        *self.position.lock().unwrap_or_else(PoisonError::into_inner) = position;
    }

    fn taken(&self) -> Taken {
        Taken { position: self.position.lock().unwrap_or_else(PoisonError::into_inner).clone() }
    }

    pub(crate) fn then(&self, reaction: Reaction) {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).push_back(reaction);
    }

    /// The round and the seed of every batch, each time it was tried to send it.
    pub(crate) fn attempts(&self) -> Vec<(u32, u64)> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often it was asked how it is.
    pub(crate) fn probes(&self) -> usize {
        *self.probes.borrow()
    }

    /// Every batch that may have been carried out, with its commands' ids.
    pub(crate) fn sent(&self) -> Vec<(Kind, Vec<Uuid>)> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Executor for FakeExecutor {
    fn take<'a>(&'a self, batch: &'a Batch, _: Duration) -> BoxFuture<'a, Result<Taken, BatchFault>> {
        Box::pin(async move {
            let attempt = (batch.round, batch.seed);
            self.attempts.lock().unwrap_or_else(PoisonError::into_inner).push(attempt);
            let ids = batch.commands.iter().map(|command| command.id.0).collect();
            let reaction = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let nothing_came_of_it = matches!(
                reaction,
                Some(Reaction::Fail(
                    BatchFault::NotReached(_) | BatchFault::TurnedDown(_) | BatchFault::NotNow(_)
                ))
            );
            if !nothing_came_of_it {
                self.sent.lock().unwrap_or_else(PoisonError::into_inner).push((batch.kind, ids));
            }
            match reaction {
                None => Ok(self.taken()),
                Some(Reaction::Answer(position)) => Ok(Taken { position: Some(position.to_owned()) }),
                Some(Reaction::Fail(fault)) => Err(fault),
                Some(Reaction::Hang) => std::future::pending().await,
                Some(Reaction::Hold(answer)) => {
                    answer.notified().await;
                    Ok(self.taken())
                }
                Some(Reaction::HoldAndFail(answer, fault)) => {
                    answer.notified().await;
                    Err(fault)
                }
            }
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<ExecutorHealth, String>> {
        let health = self.health.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.probes.send_modify(|count| *count += 1);
        Box::pin(async move { health })
    }
}
