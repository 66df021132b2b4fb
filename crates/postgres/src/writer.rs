//! The writer: a task that takes every job that is waiting and commits them together, under the lock that all replicas of the
//! service share. How a batch is run is in the platform's `batch`; here it becomes durable.
//!
//! A batch takes two round trips. The first one begins a transaction, takes the lock, and asks what was committed since, who
//! leads, and what the jobs need; jobs that arrive meanwhile come along. Then everything is decided on an image that nobody else
//! can change. The second one writes the rows, the events and the entry of the change log, and commits. Since the lock is held
//! until the commit is over, the order of the numbers in both logs is the order in which they become visible.
//!
//! A replica that is alone takes one: it decides on what it has, and the transaction fails if anybody was there meanwhile (`optimistic`).
//!
//! If the answer to a COMMIT is lost, the entry of the change log tells: whoever has the lock knows that the transaction before is
//! over, and finds its batch id or does not.

mod begun;
mod lost_commit;
mod optimistic;

use std::collections::VecDeque;
use std::sync::Arc;

use starkeep_platform::batch::{self, Attempt, BatchWrites};
use starkeep_platform::chance::Chance;
use starkeep_platform::change_log::{self, Place};
use starkeep_platform::decision::{Job, StoreFault};
use starkeep_platform::lease::Epoch;
use starkeep_platform::sql::{PostgresTables, SqlFault, Work, WriterStatus, answers};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use self::begun::{Begun, Wanted};
use crate::connect::{Connector, Notice, Purpose};
use crate::connection::Session;
use crate::log;
use crate::pipeline::{CommitFault, Pipeline};
use crate::replica::Replica;
use crate::values::Parameter;

/// Bounds the time that the first of a batch waits for the last.
const LARGEST_BATCH: usize = 1024;

const LOG_CHANGES: &str =
    "INSERT INTO change_log (number, batch, writer, changes, last_event) VALUES (?1, ?2, ?3, ?4, ?5)";

pub(crate) enum Message<D: PostgresTables> {
    Jobs(Vec<Box<dyn Job<D>>>),
    /// Work within a transaction of its own.
    Maintenance {
        epoch: Option<Epoch>,
        work: Work,
        reply: oneshot::Sender<Result<(), StoreFault>>,
    },
}

pub(crate) struct Writer<D: PostgresTables> {
    pub(crate) connector: Connector,
    pub(crate) replica: Arc<Replica<D>>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) status: Arc<WriterStatus>,
    pub(crate) inbox: mpsc::UnboundedReceiver<Message<D>>,
    /// Taken from the inbox, and not done yet.
    pub(crate) waiting: VecDeque<Message<D>>,
    /// `None` before the first batch, and after a fault.
    pub(crate) session: Option<Session>,
    /// A transaction that holds the lock already, for the next attempt.
    begun: Option<Begun<D>>,
    /// Whether one may be open: a decision that panicked leaves it behind.
    in_transaction: bool,
    /// The epoch of the lease and who holds it, as it was in the last transaction that asked.
    leading: Option<(Epoch, Option<Uuid>)>,
    /// How many jobs the last batch had.
    last_batch: usize,
}

/// A batch's entry in the change log.
struct Entry {
    place: Place,
    /// The values of its columns.
    values: Vec<Parameter>,
}

impl<D: PostgresTables> Writer<D> {
    pub(crate) fn new(
        connector: Connector,
        replica: Arc<Replica<D>>,
        chance: Arc<dyn Chance>,
        status: Arc<WriterStatus>,
        inbox: mpsc::UnboundedReceiver<Message<D>>,
    ) -> Self {
        let waiting = VecDeque::new();
        Self {
            connector,
            replica,
            chance,
            status,
            inbox,
            waiting,
            session: None,
            begun: None,
            in_transaction: false,
            leading: None,
            last_batch: 0,
        }
    }

    /// Ends when the store is dropped and everything that was submitted is done.
    pub(crate) async fn run(mut self) {
        while let Some(message) = self.next().await {
            match message {
                Message::Maintenance { epoch, work, reply } => {
                    let _ = reply.send(self.maintain(epoch, work).await);
                }
                Message::Jobs(jobs) => self.run_batch(jobs).await,
            }
        }
    }

    async fn next(&mut self) -> Option<Message<D>> {
        match self.waiting.pop_front() {
            Some(message) => Some(message),
            None => self.inbox.recv().await,
        }
    }

    async fn run_batch(&mut self, mut jobs: Vec<Box<dyn Job<D>>>) {
        self.take_waiting(&mut jobs);
        let (connector, replica) = (self.connector.clone(), self.replica.clone());
        let turn = match replica.turn(&connector).await {
            Ok(turn) => turn,
            Err(fault) => return self.turn_away(jobs, &fault),
        };
        let wanted = Wanted::<D>::of(&replica.published.image(), &jobs);
        if !self.may_write_optimistically(&wanted, jobs.len()) {
            match self.begin(wanted).await {
                // Whoever has arrived meanwhile comes along.
                Ok(begun) => self.begun = Some(begun),
                Err(fault) => return self.turn_away(jobs, &fault),
            }
            self.take_waiting(&mut jobs);
        }
        self.last_batch = jobs.len();
        batch::execute(jobs, self).await;
        if self.in_transaction {
            // A decision that panicked has left it behind. Whether that fails is told by the next batch.
            let _ = self.roll_back().await;
        }
        drop(turn);
        if let Some(session) = self.session.as_ref().filter(|_| !self.replica.living.is_alone()) {
            // Only a hint, so nobody waits for it. It is sent before the next batch is begun.
            let told = session.client.batch_execute(self.connector.notify(Notice::Changes));
            tokio::pin!(told);
            let _ = futures::poll!(told);
        }
    }

    /// PostgreSQL is away: nobody who waits already is made to wait for it as well.
    fn turn_away(&mut self, jobs: Vec<Box<dyn Job<D>>>, fault: &SqlFault) {
        let fault = self.failed(fault);
        let mut next = Some(Message::Jobs(jobs));
        while let Some(message) = next {
            match message {
                Message::Jobs(jobs) => jobs.into_iter().for_each(|job| job.finish(Err(fault.clone()))),
                Message::Maintenance { reply, .. } => drop(reply.send(Err(fault.clone()))),
            }
            next = self.waiting.pop_front().or_else(|| self.inbox.try_recv().ok());
        }
    }

    /// Takes what is waiting behind the jobs, up to a message of another kind.
    fn take_waiting(&mut self, jobs: &mut Vec<Box<dyn Job<D>>>) {
        while jobs.len() < LARGEST_BATCH {
            match self.waiting.pop_front().or_else(|| self.inbox.try_recv().ok()) {
                Some(Message::Jobs(more)) => jobs.extend(more),
                Some(other) => return self.waiting.push_front(other),
                None => return,
            }
        }
    }

    /// Opens a session anew after a fault: only for whoever begins a transaction. Within one a session that is lost has failed.
    async fn connect(&mut self) -> Result<(), SqlFault> {
        if !self.session.as_ref().is_some_and(Session::is_open) {
            (self.session, self.in_transaction) = (None, false);
            self.session = Some(self.connector.open(Purpose::Writing).await?);
        }
        Ok(())
    }

    /// The session of the transaction that is open.
    fn session(&self) -> Result<&Session, SqlFault> {
        let lost = || SqlFault::Unavailable("the connection was lost".to_owned());
        self.session.as_ref().filter(|session| session.is_open()).ok_or_else(lost)
    }

    /// Nothing was changed. Whatever the session was doing is over with it.
    fn failed(&mut self, fault: &SqlFault) -> StoreFault {
        (self.session, self.in_transaction) = (None, false);
        if let SqlFault::DiskFull(fault) = fault {
            self.status.record_full_disk(fault, None);
            return StoreFault::DiskFull(fault.clone());
        }
        self.status.record(Some(fault.to_string()));
        StoreFault::Unavailable(fault.to_string())
    }

    async fn write(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        let replica = self.replica.clone();
        let mut begun = if let Some(begun) = self.begun.take() {
            begun
        } else {
            let wanted = Wanted::<D>::of(&replica.published.image(), jobs);
            if self.may_write_optimistically(&wanted, jobs.len())
                && let Some(outcome) = self.write_optimistically(jobs).await
            {
                return outcome;
            }
            self.begin(wanted).await.map_err(|fault| self.failed(&fault))?
        };
        let wanted = begun.still_wanted(&replica.published.image(), jobs);
        self.find(&mut begun, wanted).await.map_err(|fault| self.failed(&fault))?;
        let lease = begun.lease_of(replica.id);
        // Only the decision at fault: one that needs what cannot be read.
        let image =
            begun.image_for(&replica, jobs).map_err(|fault| StoreFault::Refused(fault.to_string()))?;
        match batch::decide(image, jobs, lease) {
            None => self.roll_back().await,
            Some(writes) => self.commit(writes).await,
        }
    }

    /// Puts the batch behind what the pipeline has already, all but its entry in the change log.
    fn save(&self, pipeline: &mut Pipeline, writes: &BatchWrites<D>) -> Result<Entry, StoreFault> {
        let head = self.replica.published.log().head();
        let saved = (|| {
            let documents = writes.documents.as_ref().map_err(|bound| SqlFault::Constraint(bound.clone()))?;
            for (claim, answer) in &writes.answers {
                answers::put(pipeline, claim, answer)?;
            }
            D::save(pipeline, &writes.changes, documents)?;
            log::append(pipeline, head, &writes.events)
        })();
        saved.map_err(|fault: SqlFault| StoreFault::Refused(fault.to_string()))?;
        let place = Place { number: self.replica.place().number + 1, batch: self.chance.uuid() };
        let values = vec![
            Parameter::Integer(place.number.cast_signed()),
            Parameter::Uuid(place.batch),
            Parameter::Uuid(self.replica.id.0),
            Parameter::Text(change_log::encode::<D>(&writes.changes)),
            Parameter::Integer((head + writes.events.len() as u64).cast_signed()),
        ];
        Ok(Entry { place, values })
    }

    fn committed(&mut self, writes: BatchWrites<D>, place: Place) {
        self.in_transaction = false;
        self.status.record_batch();
        self.replica.published.publish(writes);
        self.replica.move_to(place);
    }

    async fn find(&mut self, begun: &mut Begun<D>, wanted: Wanted<D>) -> Result<(), SqlFault> {
        let (connector, replica) = (self.connector.clone(), self.replica.clone());
        let session = self.session()?;
        connector.in_time(begun.find(session, &replica, wanted)).await
    }

    async fn commit(&mut self, writes: BatchWrites<D>) -> Result<(), StoreFault> {
        let connector = self.connector.clone();
        let mut pipeline = Pipeline::default();
        let Entry { place, values } = self.save(&mut pipeline, &writes)?;
        pipeline.push(LOG_CHANGES, values);
        let committed = match self.session() {
            Ok(session) => connector.in_time(pipeline.commit(session)).await,
            Err(fault) => Err(CommitFault::Before(fault)),
        };
        match committed {
            Ok(()) => {
                self.committed(writes, place);
                Ok(())
            }
            Err(CommitFault::Before(SqlFault::Constraint(fault))) => {
                self.roll_back().await?;
                Err(StoreFault::Refused(fault))
            }
            Err(CommitFault::Before(fault)) => Err(self.failed(&fault)),
            Err(CommitFault::Unanswered(fault)) => self.find_out(place, &fault).await,
        }
    }

    async fn roll_back(&mut self) -> Result<(), StoreFault> {
        let rolled_back = match self.session() {
            Ok(session) => self.connector.in_time(session.control("ROLLBACK")).await,
            Err(fault) => Err(fault),
        };
        match rolled_back {
            Ok(()) => {
                self.in_transaction = false;
                Ok(())
            }
            Err(fault) => Err(self.failed(&fault)),
        }
    }

    async fn maintain(&mut self, epoch: Option<Epoch>, work: Work) -> Result<(), StoreFault> {
        let (connector, replica) = (self.connector.clone(), self.replica.clone());
        let _turn = replica.turn(&connector).await?;
        let begun = match self.begin(Wanted::nothing()).await {
            Ok(begun) => begun,
            Err(fault) => {
                self.turn_away(Vec::new(), &fault);
                return Err(fault.into());
            }
        };
        if let Some(epoch) = epoch.filter(|epoch| begun.lease_of(replica.id) != Some(*epoch)) {
            self.roll_back().await?;
            return Err(StoreFault::passed_on(epoch));
        }
        let committed = match self.session() {
            Ok(session) => match connector.in_time(work(session)).await {
                Ok(()) => connector.in_time(Pipeline::default().commit(session)).await,
                Err(fault) => Err(CommitFault::Before(fault)),
            },
            Err(fault) => Err(CommitFault::Before(fault)),
        };
        match committed {
            Ok(()) => {
                self.in_transaction = false;
                self.status.record(None);
                Ok(())
            }
            Err(CommitFault::Before(fault)) => Err(self.failed(&fault)),
            Err(CommitFault::Unanswered(fault)) => {
                self.failed(&fault);
                Err(StoreFault::Unknown(fault.to_string()))
            }
        }
    }
}

impl<D: PostgresTables> Attempt<D> for Writer<D> {
    async fn attempt(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        self.write(jobs).await
    }
}
