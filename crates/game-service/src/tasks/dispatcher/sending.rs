//! One batch on its way to its executor: it is tried again while no connection comes about, waited for as long as its share
//! of the phase lasts, and what came of it is written down.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use starkeep_game_core::Execution;
use starkeep_platform::clock::{Monotonic, within};

use super::late::LateCall;
use super::{Dispatcher, STORE_RETRY_DELAY, state_of};
use crate::domain::{BatchId, BatchState};
use crate::ports::{Batch, BatchFault, Executor};

/// Delay before the next attempt after a connection was refused.
const CONNECT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Time of the phase that is reserved for writing the last attempt's result; half of the batch's time where that is less.
const RESULT_RESERVE: Duration = Duration::from_millis(200);

/// How long a stop waits for the answer to a batch.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// What is known of a batch when its time is over.
pub(super) struct Sent {
    pub(super) state: BatchState,
    /// The call, if its answer has not come yet.
    pub(super) outstanding: Option<LateCall>,
}

impl Sent {
    fn not_at_all() -> Self {
        Self { state: BatchState::Undelivered, outstanding: None }
    }
}

impl Dispatcher {
    pub(super) async fn send(&self, id: BatchId, batch: Batch, is_last: bool) -> Sent {
        let executor_kind = id.kind.executor();
        let Some(executor) = self.app.executor(executor_kind) else { return Sent::not_at_all() };
        // It may have taken a while to write down that the batch is sent.
        let execution = self.app.open_execution(id.game, id.round);
        let Some(execution) = execution.filter(Execution::leaves_time_for_a_batch) else {
            return Sent::not_at_all();
        };
        // An executor that does not answer must not use up the time of the later batches.
        let timeout = if is_last { execution.left } else { execution.left / 2 };
        let commands = batch.commands.len();
        let (outcome, call) = self.hand_over(executor, id, Arc::new(batch), timeout).await;
        if let Err(fault) = &outcome {
            let BatchId { game, round, kind } = id;
            tracing::warn!(%game, round, ?kind, commands, %fault, "a batch of commands was not accepted");
        }
        self.app.executor_status.record_batch(executor_kind, &outcome);
        let late = |(sent_at, answer)| LateCall { batch: id, commands, sent_at, answer };
        Sent { state: state_of(&outcome), outstanding: call.map(late) }
    }

    /// Sends again only if no connection was established, and only while the phase is open. The last attempt comes early
    /// enough for its result to be written before the phase ends. A call without an answer is handed back with its time.
    async fn hand_over(
        &self,
        executor: &Arc<dyn Executor>,
        BatchId { game, round, .. }: BatchId,
        batch: Arc<Batch>,
        timeout: Duration,
    ) -> (Result<(), BatchFault>, Option<(Monotonic, Answer)>) {
        let clock = &*self.app.clock;
        let deadline = clock.monotonic().after(timeout);
        loop {
            let sent_at = clock.monotonic();
            let left = deadline.since(sent_at);
            let mut answer = call(executor.clone(), batch.clone(), left);
            let outcome = tokio::select! {
                biased;
                outcome = within(clock, left, &mut answer) => {
                    outcome.ok_or_else(|| format!("no answer within {timeout:?}"))
                }
                // Its receipts say `unknown` by then, and the commands of the next round must not wait.
                () = self.app.wait_until_round_passed(game, round) => Err("its round is over".to_owned()),
                () = self.stop_timeout() => Err("the service stopped".to_owned()),
            };
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(reason) => return (Err(BatchFault::Unclear(reason)), Some((sent_at, answer))),
            };
            let refused = matches!(outcome, Err(BatchFault::NotReached(_)));
            let enough = CONNECT_RETRY_DELAY + RESULT_RESERVE.min(timeout / 2);
            if !refused || deadline.since(clock.monotonic()) < enough {
                return (outcome, None);
            }
            self.pause(CONNECT_RETRY_DELAY).await;
            if !self.is_open(game, round) {
                return (outcome, None);
            }
        }
    }

    pub(super) async fn settle(&self, batch: BatchId, state: BatchState) -> Result<(), String> {
        self.write_down(batch, state).await?;
        self.app.batch_metrics.count(batch.kind.executor(), state);
        Ok(())
    }

    /// Tries until the result is written: a disk that is full for a while must not lose it. False if it changes nothing.
    pub(super) async fn write_down(&self, batch: BatchId, state: BatchState) -> Result<bool, String> {
        loop {
            match self.app.settle_batch(batch, state).await {
                Ok(is_new) => return Ok(is_new),
                Err(failure) if self.stop.is_cancelled() => return Err(format!("{failure:?}")),
                Err(failure) => {
                    tracing::warn!(game = %batch.game, ?failure, "the result of a batch could not be written yet");
                }
            }
            self.pause(STORE_RETRY_DELAY).await;
        }
    }

    async fn stop_timeout(&self) {
        self.stop.cancelled().await;
        self.pause(STOP_TIMEOUT).await;
    }
}

type Answer = BoxFuture<'static, Result<(), BatchFault>>;

/// It outlives the batch's share of the phase; a connection has to come about within it.
fn call(executor: Arc<dyn Executor>, batch: Arc<Batch>, connect_within: Duration) -> Answer {
    async move { executor.take(&batch, connect_within).await }.boxed()
}
