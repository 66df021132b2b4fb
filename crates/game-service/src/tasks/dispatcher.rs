//! The dispatcher: in the execution phase it sends a round's commands to the executors, batch by batch, each batch at most
//! once. What is sent next, and what a result means for the commands, is decided in `app::dispatch`.
//!
//! A batch is all commands of one kind in a round. For each: (1) commit the state `Sending`, (2) send, (3) commit the result.
//! Why (1) is durable first: neither executor recognises a batch that it has seen, so a repeated one would buy twice. A
//! batch that is `Sending` and whose sender no longer lives may have arrived; it becomes `Unknown` and is not sent again.
//! The sender itself writes the result down even if it has lost the lease meanwhile.
//!
//! Example: round 7 has sales, purchases and moves, and 8 s are left. The sales are committed as `Sending` and sent; the
//! trading service has 4 s, half of what is left, so that an executor that hangs leaves time for the others. It answers 200
//! after 1 s: `Dispatched`. The purchases have 3.5 s; the connection is refused, so they have certainly not arrived, and are
//! sent again until their time is nearly over: `Undelivered`. The moves are the last batch and have all that is left; the
//! process dies before the answer. The next one finds them `Sending`, and their receipts say `unknown`.
//!
//! Games are independent: `keep_dispatching` runs one future per game, so an executor that hangs for one holds up no other.

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
use crate::domain::interest::EXECUTION;
use crate::domain::{BatchId, BatchState};
use crate::ports::{Batch, BatchFault, Executor};

/// Delay before the next attempt after a connection was refused.
const CONNECT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Time of the phase that is reserved for writing the last attempt's result; half of the batch's time where that is less.
const RESULT_RESERVE: Duration = Duration::from_millis(200);

/// Delay before the next attempt when the store cannot be written.
const STORE_RETRY_DELAY: Duration = Duration::from_millis(100);

/// How long a stop waits for the answer to a batch.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Dispatcher {
    app: Arc<App>,
    /// Pause between batches for the robot service: it works on several at the same time, and the pause keeps their order.
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

    /// Sends everything that is to be sent now.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        let games: Vec<_> = self.app.store.image().executing().collect();
        join_all(games.into_iter().map(|game| self.carry_out(epoch, game))).await.into_iter().collect()
    }

    /// Each game has a future of its own: one whose executors hang holds up no other.
    async fn keep_dispatching(self, task: TaskHandle) {
        let (this, epoch) = (&self, task.epoch());
        let work_on = |game: GameId| async move { (game, this.carry_out_or_wait(epoch, game).await) };
        // No earlier dispatcher of this replica runs any longer.
        if let Err(failure) = self.app.mark_own_batches(epoch).await {
            tracing::warn!(?failure, "interrupted batches could not be marked as unknown yet");
        }
        let mut commits = self.app.store.commits(EXECUTION);
        commits.mark_changed();
        // The games that are worked on; true if a commit came meanwhile, which may concern the game.
        let mut at_work: HashMap<GameId, bool> = HashMap::new();
        let mut works = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                () = task.stopped(), if works.is_empty() => return,
                // Before the commits, which may never stop coming: an answer must not wait for them. The commits have
                // their turn as well, since a game is worked on again at once only after a commit or a failure.
                Some(done) = works.next() => {
                    let (game, outcome): (GameId, Result<(), String>) = done;
                    // After a failure there is no commit that would wake this task.
                    let again = at_work.remove(&game) == Some(true) || outcome.is_err();
                    task.ran(outcome, None);
                    if again && !task.is_stopped() && self.has_work(game) {
                        at_work.insert(game, false);
                        works.push(work_on(game));
                    }
                }
                changed = commits.changed() => {
                    if changed.is_err() { return }
                    let image = self.app.store.image();
                    for game in image.executing().filter(|_| !task.is_stopped()) {
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
            self.pause(STORE_RETRY_DELAY).await;
        }
        outcome
    }

    /// Sends what is left of the game's execution phase. The round clock ends the phase, except at turbo pace.
    async fn carry_out(&self, epoch: Epoch, game: GameId) -> Result<(), String> {
        while let Some(next) = self.app.next_batch(game) {
            let (round, kind) = (next.execution.round, next.batch.kind);
            tokio::select! {
                () = self.app.wait_for_sent_events(&next) => {}
                () = self.stop.cancelled() => {}
            }
            if next.follows_another && kind.executor() == ExecutorKind::Robots {
                self.pause(self.gap.min(next.execution.span / 10)).await;
            }
            if !self.is_open(game, round) {
                return Ok(());
            }
            let batch = BatchId { game, round, kind };
            let is_to_be_sent = match self.app.begin_batch(epoch, batch).await {
                Ok(is_to_be_sent) => is_to_be_sent,
                // The phase is over, or the game.
                Err(Failure::Rejected(_)) => return Ok(()),
                Err(failure) => return Err(format!("{failure:?}")),
            };
            if is_to_be_sent {
                let left = self.app.execution_left(game, round);
                // An executor that does not answer must not use up the time of the later batches.
                let timeout = if next.is_last { left } else { left / 2 };
                let state = self.send(game, round, &next.batch, timeout).await;
                self.settle(batch, state).await?;
            } else {
                self.app.batch_metrics.count(kind.executor(), BatchState::Undelivered);
            }
        }
        self.app.end_phase_early(epoch, game).await.map_err(|failure| format!("{failure:?}"))
    }

    async fn send(&self, game: GameId, round: u32, batch: &Batch, timeout: Duration) -> BatchState {
        let executor_kind = batch.kind.executor();
        let Some(executor) = self.app.executor(executor_kind).filter(|_| !timeout.is_zero()) else {
            return BatchState::Undelivered;
        };
        let outcome = tokio::select! {
            biased;
            outcome = self.hand_over(&**executor, batch, timeout, || self.is_open(game, round)) => outcome,
            // Its receipts say `unknown` by then, and the commands of the next round must not wait.
            () = self.app.wait_until_round_passed(game, round) => Err(BatchFault::Unclear("its round is over".to_owned())),
            () = self.stop_timeout() => Err(BatchFault::Unclear("the service stopped".to_owned())),
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
        self.app.executor_status.record_batch(executor_kind, &outcome);
        state
    }

    /// Sends again only if no connection was established, and only while the phase is open. The last attempt comes early
    /// enough for its result to be written before the phase ends; after that it would count as unknown.
    async fn hand_over(
        &self,
        executor: &dyn Executor,
        batch: &Batch,
        timeout: Duration,
        is_open: impl Fn() -> bool,
    ) -> Result<(), BatchFault> {
        let clock = &*self.app.clock;
        let deadline = clock.monotonic().after(timeout);
        loop {
            let left = deadline.since(clock.monotonic());
            let answer = within(clock, left, executor.take(batch)).await;
            let outcome =
                answer.unwrap_or_else(|| Err(BatchFault::Unclear(format!("no answer within {timeout:?}"))));
            let refused = matches!(outcome, Err(BatchFault::NotReached(_)));
            let enough = CONNECT_RETRY_DELAY + RESULT_RESERVE.min(timeout / 2);
            if !refused || deadline.since(clock.monotonic()) < enough {
                return outcome;
            }
            self.pause(CONNECT_RETRY_DELAY).await;
            if !is_open() {
                return outcome;
            }
        }
    }

    /// May anything of the round be sent now?
    fn is_open(&self, game: GameId, round: u32) -> bool {
        !self.stop.is_cancelled() && !self.app.execution_left(game, round).is_zero()
    }

    /// Tries until the result is written: a disk that is full for a while must not lose it.
    async fn settle(&self, batch: BatchId, state: BatchState) -> Result<(), String> {
        loop {
            match self.app.settle_batch(batch, state).await {
                Ok(()) => break,
                Err(failure) if self.stop.is_cancelled() => return Err(format!("{failure:?}")),
                Err(failure) => {
                    tracing::warn!(game = %batch.game, ?failure, "the result of a batch could not be written yet");
                }
            }
            self.pause(STORE_RETRY_DELAY).await;
        }
        self.app.batch_metrics.count(batch.kind.executor(), state);
        Ok(())
    }

    async fn stop_timeout(&self) {
        self.stop.cancelled().await;
        self.pause(STOP_TIMEOUT).await;
    }

    async fn pause(&self, span: Duration) {
        self.app.clock.sleep_until(self.app.clock.monotonic().after(span)).await;
    }
}
