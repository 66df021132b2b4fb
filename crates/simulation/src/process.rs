//! A simulated process, and what it lives by: it runs, is frozen or is dead; its clocks, and its chance.
//! Code of a process that is frozen or dead gets no further than to the next thing that it waits for.

use std::future::pending;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use starkeep_clock::{Clock, Monotonic};
use starkeep_fault_harness::Chance;
use tokio::sync::watch;
use uuid::Uuid;

use crate::time::SimulatedTime;

/// When a simulation begins, on wall clocks.
const BEGIN: Timestamp = Timestamp::constant(1_767_225_600, 0);
/// So much later it seems to be while a decision is made a second time.
const DISTURBANCE: Duration = Duration::from_hours(5);

/// Clones are the same process.
#[derive(Clone)]
pub(crate) struct Process(Arc<watch::Sender<State>>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Frozen,
    Dead,
}

impl Process {
    pub(crate) fn start() -> Self {
        Self(Arc::new(watch::Sender::new(State::Runs)))
    }

    pub(crate) fn freeze(&self) {
        self.change(State::Frozen);
    }

    pub(crate) fn unfreeze(&self) {
        self.change(State::Runs);
    }

    pub(crate) fn kill(&self) {
        self.change(State::Dead);
    }

    pub(crate) fn is_dead(&self) -> bool {
        *self.0.borrow() == State::Dead
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns when it runs; never, once it is dead.
    pub(crate) async fn runs(&self) {
        self.is(State::Runs).await;
    }

    pub(crate) async fn died(&self) {
        self.is(State::Dead).await;
    }

    fn change(&self, to: State) {
        self.0.send_if_modified(|state| {
            let is_change = *state != State::Dead && *state != to;
            if is_change {
                *state = to;
            }
            is_change
        });
    }

    async fn is(&self, wanted: State) {
        if *self.0.borrow() == wanted {
            return;
        }
        if self.0.subscribe().wait_for(|state| *state == wanted).await.is_err() {
            pending::<()>().await;
        }
    }
}

/// The clocks of one process.
pub(crate) struct ProcessClock {
    pub(crate) time: Arc<SimulatedTime>,
    pub(crate) process: Process,
    /// Its lengths of time are counted from another instant than those of others.
    pub(crate) offset: Duration,
    /// By so many seconds its wall clock is ahead.
    pub(crate) ahead: AtomicI64,
}

impl ProcessClock {
    pub(crate) fn set_wall_clock(&self, ahead: i64) {
        self.ahead.store(ahead, Ordering::Relaxed);
    }

    fn shown(&self, instant: Monotonic) -> Monotonic {
        if self.time.is_disturbed() { instant.after(DISTURBANCE) } else { instant }
    }
}

impl Clock for ProcessClock {
    fn monotonic(&self) -> Monotonic {
        self.shown(self.time.now().after(self.offset))
    }

    fn wall(&self) -> Timestamp {
        let passed = self.shown(self.time.now()).since(Monotonic(0));
        let ahead = SignedDuration::from_secs(self.ahead.load(Ordering::Relaxed));
        let now = BEGIN.saturating_add(passed).and_then(|now| now.saturating_add(ahead)).unwrap_or(BEGIN);
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(BEGIN)
    }

    fn sleep_until(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let sleep = self.time.sleep_until(instant.before(self.offset));
        Box::pin(async move {
            sleep.await;
            self.process.runs().await;
        })
    }
}

/// The chance of one process.
pub(crate) struct ProcessChance {
    time: Arc<SimulatedTime>,
    /// Drawn from while a decision is made a second time.
    others: Mutex<Chance>,
    own: Mutex<Chance>,
}

impl ProcessChance {
    pub(crate) fn new(time: Arc<SimulatedTime>, chance: &mut Chance) -> Self {
        Self { time, others: Mutex::new(chance.fork()), own: Mutex::new(chance.fork()) }
    }
}

impl starkeep_platform::chance::Chance for ProcessChance {
    fn uuid(&self) -> Uuid {
        let from = if self.time.is_disturbed() { &self.others } else { &self.own };
        let mut from = from.lock().unwrap_or_else(PoisonError::into_inner);
        let bits = u128::from(from.fork().0) << 64 | u128::from(from.fork().0);
        uuid::Builder::from_u128(bits).with_version(uuid::Version::Random).into_uuid()
    }
}
