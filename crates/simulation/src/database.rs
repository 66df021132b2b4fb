//! How the replicas reach their database: with delays, and in a state that faults change.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use starkeep_clock::Monotonic;
use starkeep_fault_harness::Chance;
use starkeep_platform::decision::StoreFault;
use starkeep_platform::memory::{CommitFate, Conditions, PlantedBug};

use crate::process::Process;
use crate::time::SimulatedTime;

/// So long an exchange takes, in microseconds.
const USUAL: std::ops::RangeInclusive<u64> = 100..=2_000;
/// A database that does not answer is given up after this long.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFault {
    /// Half of all exchanges fail.
    Failing,
    /// Nothing is answered.
    Silent,
    /// Each exchange takes longer by so much.
    Slow(Duration),
    /// The answers of half of all commits are lost.
    LosingCommits,
}

/// The way from one place of a replica to the database. It outlives the process that runs there.
#[derive(Default)]
pub(crate) struct DatabaseLink(Mutex<Option<DatabaseFault>>);

impl DatabaseLink {
    pub(crate) fn set(&self, fault: Option<DatabaseFault>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    fn fault(&self) -> Option<DatabaseFault> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The database as one process reaches it. Clones are the same.
#[derive(Clone)]
pub(crate) struct DatabaseConnection(Arc<Inner>);

struct Inner {
    time: Arc<SimulatedTime>,
    process: Process,
    link: Arc<DatabaseLink>,
    chance: Mutex<Chance>,
    planted: Option<PlantedBug>,
}

impl DatabaseConnection {
    pub(crate) fn new(
        time: Arc<SimulatedTime>,
        process: Process,
        link: Arc<DatabaseLink>,
        chance: Chance,
        planted: Option<PlantedBug>,
    ) -> Self {
        Self(Arc::new(Inner { time, process, link, chance: Mutex::new(chance), planted }))
    }
}

impl Inner {
    fn chance(&self) -> MutexGuard<'_, Chance> {
        self.chance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One way; the fault that it met.
    async fn travel(&self) -> Option<DatabaseFault> {
        self.process.runs().await;
        let fault = self.link.fault();
        let usual = Duration::from_micros(self.chance().draw(&USUAL));
        let takes = match fault {
            Some(DatabaseFault::Silent) => PATIENCE,
            Some(DatabaseFault::Slow(longer)) => usual + longer,
            _ => usual,
        };
        self.time.sleep_until(self.time.now().after(takes)).await;
        self.process.runs().await;
        fault
    }

    fn is_reached(&self, fault: Option<DatabaseFault>) -> bool {
        match fault {
            Some(DatabaseFault::Silent) => false,
            Some(DatabaseFault::Failing) => self.chance().one_in(2),
            _ => true,
        }
    }

    fn fate(&self, fault: Option<DatabaseFault>) -> CommitFate {
        if !self.is_reached(fault) {
            return CommitFate::NotReached;
        }
        let mut chance = self.chance();
        if fault == Some(DatabaseFault::LosingCommits) && chance.one_in(2) {
            return CommitFate::Unanswered { is_made: chance.one_in(2), is_found_out: chance.one_in(2) };
        }
        CommitFate::Answered
    }
}

impl Conditions for DatabaseConnection {
    fn server_time(&self) -> Monotonic {
        self.0.time.now()
    }

    fn begin_batch(&self) -> BoxFuture<'static, CommitFate> {
        let inner = self.0.clone();
        async move {
            let fault = inner.travel().await;
            inner.fate(fault)
        }
        .boxed()
    }

    fn end_batch(&self) -> BoxFuture<'static, ()> {
        let inner = self.0.clone();
        async move { inner.travel().await }.map(drop).boxed()
    }

    fn ask(&self) -> BoxFuture<'static, Result<(), StoreFault>> {
        let inner = self.0.clone();
        async move {
            let fault = inner.travel().await;
            let lost = || StoreFault::Unavailable("the database does not answer".to_owned());
            if inner.is_reached(fault) { Ok(()) } else { Err(lost()) }
        }
        .boxed()
    }

    fn planted(&self) -> Option<PlantedBug> {
        self.0.planted
    }
}
