//! The one writer: a thread that owns the only connection that writes, takes every job that is waiting, and commits them
//! together. How a batch is run is in `batch`; here it becomes durable.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::checkpoint::Checkpoints;
use super::connection::{SqliteConnection, SqliteStatements};
use super::log;
use super::transaction::Transaction;
use crate::batch::{self, Attempt, BatchWrites};
use crate::decision::{Job, StoreFault};
use crate::disk_log;
use crate::lease::{Epoch, Lease};
use crate::published::Published;
use crate::sql::{SqlFault, SqlTables, Work, WriterStatus, answers, at_once};

/// Bounds the time that the first of a batch waits for the last.
const LARGEST_BATCH: usize = 1024;

pub(super) enum Message<D: SqlTables> {
    Jobs(Vec<Box<dyn Job<D>>>),
    /// Work within a transaction of its own.
    Maintenance {
        epoch: Option<Epoch>,
        work: Work,
        reply: oneshot::Sender<Result<(), StoreFault>>,
    },
}

pub(super) struct Writer<D: SqlTables> {
    /// Dropped before the connection, which is to be the last one.
    pub(super) checkpoints: Checkpoints,
    pub(super) connection: SqliteConnection,
    /// The database's. Dropped after the connection.
    pub(super) file: Arc<File>,
    pub(super) published: Arc<Published<D>>,
    pub(super) cache: Arc<D::Cache>,
    pub(super) inbox: mpsc::UnboundedReceiver<Message<D>>,
    pub(super) status: Arc<WriterStatus>,
    pub(super) lease: Arc<Lease>,
}

impl<D: SqlTables> Writer<D> {
    pub(super) fn start(mut self) -> io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name("store-writer".to_owned()).spawn(move || self.run())
    }

    /// Ends when the store is dropped and everything that was submitted is done.
    fn run(&mut self) {
        while let Some(first) = self.inbox.blocking_recv() {
            let mut next = Some(first);
            while let Some(message) = next.take() {
                match message {
                    Message::Maintenance { epoch, work, reply } => {
                        let _ = reply.send(self.maintain(epoch, work));
                    }
                    Message::Jobs(jobs) => next = self.run_batch(jobs),
                }
                self.checkpoints.step(&self.connection.lock());
            }
        }
    }

    /// Takes what is waiting behind the jobs; returns a message of another kind that it met, to be handled next.
    fn run_batch(&mut self, mut jobs: Vec<Box<dyn Job<D>>>) -> Option<Message<D>> {
        let mut met = None;
        while jobs.len() < LARGEST_BATCH {
            match self.inbox.try_recv() {
                Ok(Message::Jobs(more)) => jobs.extend(more),
                Ok(other) => {
                    met = Some(other);
                    break;
                }
                Err(_) => break,
            }
        }
        at_once(batch::execute(jobs, self));
        met
    }

    fn write(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        match self.commit(jobs) {
            Ok(None) => Ok(()),
            Ok(Some(writes)) => {
                self.status.record_batch();
                self.published.publish(writes);
                Ok(())
            }
            // Only the decision at fault: one that breaks a bound, or needs what cannot be read.
            Err(SqlFault::Constraint(fault) | SqlFault::Unreadable(fault)) => Err(StoreFault::Refused(fault)),
            Err(fault) => Err(self.failed(fault)),
        }
    }

    /// Nothing was changed.
    fn failed(&self, fault: SqlFault) -> StoreFault {
        match fault {
            SqlFault::DiskFull(fault) => self.full(fault),
            fault if disk_log::is_full(&self.file) => self.full(fault.to_string()),
            fault => {
                self.status.record(Some(fault.to_string()));
                StoreFault::Unavailable(fault.to_string())
            }
        }
    }

    fn full(&self, fault: String) -> StoreFault {
        self.status.record_full_disk(&fault, Some(&self.file));
        StoreFault::DiskFull(fault)
    }

    /// Decides and commits; `None` if there is nothing to write.
    fn commit(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> Result<Option<BatchWrites<D>>, SqlFault> {
        let transaction = Transaction::begin(&self.connection)?;
        let mut image = D::Image::clone(&self.published.image());
        for key in jobs.iter().flat_map(|job| job.keys()) {
            if D::lacks(&image, key) {
                at_once(D::find(&self.connection, &self.cache, key))?(&mut image)?;
            }
        }
        let Some(writes) = batch::decide(image, jobs, self.lease.current()) else { return Ok(None) };
        {
            let connection = self.connection.lock();
            let mut rows = SqliteStatements(&connection);
            for (claim, answer) in &writes.answers {
                answers::put(&mut rows, claim, answer)?;
            }
            log::append(&connection, self.published.log().head(), &writes.events)?;
            let documents = writes.documents.as_ref().map_err(|bound| SqlFault::Constraint(bound.clone()))?;
            D::save(&mut rows, &writes.changes, documents)?;
        }
        transaction.commit()?;
        Ok(Some(writes))
    }

    fn maintain(&mut self, epoch: Option<Epoch>, work: Work) -> Result<(), StoreFault> {
        if let Some(epoch) = epoch.filter(|epoch| self.lease.current() != Some(*epoch)) {
            return Err(StoreFault::passed_on(epoch));
        }
        let outcome = (|| {
            let transaction = Transaction::begin(&self.connection)?;
            at_once(work(&self.connection))?;
            Ok(transaction.commit()?)
        })();
        let outcome = outcome.map_err(|fault: SqlFault| self.failed(fault));
        if outcome.is_ok() {
            self.status.record(None);
        }
        outcome
    }
}

impl<D: SqlTables> Attempt<D> for Writer<D> {
    async fn attempt(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        self.write(jobs)
    }
}
