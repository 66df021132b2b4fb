//! Answers that come after a batch's time is over: they are listened for, and correct receipts that say `unknown`.
//! Nothing waits for them, neither a later batch nor the stop, which gives them up.

use std::time::Duration;

use futures::future::BoxFuture;
use starkeep_platform::clock::Monotonic;
use tokio::sync::mpsc;

use super::{Dispatcher, settled_by};
use crate::domain::{BatchId, BatchState};
use crate::ports::{BatchFault, Taken};

/// How long after its sending the answer to a batch is listened for.
const LONGEST_ANSWER: Duration = Duration::from_mins(1);

/// Where calls go whose answer has not come in time.
pub(super) type LateCalls = mpsc::UnboundedSender<LateCall>;

/// A batch that was sent and whose answer is still to come.
pub(super) struct LateCall {
    pub(super) batch: BatchId,
    pub(super) commands: usize,
    pub(super) sent_at: Monotonic,
    pub(super) executes_once: bool,
    /// No earlier attempt may have arrived.
    pub(super) is_first: bool,
    pub(super) answer: BoxFuture<'static, Result<Taken, BatchFault>>,
}

impl Dispatcher {
    /// Until the answer has come, a minute after the sending, or until the game ends. A stop comes first: the executor may stop
    /// with this process, and its refusal then says nothing new.
    pub(super) async fn listen(&self, call: LateCall) {
        let LateCall { batch, commands, sent_at, executes_once, is_first, answer } = call;
        let BatchId { game, round, kind } = batch;
        let outcome = tokio::select! {
            biased;
            () = self.stop.cancelled() => return,
            outcome = answer => outcome,
            () = self.app.clock.sleep_until(sent_at.after(LONGEST_ANSWER)) => return,
            () = self.app.wait_until_ended(game) => return,
        };
        let after = self.app.clock.monotonic().since(sent_at);
        if let Err(fault) = &outcome {
            tracing::warn!(%game, round, ?kind, commands, ?after, %fault, "a batch of commands was refused late");
        }
        // That this attempt came to nothing says nothing of an earlier one.
        if outcome.is_err() && !is_first {
            return;
        }
        let settled = settled_by(outcome, executes_once);
        let state = settled.state;
        if state != BatchState::Unknown && self.write_down(batch, settled).await == Ok(true) {
            tracing::info!(%game, round, ?kind, commands, ?after, ?state, "a late answer has corrected receipts");
        }
    }
}
