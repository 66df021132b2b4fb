//! Keeps the order of the batches for the robot service, which works on several at the same time: the next one waits until
//! the one before is done, as far as its results tell, or for a gap. One that finishes a batch before it answers needs none.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::{ExecutorKind, GameId};

use super::Dispatcher;
use super::gap::GapRule;
use crate::app::Next;
use crate::ports::Batch;
use crate::topic_results::{ExpectedResults, TopicResults};

/// How it is known when the robot service can take the next batch.
#[derive(Clone)]
pub(super) struct Order {
    gap: GapRule,
    /// None where a gap was asked for, or there is no broker that tells of results.
    results: Option<Arc<TopicResults>>,
}

impl Order {
    /// A gap that a host asks for is kept, whatever else is known.
    pub(super) fn new(gap: Option<Duration>, results: Option<Arc<TopicResults>>) -> Self {
        match gap {
            Some(gap) => Self { gap: GapRule::Fixed(gap), results: None },
            None => Self { gap: GapRule::Growing, results },
        }
    }
}

impl Dispatcher {
    /// Before the batch is sent: a result may come before the answer does. None if no results are waited for.
    pub(super) fn expect_results(&self, batch: &Batch) -> Option<ExpectedResults> {
        let is_needed = batch.kind.executor() == ExecutorKind::Robots;
        self.order.results.as_ref().filter(|_| is_needed)?.expect(batch)
    }

    /// Waits until the batch that this one follows is done, or its share of the phase is over.
    pub(super) async fn await_turn(&self, game: GameId, next: &Next, expected: Option<ExpectedResults>) {
        let Some(follows) = next.follows else { return };
        if next.batch.kind.executor() != ExecutorKind::Robots {
            return;
        }
        let round = next.execution.round;
        let waiting = async {
            if let Some(expected) = expected {
                // One for it, and one for each that is still to be sent: the last one needs time as well.
                let shares = u32::try_from(next.sizes.len().saturating_sub(follows)).unwrap_or(u32::MAX);
                let share = next.execution.left / shares.max(1);
                tokio::select! {
                    biased;
                    all_seen = expected.all_seen() => if all_seen { return },
                    () = self.pause(share) => return,
                }
            }
            // The share of the results may have passed meanwhile.
            let left = self.app.open_execution(game, round).map_or(Duration::ZERO, |open| open.left);
            self.pause(self.order.gap.after(follows, &next.sizes, next.execution.span, left)).await;
        };
        tokio::select! {
            biased;
            () = waiting => {}
            () = self.app.wait_until_round_over(game, round) => {}
            () = self.stop.cancelled() => {}
        }
    }
}
