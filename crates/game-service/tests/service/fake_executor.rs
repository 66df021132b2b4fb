//! An executor (a trading or robot service) in memory: it keeps the batches it was sent, and fails as a test says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use starkeep_game_core::Kind;
use starkeep_game_service::ports::{Batch, BatchFault, Executor};
use tokio::sync::Notify;
use uuid::Uuid;

#[derive(Default)]
pub(crate) struct FakeExecutor {
    sent: Mutex<Vec<(Kind, Vec<Uuid>)>>,
    script: Mutex<VecDeque<Reaction>>,
}

/// How it reacts to the next batch. Without one it accepts it.
pub(crate) enum Reaction {
    /// It is not accepted, for this reason.
    Fail(BatchFault),
    /// There is no answer, ever.
    Hang,
    /// It is taken, and the answer comes when it is asked for.
    Hold(Arc<Notify>),
}

impl FakeExecutor {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn then(&self, reaction: Reaction) {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).push_back(reaction);
    }

    /// Every batch that may have been carried out, with its commands' ids.
    pub(crate) fn sent(&self) -> Vec<(Kind, Vec<Uuid>)> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Executor for FakeExecutor {
    fn take<'a>(&'a self, batch: &'a Batch) -> BoxFuture<'a, Result<(), BatchFault>> {
        Box::pin(async move {
            let ids = batch.commands.iter().map(|command| command.id.0).collect();
            let reaction = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let nothing_came_of_it = matches!(
                reaction,
                Some(Reaction::Fail(BatchFault::NotReached(_) | BatchFault::TurnedDown(_)))
            );
            if !nothing_came_of_it {
                self.sent.lock().unwrap_or_else(PoisonError::into_inner).push((batch.kind, ids));
            }
            match reaction {
                None => Ok(()),
                Some(Reaction::Fail(fault)) => Err(fault),
                Some(Reaction::Hang) => std::future::pending().await,
                Some(Reaction::Hold(answer)) => {
                    answer.notified().await;
                    Ok(())
                }
            }
        })
    }
}
