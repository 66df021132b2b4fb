//! Background tasks: each has a name and a visible state, and runs only while this replica holds the leader's lease.
//!
//! The lease can be gained and lost while the process lives. When it is gained, the service first takes over what an
//! earlier leader left unfinished (see `Leader::follow`); then every task starts, with the epoch of that lease in its handle. When it is
//! lost, every handle says so, the tasks end, and they start again with the next gain. A task that panics is reported and
//! started again, so that one fault does not end the rounds of all games.

use std::collections::BTreeMap;
use std::future::Future;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use starkeep_contract::health::TaskState;
use tokio::sync::watch;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::{Clock, Monotonic};
use crate::lease::{Epoch, Lease};

/// Cancelled when the process is about to end.
pub type Stop = CancellationToken;

/// How long a task that panicked, or a take-over that failed, is left alone before it starts again.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Runs background tasks while the lease is held.
#[derive(Clone)]
pub struct Leader {
    clock: Arc<dyn Clock>,
    stop: Stop,
    tracker: TaskTracker,
    states: Arc<Mutex<BTreeMap<&'static str, TaskState>>>,
    /// The epoch for which everything has been taken over; tasks run in it.
    prepared: Arc<watch::Sender<Option<Epoch>>>,
}

impl Leader {
    pub fn new(clock: Arc<dyn Clock>, stop: Stop) -> Self {
        let prepared = Arc::new(watch::Sender::new(None));
        Self { clock, stop, tracker: TaskTracker::new(), states: Arc::default(), prepared }
    }

    /// The leader of an installation that has one process, with nothing to take over.
    pub fn always(clock: Arc<dyn Clock>, stop: Stop) -> Self {
        let leader = Self::new(clock, stop);
        leader.prepared.send_replace(Lease::held().current());
        leader
    }

    /// Follows the lease: with each gain `take_over` is run, until it succeeds, before any task starts. `prepared` is an
    /// epoch for which that has been done already.
    pub fn follow<F, Fut>(&self, service: &'static str, lease: &Lease, prepared: Option<Epoch>, take_over: F)
    where
        F: Fn(Epoch) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.prepared.send_replace(prepared.filter(|epoch| lease.current() == Some(*epoch)));
        let (leader, mut lease) = (self.clone(), lease.subscribe());
        self.tracker.spawn(async move {
            loop {
                let held = *lease.borrow_and_update();
                if held != *leader.prepared.borrow() {
                    leader.prepared.send_replace(None);
                }
                if let Some(epoch) = held.filter(|_| leader.prepared.borrow().is_none()) {
                    match take_over(epoch).await {
                        // It may have been lost meanwhile.
                        Ok(()) if *lease.borrow() != Some(epoch) => continue,
                        Ok(()) => {
                            tracing::info!(service, %epoch, "lease gained, tasks start");
                            leader.prepared.send_replace(Some(epoch));
                        }
                        Err(fault) => {
                            tracing::warn!(service, %epoch, %fault, "take-over failed, trying again");
                            leader.pause().await;
                            if !leader.stop.is_cancelled() {
                                continue;
                            }
                        }
                    }
                }
                tokio::select! {
                    biased;
                    () = leader.stop.cancelled() => return,
                    changed = lease.changed() => if changed.is_err() { return },
                }
            }
        });
    }

    /// Runs the task whenever this replica leads, until the stop.
    pub fn run<F, Fut>(&self, name: &'static str, work: F)
    where
        F: Fn(TaskHandle) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let leader = self.clone();
        self.note(name, |_| {});
        self.tracker.spawn(async move {
            let mut prepared = leader.prepared.subscribe();
            while let Some(epoch) = leader.gained(&mut prepared).await {
                let ended = leader.stop.child_token();
                let task = ReplicaTask { name, ended: ended.clone(), leader: leader.clone() };
                let handle = TaskHandle { task, epoch };
                let mut running = leader.tracker.spawn(work(handle));
                let outcome = tokio::select! {
                    biased;
                    outcome = &mut running => outcome,
                    () = lost(&mut prepared, epoch) => {
                        ended.cancel();
                        running.await
                    }
                };
                match outcome {
                    Ok(()) if *prepared.borrow() == Some(epoch) => return,
                    Ok(()) => {}
                    Err(fault) => leader.restart(name, &fault).await,
                }
            }
        });
    }

    /// Runs the task whether this replica leads or not, until the stop.
    pub fn run_on_every_replica<F, Fut>(&self, name: &'static str, work: F)
    where
        F: Fn(ReplicaTask) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let leader = self.clone();
        self.note(name, |_| {});
        self.tracker.spawn(async move {
            let task = ReplicaTask { name, ended: leader.stop.clone(), leader: leader.clone() };
            while let Err(fault) = leader.tracker.spawn(work(task.clone())).await {
                leader.restart(name, &fault).await;
            }
        });
    }

    async fn restart(&self, name: &'static str, fault: &JoinError) {
        tracing::error!(task = name, %fault, "a background task panicked and is restarted");
        self.note(name, |state| state.last_error = Some(fault.to_string()));
        self.pause().await;
    }

    /// Waits until this replica leads; `None` once everything is about to end.
    async fn gained(&self, prepared: &mut watch::Receiver<Option<Epoch>>) -> Option<Epoch> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            held = async { prepared.wait_for(Option::is_some).await.ok().and_then(|held| *held) } => held,
        }
    }

    async fn pause(&self) {
        let again = self.clock.monotonic().after(RESTART_DELAY);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => {}
            () = self.clock.sleep_until(again) => {}
        }
    }

    /// Cancelled when the process is about to end.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Every task's state, by name.
    pub fn states(&self) -> BTreeMap<String, TaskState> {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.iter().map(|(name, state)| ((*name).to_owned(), state.clone())).collect()
    }

    /// Waits until every task has seen the stop.
    pub async fn finished(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    fn note(&self, name: &'static str, change: impl FnOnce(&mut TaskState)) {
        change(self.states.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default());
    }
}

/// Waits until the epoch is over.
async fn lost(prepared: &mut watch::Receiver<Option<Epoch>>, epoch: Epoch) {
    let _ = prepared.wait_for(|held| *held != Some(epoch)).await;
}

/// The handle of a task of the leader.
#[derive(Clone)]
pub struct TaskHandle {
    task: ReplicaTask,
    epoch: Epoch,
}

impl TaskHandle {
    /// Every write of the task carries it.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }
}

impl Deref for TaskHandle {
    type Target = ReplicaTask;

    fn deref(&self) -> &ReplicaTask {
        &self.task
    }
}

/// A task's own handle: it reports what it did, and learns when to stop.
#[derive(Clone)]
pub struct ReplicaTask {
    name: &'static str,
    ended: CancellationToken,
    leader: Leader,
}

impl ReplicaTask {
    /// Resolves when the process stops, and for a task of the leader also when the lease is lost.
    pub fn stopped(&self) -> impl Future<Output = ()> + use<> {
        self.ended.clone().cancelled_owned()
    }

    pub fn is_stopped(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// A run is over; the next one is due then, if that is known.
    pub fn ran(&self, outcome: Result<(), String>, next: Option<Monotonic>) {
        let clock = &self.leader.clock;
        let (now, wall) = (clock.monotonic(), clock.wall());
        let next = next.and_then(|next| wall_of(wall, next.since(now)));
        self.leader.note(self.name, |state| {
            state.runs += 1;
            state.last_run = Some(wall);
            state.next_run = next;
            state.last_error = outcome.err();
        });
    }
}

fn wall_of(now: Timestamp, span: Duration) -> Option<Timestamp> {
    now.saturating_add(span).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[tokio::test]
    async fn a_task_that_panics_is_reported_and_runs_again() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let stop = Stop::new();
        let leader = Leader::always(clock.clone(), stop.clone());
        let (started, mut starts) = tokio::sync::mpsc::unbounded_channel();
        leader.run("shaky", move |task| {
            let started = started.clone();
            async move {
                started.send(()).unwrap();
                if !task.leader.states()["shaky"]
                    .last_error
                    .as_deref()
                    .is_some_and(|text| text.contains("panic"))
                {
                    panic!("the first time it fails");
                }
                task.ran(Ok(()), None);
                task.stopped().await;
            }
        });
        starts.recv().await.unwrap();
        let mut again = Box::pin(starts.recv());
        // The sleeper registers with the clock at a time of its own choosing, so time goes on until it has woken.
        loop {
            clock.advance(RESTART_DELAY);
            if futures::poll!(&mut again).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        stop.cancel();
        leader.finished().await;
        assert_eq!(leader.states()["shaky"].runs, 1);
    }

    /// What happened, in its order.
    type Diary = tokio::sync::mpsc::UnboundedReceiver<String>;

    /// A leader that follows the lease, with one task; it writes down when each begins and ends.
    fn followed(lease: &Lease, stop: &Stop, failures: usize) -> (Leader, Arc<ManualClock>, Diary) {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let leader = Leader::new(clock.clone(), stop.clone());
        let (writer, diary) = tokio::sync::mpsc::unbounded_channel();
        let (diarist, left) = (writer.clone(), Arc::new(Mutex::new(failures)));
        leader.follow("some", lease, None, move |epoch| {
            let (diarist, left) = (diarist.clone(), left.clone());
            async move {
                let mut left = left.lock().unwrap();
                if *left > 0 {
                    *left -= 1;
                    diarist.send(format!("fail {epoch}")).unwrap();
                    return Err("the store is away".to_owned());
                }
                diarist.send(format!("take over {epoch}")).unwrap();
                Ok(())
            }
        });
        leader.run("worker", move |task| {
            let writer = writer.clone();
            async move {
                writer.send(format!("begin {}", task.epoch())).unwrap();
                task.stopped().await;
                writer.send(format!("end {}", task.epoch())).unwrap();
            }
        });
        (leader, clock, diary)
    }

    async fn entries(diary: &mut Diary, count: usize) -> Vec<String> {
        let mut entries = Vec::new();
        while entries.len() < count {
            entries.push(diary.recv().await.unwrap());
        }
        entries
    }

    #[tokio::test]
    async fn tasks_start_when_the_lease_is_gained_and_taken_over_and_stop_when_it_is_lost() {
        let (lease, stop) = (Lease::held(), Stop::new());
        let (leader, _clock, mut diary) = followed(&lease, &stop, 0);
        assert_eq!(entries(&mut diary, 2).await, ["take over 1", "begin 1"]);
        lease.set(None);
        assert_eq!(entries(&mut diary, 1).await, ["end 1"]);
        lease.set(Some(Epoch(3)));
        assert_eq!(entries(&mut diary, 2).await, ["take over 3", "begin 3"]);
        stop.cancel();
        leader.finished().await;
        assert_eq!(entries(&mut diary, 1).await, ["end 3"]);
    }

    #[tokio::test]
    async fn a_lease_that_moved_on_and_came_back_at_once_is_another_epoch() {
        let (lease, stop) = (Lease::held(), Stop::new());
        let (leader, _clock, mut diary) = followed(&lease, &stop, 0);
        assert_eq!(entries(&mut diary, 2).await, ["take over 1", "begin 1"]);
        // Nobody sees the moment in between.
        lease.set(None);
        lease.set(Some(Epoch(2)));
        let mut seen = entries(&mut diary, 3).await;
        seen.sort();
        assert_eq!(seen, ["begin 2", "end 1", "take over 2"]);
        stop.cancel();
        leader.finished().await;
    }

    #[tokio::test]
    async fn no_task_starts_before_the_take_over_has_succeeded() {
        let (lease, stop) = (Lease::held(), Stop::new());
        let (leader, clock, mut diary) = followed(&lease, &stop, 1);
        assert_eq!(entries(&mut diary, 1).await, ["fail 1"]);
        let mut next = Box::pin(entries(&mut diary, 2));
        loop {
            clock.advance(RESTART_DELAY);
            if let std::task::Poll::Ready(seen) = futures::poll!(&mut next) {
                assert_eq!(seen, ["take over 1", "begin 1"]);
                break;
            }
            tokio::task::yield_now().await;
        }
        stop.cancel();
        leader.finished().await;
    }
}
