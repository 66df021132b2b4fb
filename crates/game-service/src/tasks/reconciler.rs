//! Cleans up after a crash, a lost answer or an unreachable map: withdraws intents whose owner no longer lives, and calls
//! the map for every world that is to be retired until the call succeeds.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use starkeep_game_core::Retirement;
use starkeep_platform::decision::Failure;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;
use crate::domain::Rejection;
use crate::domain::interest::CLEANUP;
use crate::ports::MapFault;

const FIRST_RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(30);

/// How many worlds the map is called for at once.
const CALLS_AT_A_TIME: usize = 32;

#[derive(Clone)]
pub struct Reconciler(Arc<App>);

impl Reconciler {
    pub fn new(app: Arc<App>) -> Self {
        Self(app)
    }

    pub fn start(self, leader: &Leader) {
        leader.run("reconciler", move |task| self.clone().take_care(task));
    }

    /// One pass: intents, then the worlds to be retired. `Err` if something remains to be done.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        settled(self.0.withdraw_abandoned_intents(epoch).await)?;
        let retirements: Vec<_> = self.0.store.image().due_retirements().collect();
        let mut refused = None;
        // The first call alone: a map that does not answer it is not asked for the others.
        let (first, rest) = retirements.split_at(retirements.len().min(1));
        for some in iter::once(first).chain(rest.chunks(CALLS_AT_A_TIME)) {
            refused = self.retire(epoch, some).await?.or(refused);
        }
        refused.map_or(Ok(()), Err)
    }

    /// Calls the map for all of them at once, and records those that it has retired in one commit. Why it refused one, if it
    /// did; `Err` if it, or the store, is away.
    async fn retire(&self, epoch: Epoch, retirements: &[Retirement]) -> Result<Option<String>, String> {
        let calls = retirements.iter().map(|retirement| self.0.other_services.map.retire(*retirement));
        let answers = join_all(calls).await;
        let retired = retirements.iter().zip(&answers).filter(|(_, answer)| answer.is_ok());
        for recorded in self.0.record_retired(epoch, retired.map(|(retirement, _)| *retirement)).await {
            settled(recorded)?;
        }
        let faults: Vec<_> = answers.into_iter().filter_map(Result::err).collect();
        match faults.iter().find(|fault| matches!(fault, MapFault::Away { .. })) {
            Some(away) => Err(away.to_string()),
            None => Ok(faults.last().map(MapFault::to_string)),
        }
    }

    async fn take_care(self, task: TaskHandle) {
        let (mut commits, mut departures) = (self.0.store.commits(CLEANUP), self.0.replicas.departures());
        let mut delay = FIRST_RETRY;
        loop {
            commits.mark_unchanged();
            departures.mark_unchanged();
            // A stop does not wait for a map that hangs: what it interrupts is still listed in the store.
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => return,
                outcome = self.step(task.epoch()) => outcome,
            };
            let retry = match &outcome {
                Ok(()) => {
                    delay = FIRST_RETRY;
                    None
                }
                Err(fault) => {
                    tracing::warn!(%fault, retry_in_seconds = delay.as_secs(), "a gameworld could not be retired yet");
                    let retry = self.0.clock.monotonic().after(delay);
                    delay = (delay * 2).min(LONGEST_RETRY);
                    Some(retry)
                }
            };
            task.ran(outcome, retry);
            let more_to_do = async {
                match retry {
                    Some(instant) => self.0.clock.sleep_until(instant).await,
                    None => loop {
                        let changed = tokio::select! {
                            biased;
                            changed = commits.changed() => changed,
                            changed = departures.changed() => changed,
                        };
                        if changed.is_err() || self.0.has_pending_cleanup() {
                            return;
                        }
                    },
                }
            };
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = more_to_do => {}
            }
        }
    }
}

impl App {
    fn has_pending_cleanup(&self) -> bool {
        let image = self.store.image();
        image.due_retirements().next().is_some() || self.has_abandoned_intents(&image)
    }
}

fn settled(outcome: Result<(), Failure<Rejection>>) -> Result<(), String> {
    match outcome {
        Ok(()) | Err(Failure::Rejected(_)) => Ok(()),
        Err(failure) => Err(format!("{failure:?}")),
    }
}
