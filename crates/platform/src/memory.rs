//! The in-memory store: what a simulation and most service tests run on. It is synchronous: a decision is made, saved and
//! published before `submit` returns, so a whole service can run in one thread. And it is suspicious:
//!
//! - It makes every decision twice, with clock and chance moved on in between, and compares: a decision that draws an id or
//!   reads a clock comes to something else the second time.
//! - What was evicted from memory it shows only to a decision that declared the key; nothing is left over from another
//!   decision's keys.
//! - It follows its own changes in their serialised form with a second image, and compares that with the published one and,
//!   now and then, with what `load` reads: an `absorb` or a codec that forgets a field is noticed.
//!
//! Whoever is caught gets `StoreFault::Refused` with what was found, and nothing of it is kept.
//!
//! Several replicas can share it ([`Memory::another`]), as they share a database: each has an image of its own, which is moved by
//! the serialised changes of the others (`change_log`). They follow at once, unless a test makes one lag behind. For a simulation
//! it stands for a database behind a network ([`Memory::another_under`]).

mod common;
mod conditions;
mod documents;
mod lease_row;
mod remote;
mod replicas;
mod tables;

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use jiff::Timestamp;
use tokio::sync::watch;

pub use self::conditions::{CommitFate, Conditions, PlantedBug};
use self::lease_row::LeaseRows;
pub use self::lease_row::MemoryLease;
use self::remote::Remote;
use self::replicas::Replica;
pub use self::tables::MemoryTables;
use crate::answer::Answer;
use crate::batch::{self, Attempt, BatchWrites};
use crate::change_log::{LoggedBatch, Place};
use crate::decision::{DecisionQueue, Job, JobWrites, StoreFault};
use crate::document_writes::DocumentWrites;
use crate::documents::{Document, Question};
use crate::domain::{Domain, Interest};
use crate::events::{CommittedEvent, Log};
use crate::idempotency::{KeyClaim, RequestKey};
use crate::lease::{Epoch, Lease};
use crate::replica::ReplicaId;
use crate::sql::at_once;
use crate::store::{CommonStore, Fresh, Store};

/// After so many commits the image is compared with what `load` reads.
const LOADED_EVERY: u64 = 64;

/// Moves clock and chance on while a decision is made a second time, and back afterwards.
pub type Disturbance = Arc<dyn Fn(bool) + Send + Sync>;

/// One replica's store. The replicas that were made by [`Memory::another`] share everything that is durable.
pub struct Memory<D: MemoryTables> {
    shared: Arc<Shared<D>>,
    own: Arc<Replica<D>>,
    lease: Lease,
    replica: ReplicaId,
    /// None: what is asked of the store happens at once.
    remote: Option<Remote<D>>,
}

struct Shared<D: MemoryTables> {
    rows: Mutex<Rows<D>>,
    events: Arc<Mutex<Vec<Arc<CommittedEvent>>>>,
    living: Mutex<HashSet<ReplicaId>>,
    replicas: Mutex<Vec<Weak<Replica<D>>>>,
    departures: watch::Sender<()>,
    lease_rows: Mutex<LeaseRows>,
    /// Changes when the lease was handed over.
    handed_over: watch::Sender<()>,
    /// There are several, or there will be.
    has_several: AtomicBool,
    disturb: Disturbance,
}

/// Everything that a database would keep, and the image that follows the changes.
struct Rows<D: MemoryTables> {
    tables: D::Tables,
    follower: D::Image,
    change_log: Vec<LoggedBatch>,
    answers: Vec<(RequestKey, [u8; 32], Timestamp, Answer)>,
    relayed: Option<u64>,
    /// The next attempts to write fail like this, the last one first.
    faults: Vec<StoreFault>,
    refusals: Vec<String>,
    commits: u64,
}

impl<D: MemoryTables> Memory<D> {
    pub fn new(replica: ReplicaId, disturb: Disturbance) -> Arc<Self> {
        let tables = D::Tables::default();
        let image = D::load(&tables);
        let log = Log::open(1, 1, 0, Vec::new());
        let own = Arc::new(Replica::new(replica, None, image.clone(), log, Place::default()));
        let shared = Shared {
            rows: Mutex::new(Rows {
                tables,
                follower: image,
                change_log: Vec::new(),
                answers: Vec::new(),
                relayed: None,
                faults: Vec::new(),
                refusals: Vec::new(),
                commits: 0,
            }),
            events: Arc::default(),
            living: Mutex::new(HashSet::from([replica])),
            replicas: Mutex::new(vec![Arc::downgrade(&own)]),
            departures: watch::Sender::default(),
            lease_rows: Mutex::default(),
            handed_over: watch::Sender::default(),
            has_several: AtomicBool::new(false),
            disturb,
        };
        Arc::new(Self { shared: Arc::new(shared), own, lease: Lease::held(), replica, remote: None })
    }

    /// This replica counts as dead from now on, as one does that has not shown any life for a while. It may live all the
    /// same.
    pub fn presume_dead(&self) {
        self.take_lease_away();
        self.living().remove(&self.replica);
        self.shared.departures.send_replace(());
    }

    /// Asks the tables.
    pub fn read<T>(&self, question: impl FnOnce(&D::Tables) -> T) -> T {
        question(&self.rows().tables)
    }

    /// Changes the tables beside any decision, as maintenance does.
    pub fn maintain<T>(
        &self,
        epoch: Option<Epoch>,
        work: impl FnOnce(&mut D::Tables) -> T,
    ) -> Result<T, StoreFault> {
        let mut rows = self.writable(epoch)?;
        Ok(work(&mut rows.tables))
    }

    /// The next attempt to write fails.
    pub fn fail_next(&self, fault: StoreFault) {
        self.rows().faults.insert(0, fault);
    }

    /// Another replica leads from now on; what this one's tasks still write is refused.
    pub fn take_lease_away(&self) {
        self.lease.set(None);
    }

    /// This replica leads again, in a later epoch.
    pub fn give_lease(&self, epoch: Epoch) {
        self.lease.set(Some(epoch));
    }

    /// Does a new process load what this one has published?
    pub fn verify(&self) -> Result<(), StoreFault> {
        equal(
            "the loaded image",
            &D::load(&self.rows().tables),
            "the published one",
            &*self.own.published.image(),
        )
    }

    fn living(&self) -> MutexGuard<'_, HashSet<ReplicaId>> {
        self.shared.living.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rows(&self) -> MutexGuard<'_, Rows<D>> {
        self.shared.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writable(&self, epoch: Option<Epoch>) -> Result<MutexGuard<'_, Rows<D>>, StoreFault> {
        if let Some(epoch) = epoch.filter(|epoch| self.leading_epoch() != Some(*epoch)) {
            return Err(StoreFault::passed_on(epoch));
        }
        let mut rows = self.rows();
        match rows.faults.pop() {
            Some(fault) => Err(fault),
            None => Ok(rows),
        }
    }

    /// One job at a time: each sees what it declared and nothing that another one brought into memory.
    fn write(&self, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        let epoch = jobs.first().and_then(|job| job.epoch());
        let mut rows = self.writable(None)?;
        let Some(Prepared { mut image, change, events, answer }) = self.prepare(&rows, jobs)? else {
            return Ok(());
        };
        let before = image.clone();
        D::absorb(&mut image, &change);
        let documents = D::documents(&before, &image, std::slice::from_ref(&change));
        let documents = documents.map_err(StoreFault::Refused)?;
        D::evict(&mut image);
        let follower = rows.follow(&change)?;
        equal("the image that follows the changes", &follower, "the published one", &image)?;
        D::save(&mut rows.tables, &change, &documents).map_err(StoreFault::Refused)?;
        rows.follower = follower;
        rows.commits += 1;
        if rows.commits.is_multiple_of(LOADED_EVERY) {
            equal("the loaded image", &D::load(&rows.tables), "the published one", &image)?;
        }
        rows.refusals.extend(epoch.and_then(|epoch| self.overtaken(epoch)));
        rows.keep_answer(answer.as_ref());
        self.keep(&events);
        let changes = vec![change];
        self.log_changes(&mut rows, &changes);
        let answers = answer.into_iter().collect();
        self.own.published.publish(BatchWrites { image, changes, documents: Ok(documents), events, answers });
        drop(rows);
        self.tell_others();
        Ok(())
    }

    /// Makes the decision on the newest image, twice; none where nothing is to be written.
    fn prepare(
        &self,
        rows: &Rows<D>,
        jobs: &mut [Box<dyn Job<D>>],
    ) -> Result<Option<Prepared<D>>, StoreFault> {
        let [job] = jobs else {
            return Err(StoreFault::Refused("this store makes one decision at a time".to_owned()));
        };
        self.follow_on(rows)?;
        let mut image = D::Image::clone(&self.own.published.image());
        job.keys().iter().for_each(|key| D::fetch(&rows.tables, key, &mut image));
        let finds_answers = !self.has(PlantedBug::AnswersForgotten);
        if job.claim().is_some_and(|claim| finds_answers && rows.keeps_answer_to(claim)) {
            job.answered_elsewhere();
        }
        if !job.is_due(self.leading_epoch()) {
            return Ok(None);
        }
        let first = job.decide(&image);
        (self.shared.disturb)(true);
        let second = job.decide(&image);
        (self.shared.disturb)(false);
        same(first.as_ref(), second.as_ref())?;
        Ok(second.map(|JobWrites { change, events, answer }| Prepared { image, change, events, answer }))
    }

    /// What a planted bug leaves behind of a batch that came to nothing.
    fn leave_planted_traces(&self, jobs: &mut [Box<dyn Job<D>>]) {
        let Some(planted) = self.own.planted else { return };
        let mut rows = self.rows();
        let Ok(Some(Prepared { mut image, change, events, answer })) = self.prepare(&rows, jobs) else {
            return;
        };
        match planted {
            PlantedBug::AbsorbBeforeCommit => {
                D::absorb(&mut image, &change);
                D::evict(&mut image);
                let changes = vec![change];
                let (documents, events, answers) = (Ok(DocumentWrites::default()), Vec::new(), Vec::new());
                self.own.published.publish(BatchWrites { image, changes, documents, events, answers });
            }
            PlantedBug::AnswerBeforeCommit => rows.keep_answer(answer.as_ref()),
            PlantedBug::EventsBeforeCommit => {
                D::evict(&mut image);
                self.keep(&events);
                self.log_changes(&mut rows, &[]);
                let (changes, documents, answers) = (Vec::new(), Ok(DocumentWrites::default()), Vec::new());
                self.own.published.publish(BatchWrites { image, changes, documents, events, answers });
            }
            _ => {}
        }
    }

    fn keep(&self, events: &[starkeep_contract::events::NewEvent]) {
        let head = self.own.published.log().head();
        let mut kept = self.shared.events.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(
            (head + 1..)
                .zip(events)
                .map(|(number, event)| Arc::new(CommittedEvent::new(number, event.clone()))),
        );
    }
}

/// A decision that was made: what it writes, and the image that it was made on.
struct Prepared<D: MemoryTables> {
    image: D::Image,
    change: D::Change,
    events: Vec<starkeep_contract::events::NewEvent>,
    answer: Option<(Arc<KeyClaim>, Answer)>,
}

impl<D: MemoryTables> Rows<D> {
    fn keep_answer(&mut self, answer: Option<&(Arc<KeyClaim>, Answer)>) {
        self.answers.extend(answer.map(|(claim, answer)| {
            (claim.request_key.clone(), claim.body_digest, claim.claimed_at, answer.clone())
        }));
    }

    fn keeps_answer_to(&self, claim: &KeyClaim) -> bool {
        self.answers.iter().any(|(key, ..)| *key == claim.request_key)
    }

    /// The following image after the change, of which it is given the serialised form only.
    fn follow(&self, change: &D::Change) -> Result<D::Image, StoreFault> {
        let change = D::decode(&D::encode(change)).map_err(|fault| StoreFault::Refused(fault.to_string()))?;
        let mut follower = self.follower.clone();
        for key in D::needed_by(&change) {
            D::fetch(&self.tables, &key, &mut follower);
        }
        D::absorb(&mut follower, &change);
        D::evict(&mut follower);
        Ok(follower)
    }
}

fn same<D: Domain>(first: Option<&JobWrites<D>>, second: Option<&JobWrites<D>>) -> Result<(), StoreFault> {
    let parts = |writes: Option<&JobWrites<D>>| {
        writes.map(|writes| {
            let answer = writes.answer.as_ref().map(|(_, answer)| answer.clone());
            (writes.change.clone(), writes.events.clone(), answer)
        })
    };
    equal("what a decision came to", &parts(first), "what it came to when it was made again", &parts(second))
}

fn equal<T: std::fmt::Debug + PartialEq>(
    one: &str,
    left: &T,
    other: &str,
    right: &T,
) -> Result<(), StoreFault> {
    if left == right {
        return Ok(());
    }
    let (left, right) = (format!("{left:#?}"), format!("{right:#?}"));
    let first = left.lines().zip(right.lines()).take_while(|(left, right)| left == right).count();
    let part = |text: &str| -> String {
        let lines = text.lines().skip(first.saturating_sub(LINES_BEFORE)).take(LINES_SHOWN);
        lines.flat_map(|line| ["\n  ", line]).collect()
    };
    let (left, right) = (part(&left), part(&right));
    Err(StoreFault::Refused(format!("{one} differs from {other}, from line {first} on:{left}\nand{right}")))
}

/// Of what differs so many lines are shown, some of them before the difference.
const LINES_SHOWN: usize = 40;
const LINES_BEFORE: usize = 20;

impl<D: MemoryTables> DecisionQueue<D> for Memory<D> {
    fn submit(&self, jobs: Vec<Box<dyn Job<D>>>) {
        if let Some(remote) = &self.remote {
            // Of a replica whose writer has ended nobody waits for the answer.
            let _ = remote.waiting.send(jobs);
            return;
        }
        for job in jobs {
            at_once(batch::execute(vec![job], &mut &*self));
        }
    }
}

impl<D: MemoryTables> Attempt<D> for &Memory<D> {
    async fn attempt(&mut self, jobs: &mut [Box<dyn Job<D>>]) -> Result<(), StoreFault> {
        self.write(jobs)
    }
}

impl<D: MemoryTables> Store<D> for Memory<D> {
    fn image(&self) -> Arc<D::Image> {
        self.own.published.image()
    }

    fn fresh(&self) -> Fresh<D::Image> {
        if let Some(remote) = &self.remote {
            if self.has(PlantedBug::StaleReads) {
                return Fresh::Ready(self.own.published.image());
            }
            let (asked, shared, own) = (remote.conditions.ask(), self.shared.clone(), self.own.clone());
            let fresh = async move {
                asked.await?;
                shared.follow(&own)?;
                Ok(own.published.image())
            };
            return Fresh::Waiting(fresh.boxed());
        }
        match self.follow() {
            Ok(()) => Fresh::Ready(self.own.published.image()),
            Err(fault) => Fresh::Waiting(ready(Err(fault)).boxed()),
        }
    }

    fn ask(&self, questions: Vec<Question>) -> BoxFuture<'_, Result<Vec<Vec<Document>>, String>> {
        async move {
            if let Some(remote) = &self.remote {
                remote.conditions.ask().await.map_err(|fault| fault.to_string())?;
            }
            Ok(self.read(|tables| questions.iter().map(|question| D::ask(tables, question)).collect()))
        }
        .boxed()
    }

    fn commits(&self, interest: Interest) -> watch::Receiver<()> {
        self.own.published.commits(interest)
    }

    fn common(self: Arc<Self>) -> Arc<dyn CommonStore> {
        self
    }
}
