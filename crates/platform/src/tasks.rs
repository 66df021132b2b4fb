//! Work that runs by itself: each task has a name, a visible state, and is started only through the leader's handle.
//! An embedded installation is always its own leader; with several replicas a lease will decide.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use starkeep_contract::health::TaskState;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::{Clock, Monotonic};

/// Tells everybody that the process is about to end.
pub type Stop = CancellationToken;

/// How long a task that panicked is left alone before it starts again.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Starts background tasks, as the one process that may.
#[derive(Clone)]
pub struct Leader {
    clock: Arc<dyn Clock>,
    stop: Stop,
    tracker: TaskTracker,
    states: Arc<Mutex<BTreeMap<&'static str, TaskState>>>,
}

impl Leader {
    /// The leader of an installation that has one process.
    pub fn always(clock: Arc<dyn Clock>, stop: Stop) -> Self {
        Self { clock, stop, tracker: TaskTracker::new(), states: Arc::default() }
    }

    /// Runs the task until the stop. A panic is reported and the task begins anew: rounds must not die of one fault.
    pub fn run<F, Fut>(&self, name: &'static str, work: F)
    where
        F: Fn(TaskHandle) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let leader = self.clone();
        let handle = TaskHandle { name, leader: leader.clone() };
        self.note(name, |_| {});
        self.tracker.spawn(async move {
            while !leader.stop.is_cancelled() {
                let Err(fault) = leader.tracker.spawn(work(handle.clone())).await else { return };
                tracing::error!(task = name, %fault, "a background task failed and is started again");
                leader.note(name, |state| state.last_error = Some(fault.to_string()));
                let again = leader.clock.monotonic().after(RESTART_DELAY);
                tokio::select! {
                    () = leader.stop.cancelled() => {}
                    () = leader.clock.sleep_until(again) => {}
                }
            }
        });
    }

    /// Tells when everything is about to end.
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

/// A task's own handle: it tells what it did, and learns when to stop.
#[derive(Clone)]
pub struct TaskHandle {
    name: &'static str,
    leader: Leader,
}

impl TaskHandle {
    pub fn stopped(&self) -> impl Future<Output = ()> + use<> {
        self.leader.stop.clone().cancelled_owned()
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
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        leader.run("shaky", move |task| {
            let tell = tell.clone();
            async move {
                tell.send(()).unwrap();
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
        told.recv().await.unwrap();
        let mut again = Box::pin(told.recv());
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
}
