//! The task that scores rounds when everything of them is known. It keeps no state: the image says what is to be scored.
//! Rounds do not wait for it.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::clock::Monotonic;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;
use crate::domain::interest::{EXECUTION, GAMES, ROBOTS, SCORES};

/// Delay before the next attempt when the store cannot be written.
const AFTER_A_FAILURE: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub struct RoundScoring(Arc<App>);

impl RoundScoring {
    pub fn new(app: Arc<App>) -> Self {
        Self(app)
    }

    pub fn start(self, leader: &Leader) {
        leader.run("scores", move |task| self.clone().run(task));
    }

    /// Scores what can be scored, and passes over who is out. If a round waits for what topics have not told: until when.
    pub async fn step(&self, epoch: Epoch) -> Result<Option<Monotonic>, String> {
        let until = self.0.score_rounds(epoch).await.map_err(|failure| format!("{failure:?}"))?;
        self.0.pass_over_the_out(epoch).await.map_err(|failure| format!("{failure:?}"))?;
        Ok(until)
    }

    async fn run(self, task: TaskHandle) {
        let mut commits = self.0.store.commits(SCORES.or(GAMES).or(EXECUTION).or(ROBOTS));
        loop {
            commits.mark_unchanged();
            let scored = self.step(task.epoch()).await;
            let has_failed = scored.is_err();
            let next = scored.as_ref().map_or_else(
                |fault| {
                    tracing::error!(%fault, "the scores of a round could not be committed yet");
                    Some(self.0.clock.monotonic().after(AFTER_A_FAILURE))
                },
                |until| *until,
            );
            task.ran(scored.map(drop), next);
            let again = async {
                match next {
                    Some(instant) => self.0.clock.sleep_until(instant).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = again => {}
                changed = commits.changed(), if !has_failed => if changed.is_err() { return },
            }
        }
    }
}
