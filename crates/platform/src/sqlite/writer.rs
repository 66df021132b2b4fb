//! The one writer: takes every decision that is waiting, runs them one after the other on a clone of the image,
//! writes once, commits once, publishes the clone and answers all. What fails takes only itself down.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use arc_swap::ArcSwap;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use starkeep_contract::events::NewEvent;
use tokio::sync::{mpsc, oneshot, watch};

use super::{Tables, answers, log};
use crate::decision::{Job, WriteCounts, WriteError};
use crate::events::Log;

/// Bounds the time that the first of a batch waits for the last.
const LARGEST_BATCH: usize = 1024;

pub(super) enum Message<D: Tables> {
    Jobs(Vec<Box<dyn Job<D>>>),
    Chore { work: Chore, reply: oneshot::Sender<Result<(), String>> },
}

/// Housekeeping within a transaction of its own.
type Chore = Box<dyn FnOnce(&Connection) -> rusqlite::Result<()> + Send>;

/// Whether the last attempt to write succeeded, and how much was written.
#[derive(Default)]
pub(super) struct WriterStatus {
    fault: Mutex<Option<String>>,
    written: Mutex<WriteCounts>,
}

impl WriterStatus {
    pub(super) fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn written(&self) -> WriteCounts {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, fault: Option<String>) {
        let mut last = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*last, &fault) {
            (None, Some(fault)) => tracing::error!(%fault, "the storage cannot be written"),
            (Some(_), None) => tracing::info!("the storage can be written again"),
            _ => {}
        }
        *last = fault;
    }

    fn committed(&self, decisions: usize, events: usize) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.commits += 1;
        written.decisions += decisions as u64;
        written.events += events as u64;
        drop(written);
        self.note(None);
    }
}

pub(super) struct Writer<D: Tables> {
    connection: Connection,
    image: Arc<ArcSwap<D::Image>>,
    inbox: mpsc::UnboundedReceiver<Message<D>>,
    log: Arc<Log>,
    committed: watch::Sender<()>,
    health: Arc<WriterStatus>,
}

impl<D: Tables> Writer<D> {
    pub(super) fn start(
        connection: Connection,
        image: Arc<ArcSwap<D::Image>>,
        inbox: mpsc::UnboundedReceiver<Message<D>>,
        (log, committed): (Arc<Log>, watch::Sender<()>),
        health: Arc<WriterStatus>,
    ) -> io::Result<JoinHandle<()>> {
        let mut writer = Self { connection, image, inbox, log, committed, health };
        std::thread::Builder::new().name("store-writer".to_owned()).spawn(move || writer.run())
    }

    /// Ends when the store is dropped and everything that was submitted is done.
    fn run(&mut self) {
        while let Some(first) = self.inbox.blocking_recv() {
            let mut next = Some(first);
            while let Some(message) = next.take() {
                match message {
                    Message::Chore { work, reply } => {
                        let _ = reply.send(self.do_chore(work));
                    }
                    Message::Jobs(jobs) => next = self.do_batch(jobs),
                }
            }
        }
    }

    /// Takes what is waiting behind the jobs; returns a chore that it met, to be done next.
    fn do_batch(&mut self, mut batch: Vec<Box<dyn Job<D>>>) -> Option<Message<D>> {
        let mut met = None;
        while batch.len() < LARGEST_BATCH {
            match self.inbox.try_recv() {
                Ok(Message::Jobs(jobs)) => batch.extend(jobs),
                Ok(chore) => {
                    met = Some(chore);
                    break;
                }
                Err(_) => break,
            }
        }
        self.commit(batch);
        met
    }

    fn commit(&mut self, mut batch: Vec<Box<dyn Job<D>>>) {
        let attempt = catch_unwind(AssertUnwindSafe(|| self.attempt(&mut batch)))
            .unwrap_or_else(|_| Err(WriteError::Broken("a decision panicked".to_owned())));
        match attempt {
            // One of them is at fault. Alone, each of the others succeeds.
            Err(WriteError::Broken(_)) if batch.len() > 1 => {
                for job in batch {
                    self.commit(vec![job]);
                }
            }
            outcome => {
                if let Err(WriteError::Broken(fault)) = &outcome {
                    tracing::error!(%fault, "the store refused a change that the rules allowed");
                }
                for job in batch {
                    job.finish(outcome.clone());
                }
            }
        }
    }

    fn attempt(&mut self, batch: &mut [Box<dyn Job<D>>]) -> Result<(), WriteError> {
        match Self::write(&mut self.connection, &self.image.load(), self.log.head(), batch) {
            Ok(None) => Ok(()),
            Ok(Some((image, events))) => {
                self.image.store(Arc::new(image));
                self.health.committed(batch.len(), events.len());
                self.log.append(events);
                self.committed.send_replace(());
                Ok(())
            }
            Err(fault) if fault.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                Err(WriteError::Broken(fault.to_string()))
            }
            Err(fault) => {
                self.health.note(Some(fault.to_string()));
                Err(WriteError::Unavailable(fault.to_string()))
            }
        }
    }

    /// Runs and writes the batch; `None` if every decision was a rejection.
    fn write(
        connection: &mut Connection,
        published: &D::Image,
        head: u64,
        batch: &mut [Box<dyn Job<D>>],
    ) -> rusqlite::Result<Option<(D::Image, Vec<NewEvent>)>> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut image = published.clone();
        let mut changes = Vec::with_capacity(batch.len());
        let mut events = Vec::new();
        for job in batch {
            for key in job.keys() {
                D::fetch(&transaction, key, &mut image)?;
            }
            let Some(writes) = job.decide(&image) else { continue };
            D::absorb(&mut image, &writes.change);
            events.extend(writes.events);
            if let Some((ticket, answer)) = &writes.answer {
                answers::keep(&transaction, ticket, answer)?;
            }
            changes.push(writes.change);
        }
        if changes.is_empty() {
            return Ok(None);
        }
        log::append(&transaction, head, &events)?;
        D::save(&transaction, &changes)?;
        transaction.commit()?;
        D::evict(&mut image);
        Ok(Some((image, events)))
    }

    fn do_chore(&mut self, chore: Chore) -> Result<(), String> {
        let outcome = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            chore(&transaction)?;
            transaction.commit()
        })();
        let outcome = outcome.map_err(|fault: rusqlite::Error| fault.to_string());
        self.health.note(outcome.clone().err());
        outcome
    }
}
