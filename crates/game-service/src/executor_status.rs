//! How the executors are, as far as the last batch and the last probe show: for `/health`, and for what may be sent to them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use starkeep_game_core::ExecutorKind;
use tokio::sync::watch;

use crate::ports::{BatchFault, ExecutorHealth, Taken};

#[derive(Default)]
pub(crate) struct ExecutorStatus {
    trading: Mutex<Contact>,
    robots: Mutex<Contact>,
    /// Somebody has said how it is.
    answers: watch::Sender<()>,
}

/// What contacts with one executor have shown.
#[derive(Clone, Debug, Default)]
struct Contact {
    /// Why it was not reached, or what it said is wrong with it, the last time.
    unavailable: Option<String>,
    /// Why it refused the last batch.
    refused: Option<String>,
    /// What it last said of itself; none while it never answered.
    executes_once: Option<bool>,
}

impl ExecutorStatus {
    pub(crate) fn record_batch(&self, executor: ExecutorKind, outcome: &Result<Taken, BatchFault>) {
        let mut contact = self.contact(executor);
        (contact.unavailable, contact.refused) = match outcome {
            Ok(_) => (None, None),
            Err(fault @ BatchFault::TurnedDown(_)) => (None, Some(fault.to_string())),
            Err(fault) => (Some(fault.to_string()), None),
        };
    }

    /// That it refused the last batch stands until the next one.
    pub(crate) fn record_probe(&self, executor: ExecutorKind, outcome: &Result<ExecutorHealth, String>) {
        let mut contact = self.contact(executor);
        match outcome {
            Ok(health) => {
                contact.unavailable.clone_from(&health.fault);
                contact.executes_once = Some(health.executes_once);
            }
            Err(fault) => contact.unavailable = Some(fault.clone()),
        }
        drop(contact);
        self.answers.send_replace(());
    }

    /// What is wrong with it, if anything is.
    pub(crate) fn fault(&self, executor: ExecutorKind) -> Option<String> {
        let contact = self.contact(executor);
        let refused = contact.refused.as_ref().map(|fault| format!("did not accept the last batch: {fault}"));
        contact.unavailable.as_ref().map(|fault| format!("is unavailable: {fault}")).or(refused)
    }

    /// Has it said of itself that it carries a batch out once, however often it comes? One that never answered has not.
    pub(crate) fn executes_once(&self, executor: ExecutorKind) -> bool {
        self.said(executor) == Some(true)
    }

    /// What it last said of that; none while it never answered.
    pub(crate) fn said(&self, executor: ExecutorKind) -> Option<bool> {
        self.contact(executor).executes_once
    }

    /// Returns when it has said so, as ours do. Those of the existing stack have no event stream.
    pub(crate) async fn until_executes_once(&self, executor: ExecutorKind) {
        self.until(|| self.executes_once(executor)).await;
    }

    /// Returns when the condition holds; it is looked at again whenever an executor has answered.
    pub(crate) async fn until(&self, condition: impl Fn() -> bool) {
        // The sender does not go away before this does.
        let _ = self.answers.subscribe().wait_for(|()| condition()).await;
    }

    fn contact(&self, executor: ExecutorKind) -> MutexGuard<'_, Contact> {
        let contact = match executor {
            ExecutorKind::Trading => &self.trading,
            ExecutorKind::Robots => &self.robots,
        };
        contact.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
