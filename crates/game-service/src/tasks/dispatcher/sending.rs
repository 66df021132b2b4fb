//! One batch on its way to its executor: it is tried again where that does no harm, waited for as long as its share of the
//! phase lasts, and what came of it is written down.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use starkeep_game_core::Execution;
use starkeep_platform::clock::{Monotonic, within};
use starkeep_platform::lease::Epoch;

use super::late::{LateCall, LateCalls};
use super::{Dispatcher, STORE_RETRY_DELAY, settled_by, tell_of_no_time};
use crate::app::{Next, Outcome, Settled};
use crate::domain::{BatchId, BatchState};
use crate::ports::{Batch, BatchFault, Executor, Taken};

/// Delay before the next attempt.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Time of the phase that is reserved for writing the last attempt's result; half of the batch's time where that is less.
const RESULT_RESERVE: Duration = Duration::from_millis(200);

/// How long a stop waits for the answer to a batch.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// What is known of a batch when its time is over.
pub(super) struct Sent {
    pub(super) batch: BatchId,
    pub(super) settled: Settled,
    /// The call, if its answer has not come yet.
    outstanding: Option<LateCall>,
}

impl Sent {
    /// Not by this process.
    fn not_at_all(batch: BatchId, is_resumed: bool, executes_once: bool) -> Self {
        let state = if is_resumed { BatchState::Unknown } else { BatchState::Undelivered };
        let settled = Settled { state, position: None, executes_once };
        Self { batch, settled, outstanding: None }
    }
}

impl Dispatcher {
    pub(super) async fn send(&self, epoch: Epoch, id: BatchId, next: Next, executes_once: bool) -> Sent {
        let Next { batch, is_last, is_resumed, .. } = next;
        let executor_kind = id.kind.executor();
        let Some(executor) = self.app.executor(executor_kind) else {
            return Sent::not_at_all(id, is_resumed, executes_once);
        };
        // It may have taken a while to write down that the batch is sent, and this replica may not lead any longer.
        let execution = self.app.open_execution(id.game, id.round).filter(|_| self.app.leads(epoch));
        let Some(execution) = execution.filter(Execution::leaves_time_for_a_batch) else {
            if !is_resumed && self.app.leads(epoch) {
                tell_of_no_time(id, batch.commands.len());
            }
            return Sent::not_at_all(id, is_resumed, executes_once);
        };
        // An executor that does not answer must not use up the time of the later batches.
        let timeout = if is_last { execution.left } else { execution.left / 2 };
        let commands = batch.commands.len();
        let earlier = is_resumed.then(|| "an earlier process may have sent it".to_owned());
        let (outcome, call) =
            self.hand_over(epoch, executor, id, Arc::new(batch), timeout, executes_once, earlier).await;
        if let Err(fault) = &outcome {
            let (BatchId { game, round, kind }, text) = (id, "a batch of commands was not accepted");
            // The executor may stop with this process. What became of the batch is found out at the next start.
            if self.stop.is_cancelled() {
                tracing::info!(%game, round, ?kind, commands, %fault, text);
            } else {
                tracing::warn!(%game, round, ?kind, commands, %fault, text);
            }
        }
        self.app.executor_status.record_batch(executor_kind, &outcome);
        let late = |Unanswered { sent_at, answer, is_first }| LateCall {
            batch: id,
            commands,
            sent_at,
            executes_once,
            is_first,
            answer,
        };
        Sent { batch: id, settled: settled_by(outcome, executes_once), outstanding: call.map(late) }
    }

    /// Sends again only while the phase is open: if no connection was established, and to an executor that carries a batch out
    /// once also if it has not done so or nobody knows. The last attempt comes early enough for its result to be written before
    /// the phase ends. A call without an answer is handed back with its time. `earlier` says why it may have arrived before.
    #[expect(clippy::too_many_arguments, reason = "a batch, who sends it to whom, and how")]
    async fn hand_over(
        &self,
        epoch: Epoch,
        executor: &Arc<dyn Executor>,
        BatchId { game, round, .. }: BatchId,
        batch: Arc<Batch>,
        timeout: Duration,
        executes_once: bool,
        mut earlier: Option<String>,
    ) -> (Result<Taken, BatchFault>, Option<Unanswered>) {
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
                Err(reason) => {
                    let is_first = earlier.is_none();
                    return (
                        Err(BatchFault::Unclear(reason)),
                        Some(Unanswered { sent_at, answer, is_first }),
                    );
                }
            };
            let may_repeat = match &outcome {
                Ok(_) | Err(BatchFault::TurnedDown(_)) => false,
                // A game in a hurry does not wait for who is away, unless it may have begun.
                Err(BatchFault::NotReached(_)) => earlier.is_some() || !self.app.is_in_a_hurry(game),
                Err(BatchFault::NotNow(_) | BatchFault::Unclear(_)) => executes_once,
            };
            if let Err(BatchFault::Unclear(reason)) = &outcome {
                earlier = Some(reason.clone());
            }
            let enough = RETRY_DELAY + RESULT_RESERVE.min(timeout / 2);
            if may_repeat && deadline.since(clock.monotonic()) >= enough {
                self.pause(RETRY_DELAY).await;
                if self.is_open(epoch, game, round) {
                    continue;
                }
            }
            // That the last attempt did not arrive says nothing of an earlier one.
            let of_all = |last| match (last, earlier) {
                (last @ BatchFault::Unclear(_), _) | (last, None) => last,
                (last, Some(earlier)) => BatchFault::Unclear(format!("{earlier}; in the end {last}")),
            };
            return (outcome.map_err(of_all), None);
        }
    }

    /// Writes down what came of the batch. A call that is still outstanding is listened to from then on.
    pub(super) async fn settle(&self, sent: Sent, late_calls: &LateCalls) -> Result<(), String> {
        self.write_down(sent.batch, sent.settled.clone()).await?;
        self.after_settling(sent, late_calls);
        Ok(())
    }

    /// The same, where it was tried to write it together with something else.
    pub(super) async fn make_sure(
        &self,
        settled: Outcome<bool>,
        sent: Sent,
        late_calls: &LateCalls,
    ) -> Result<(), String> {
        if settled.is_err() {
            return self.settle(sent, late_calls).await;
        }
        self.after_settling(sent, late_calls);
        Ok(())
    }

    fn after_settling(&self, sent: Sent, late_calls: &LateCalls) {
        self.app.batch_metrics.count(sent.batch.kind.executor(), sent.settled.state);
        // Nobody listens if this is a single step.
        sent.outstanding.map(|call| late_calls.send(call));
    }

    /// Tries until the result is written: a disk that is full for a while must not lose it. False if it changes nothing.
    pub(super) async fn write_down(&self, batch: BatchId, settled: Settled) -> Result<bool, String> {
        loop {
            match self.app.settle_batch(batch, settled.clone()).await {
                Ok(is_new) => return Ok(is_new),
                Err(failure) if self.stop.is_cancelled() => return Err(format!("{failure:?}")),
                Err(failure) => {
                    tracing::warn!(game = %batch.game, ?failure, "the result of a batch could not be written yet");
                }
            }
            self.pause(STORE_RETRY_DELAY).await;
        }
    }

    /// Tries until it is written that the batch was not sent.
    pub(super) async fn release(&self, batch: BatchId) -> Result<(), String> {
        loop {
            match self.app.release_batch(batch).await {
                Ok(_) => return Ok(()),
                Err(failure) if self.stop.is_cancelled() => return Err(format!("{failure:?}")),
                Err(failure) => {
                    tracing::warn!(game = %batch.game, ?failure, "a batch could not be given back yet");
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

/// An attempt whose answer has not come.
struct Unanswered {
    sent_at: Monotonic,
    answer: Answer,
    /// No earlier attempt may have arrived.
    is_first: bool,
}

type Answer = BoxFuture<'static, Result<Taken, BatchFault>>;

/// It outlives the batch's share of the phase; a connection has to come about within it.
fn call(executor: Arc<dyn Executor>, batch: Arc<Batch>, time_left: Duration) -> Answer {
    async move { executor.take(&batch, time_left).await }.boxed()
}
