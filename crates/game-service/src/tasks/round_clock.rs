//! The task that keeps the rounds' time: it sleeps until the earliest deadline, or until the schedule changes, and has
//! every due boundary taken. It keeps no state that would have to be saved. A second task writes the heartbeat.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::Moment;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;
use crate::domain::interest::SCHEDULE;

/// Half of what is promised (`game_core::HEARTBEAT`), so that a slow commit does not break the promise.
const BEAT_EVERY: Duration = Duration::from_millis(50);

/// A boundary that is so near goes first.
const NEAR_BOUNDARY: Duration = Duration::from_millis(10);

/// Delay before the next attempt when the store cannot be written.
const AFTER_A_FAILURE: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub struct RoundClock(Arc<App>);

impl RoundClock {
    pub fn new(app: Arc<App>) -> Self {
        Self(app)
    }

    pub fn start(self, leader: &Leader) {
        let beating = self.clone();
        leader.run("round-clock", move |task| self.clone().keep_time(task));
        leader.run("heartbeat", move |task| beating.clone().keep_beating(task));
    }

    /// Takes what is due; the next deadline, if a game runs.
    pub async fn step(&self, epoch: Epoch) -> Result<Option<Moment>, String> {
        self.0.take_due_boundaries(epoch).await.map_err(|failure| format!("{failure:?}"))?;
        Ok(self.0.store.image().next_deadline())
    }

    async fn keep_time(self, task: TaskHandle) {
        let mut commits = self.0.store.commits(SCHEDULE);
        loop {
            commits.mark_unchanged();
            let taken = self.step(task.epoch()).await;
            let wake = match &taken {
                Ok(deadline) => deadline.map(|deadline| self.0.service_clock.instant_of(deadline)),
                Err(fault) => {
                    tracing::error!(%fault, "the boundary of a round could not be committed yet");
                    Some(self.0.clock.monotonic().after(AFTER_A_FAILURE))
                }
            };
            let failed = taken.is_err();
            task.ran(taken.map(drop), wake);
            let deadline = async {
                match wake {
                    Some(instant) => self.0.clock.sleep_until_exactly(instant).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = deadline => {}
                changed = commits.changed(), if !failed => if changed.is_err() { return },
            }
        }
    }

    async fn keep_beating(self, task: TaskHandle) {
        loop {
            tokio::select! {
                biased;
                () = task.stopped() => {}
                () = self.let_boundary_pass() => {}
            }
            let next = self.0.clock.monotonic().after(BEAT_EVERY);
            let beaten = self.0.beat(task.epoch()).await.map_err(|failure| format!("{failure:?}"));
            task.ran(beaten, Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => {
                    // A graceful stop loses no game time.
                    if let Err(failure) = self.0.beat(task.epoch()).await {
                        tracing::warn!(?failure, "the last heartbeat could not be written");
                    }
                    return;
                }
                () = self.0.clock.sleep_until(next) => {}
            }
        }
    }

    /// A heartbeat need not be on time, and a boundary would have to wait for its commit.
    async fn let_boundary_pass(&self) {
        let deadline = self.0.store.image().next_deadline().map(|at| self.0.service_clock.instant_of(at));
        let soon = self.0.clock.monotonic().after(NEAR_BOUNDARY);
        if let Some(deadline) = deadline.filter(|deadline| *deadline < soon) {
            self.0.clock.sleep_until(deadline).await;
        }
    }
}
