//! Carries out the execution phase: hands a round's commands over, batch by batch, each noted durably before it is sent.
//! Neither receiver recognises a batch that it has seen, so what may have arrived is never sent again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use starkeep_game_core::{ExecutorKind, GameId};
use starkeep_platform::clock::within;
use starkeep_platform::decision::Failure;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, Stop, TaskHandle};

use crate::app::App;
use crate::domain::BatchState;
use crate::domain::interest::EXECUTION;
use crate::ports::{Batch, BatchFault, Executor};

/// A connection that was refused is tried again after so long.
const AFTER_A_REFUSAL: Duration = Duration::from_millis(50);

/// So much of the phase is left for what came of the last attempt, or half of the batch's time where that is less.
const TO_WRITE_IT_DOWN: Duration = Duration::from_millis(200);

/// Where the store cannot be written, the next attempt waits so long.
const AFTER_A_FAILURE: Duration = Duration::from_millis(100);

/// How long an answer is still waited for when the service stops.
const FAREWELL: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Dispatcher {
    app: Arc<App>,
    /// The robot service works on batches at the same time: a pause between them keeps their order.
    gap: Duration,
    stop: Stop,
}

impl Dispatcher {
    pub fn new(app: Arc<App>, gap: Duration, stop: Stop) -> Self {
        Self { app, gap, stop }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("dispatcher", move |task| self.clone().keep_dispatching(task));
    }

    /// Carries out what there is to carry out now.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        let games: Vec<_> = self.app.store.image().executing().collect();
        join_all(games.into_iter().map(|game| self.carry_out(epoch, game))).await.into_iter().collect()
    }

    /// Every game by itself: one whose services hang holds up no other.
    async fn keep_dispatching(self, task: TaskHandle) {
        let (this, epoch) = (&self, task.epoch());
        let work_on = |game: GameId| async move { (game, this.carry_out_or_wait(epoch, game).await) };
        // Whoever dispatched before, in this process or another, does so no longer.
        if let Err(failure) = self.app.mark_interrupted_batches(epoch).await {
            tracing::warn!(?failure, "interrupted batches could not be marked as unknown yet");
        }
        let mut commits = self.app.store.commits(EXECUTION);
        commits.mark_changed();
        // With whether anything was committed meanwhile, which may concern that game.
        let mut at_work: HashMap<GameId, bool> = HashMap::new();
        let mut works = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                () = task.stopped(), if works.is_empty() => return,
                // Before the commits, which may come without a pause: nobody's answer is to wait for a calm moment. A
                // game that is worked on again at once has seen a commit, so the commits have their turn as well.
                Some(done) = works.next() => {
                    let (game, outcome): (GameId, Result<(), String>) = done;
                    // What failed left no commit behind that would say so.
                    let again = at_work.remove(&game) == Some(true) || outcome.is_err();
                    task.ran(outcome, None);
                    if again && self.has_work(game) {
                        at_work.insert(game, false);
                        works.push(work_on(game));
                    }
                }
                changed = commits.changed() => {
                    if changed.is_err() { return }
                    let image = self.app.store.image();
                    for game in image.executing().filter(|_| !self.stop.is_cancelled()) {
                        let is_at_work = at_work.contains_key(&game);
                        at_work.insert(game, is_at_work);
                        if !is_at_work {
                            works.push(work_on(game));
                        }
                    }
                }
            }
        }
    }

    fn has_work(&self, game: GameId) -> bool {
        !self.stop.is_cancelled() && self.app.store.image().executing().any(|executing| executing == game)
    }

    async fn carry_out_or_wait(&self, epoch: Epoch, game: GameId) -> Result<(), String> {
        let outcome = self.carry_out(epoch, game).await;
        if let Err(fault) = &outcome {
            tracing::error!(%game, %fault, "commands could not be sent yet, trying again");
            self.pause(AFTER_A_FAILURE).await;
        }
        outcome
    }

    /// What is left of the game's execution phase. Its end is the clock's business, unless the game is in a hurry.
    async fn carry_out(&self, epoch: Epoch, game: GameId) -> Result<(), String> {
        while let Some(next) = self.app.next_batch(game) {
            let (round, kind) = (next.execution.round, next.batch.kind);
            if next.follows_another && kind.executor() == ExecutorKind::Robots {
                self.pause(self.gap.min(next.execution.span / 10)).await;
            }
            if !self.is_open(game, round) {
                return Ok(());
            }
            let state = match self.app.begin_batch(epoch, game, round, kind).await {
                Ok(state) => state,
                // The phase is over, or the game.
                Err(Failure::Rejected(_)) => return Ok(()),
                Err(failure) => return Err(format!("{failure:?}")),
            };
            if state == BatchState::Sending {
                let left = self.app.execution_left(game, round);
                // Nobody's silence may use up the time of those who come after.
                let patience = if next.is_last { left } else { left / 2 };
                let state = self.send(game, round, &next.batch, patience).await;
                self.settle(game, round, &next.batch, state).await?;
            } else {
                self.app.batch_metrics.count(kind.executor(), state);
            }
        }
        self.app.end_phase_early(epoch, game).await.map_err(|failure| format!("{failure:?}"))
    }

    async fn send(&self, game: GameId, round: u32, batch: &Batch, patience: Duration) -> BatchState {
        let executor_kind = batch.kind.executor();
        let Some(executor) = self.app.executor(executor_kind).filter(|_| !patience.is_zero()) else {
            return BatchState::Undelivered;
        };
        let outcome = tokio::select! {
            biased;
            outcome = self.hand_over(&**executor, batch, patience, || self.is_open(game, round)) => outcome,
            // By then its receipts say that nobody knows, and the commands of the next round must not wait.
            () = self.app.wait_until_round_passed(game, round) => Err(BatchFault::Unclear("its round is over".to_owned())),
            () = self.farewell() => Err(BatchFault::Unclear("the service stopped".to_owned())),
        };
        let state = match &outcome {
            Ok(()) => BatchState::Dispatched,
            Err(BatchFault::NotReached(_) | BatchFault::TurnedDown(_)) => BatchState::Undelivered,
            Err(BatchFault::Unclear(_)) => BatchState::Unknown,
        };
        if let Err(fault) = &outcome {
            let (commands, kind) = (batch.commands.len(), batch.kind);
            tracing::warn!(%game, ?kind, commands, %fault, "a batch of commands was not accepted");
        }
        self.app.batch_metrics.note(executor_kind, outcome.err().map(|fault| fault.to_string()));
        state
    }

    /// Sends it again only where no connection came about, and only while the phase is open. The last attempt comes early
    /// enough that what came of it is written before the phase ends: from then on nobody would know.
    async fn hand_over(
        &self,
        executor: &dyn Executor,
        batch: &Batch,
        patience: Duration,
        is_open: impl Fn() -> bool,
    ) -> Result<(), BatchFault> {
        let clock = &*self.app.clock;
        let deadline = clock.monotonic().after(patience);
        loop {
            let left = deadline.since(clock.monotonic());
            let answer = within(clock, left, executor.take(batch)).await;
            let outcome =
                answer.unwrap_or_else(|| Err(BatchFault::Unclear(format!("no answer within {patience:?}"))));
            let refused = matches!(outcome, Err(BatchFault::NotReached(_)));
            let enough = AFTER_A_REFUSAL + TO_WRITE_IT_DOWN.min(patience / 2);
            if !refused || deadline.since(clock.monotonic()) < enough {
                return outcome;
            }
            self.pause(AFTER_A_REFUSAL).await;
            if !is_open() {
                return outcome;
            }
        }
    }

    /// May anything of the round be sent now?
    fn is_open(&self, game: GameId, round: u32) -> bool {
        !self.stop.is_cancelled() && !self.app.execution_left(game, round).is_zero()
    }

    /// What is known of it must not be lost for want of a disk: it is tried until it is written.
    async fn settle(&self, game: GameId, round: u32, batch: &Batch, state: BatchState) -> Result<(), String> {
        loop {
            match self.app.settle_batch(game, round, batch.kind, state).await {
                Ok(()) => break,
                Err(failure) if self.stop.is_cancelled() => return Err(format!("{failure:?}")),
                Err(failure) => {
                    tracing::warn!(%game, ?failure, "the result of a batch could not be written yet");
                }
            }
            self.pause(AFTER_A_FAILURE).await;
        }
        self.app.batch_metrics.count(batch.kind.executor(), state);
        Ok(())
    }

    async fn farewell(&self) {
        self.stop.cancelled().await;
        self.pause(FAREWELL).await;
    }

    async fn pause(&self, span: Duration) {
        self.app.clock.sleep_until(self.app.clock.monotonic().after(span)).await;
    }
}
