//! Carries out the execution phase: hands a round's commands over, batch by batch, each noted durably before it is sent.
//! Neither receiver recognises a batch that it has seen, so what may have arrived is never sent again.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use starkeep_game_core::{Executor, GameId};
use starkeep_platform::apply::Failure;
use starkeep_platform::background::{Duty, Leader, Stop};
use starkeep_platform::clock::within;

use crate::app::App;
use crate::domain::Fate;
use crate::ports::{Batch, BatchFault, Receiver};

/// A connection that was refused is tried again after so long.
const AFTER_A_REFUSAL: Duration = Duration::from_millis(50);

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
        leader.run("dispatcher", move |duty| self.clone().keep_dispatching(duty));
    }

    /// Carries out what there is to carry out now.
    pub async fn step(&self) -> Result<(), String> {
        let games: Vec<_> = self.app.store.image().executing().collect();
        join_all(games.into_iter().map(|game| self.carry_out(game))).await.into_iter().collect()
    }

    /// Every game by itself: one whose services hang holds up no other.
    async fn keep_dispatching(self, duty: Duty) {
        let mut commits = self.app.store.commits();
        let mut at_work = HashSet::new();
        let mut works = FuturesUnordered::new();
        // A commit says that there may be something new, also about a game that is being worked on.
        let (mut look, mut look_again) = (true, false);
        loop {
            if look && !self.stop.is_cancelled() {
                commits.mark_unchanged();
                for game in self.app.store.image().executing() {
                    if at_work.insert(game) {
                        let this = &self;
                        works.push(async move { (game, this.carry_out_or_wait(game).await) });
                    } else {
                        look_again = true;
                    }
                }
            }
            tokio::select! {
                Some((game, outcome)) = works.next() => {
                    duty.ran(outcome, None);
                    at_work.remove(&game);
                    look = std::mem::take(&mut look_again);
                }
                changed = commits.changed() => {
                    look = changed.is_ok();
                    if !look { return }
                }
                () = duty.stopped(), if works.is_empty() => return,
            }
        }
    }

    async fn carry_out_or_wait(&self, game: GameId) -> Result<(), String> {
        let outcome = self.carry_out(game).await;
        if let Err(fault) = &outcome {
            tracing::error!(%game, %fault, "commands could not be carried out yet");
            self.pause(AFTER_A_FAILURE).await;
        }
        outcome
    }

    /// What is left of the game's execution phase. Its end is the clock's business, unless the game is in a hurry.
    async fn carry_out(&self, game: GameId) -> Result<(), String> {
        while let Some(next) = self.app.next_batch(game) {
            let (round, kind) = (next.execution.round, next.batch.kind);
            if next.follows_another && kind.executor() == Executor::Robots {
                self.pause(self.gap.min(next.execution.span / 10)).await;
            }
            if self.stop.is_cancelled() || self.app.execution_left(game, round).is_zero() {
                return Ok(());
            }
            let fate = match self.app.begin_batch(game, round, kind).await {
                Ok(fate) => fate,
                // The phase is over, or the game.
                Err(Failure::Rejected(_)) => return Ok(()),
                Err(failure) => return Err(format!("{failure:?}")),
            };
            if fate == Fate::Sending {
                let left = self.app.execution_left(game, round);
                // Nobody's silence may use up the time of those who come after.
                let patience = if next.is_last { left } else { left / 2 };
                let fate = self.send(game, &next.batch, patience).await;
                self.settle(game, round, &next.batch, fate).await?;
            } else {
                self.app.deliveries.count(kind.executor(), fate);
            }
        }
        self.app.hurry_on(game).await.map_err(|failure| format!("{failure:?}"))
    }

    async fn send(&self, game: GameId, batch: &Batch, patience: Duration) -> Fate {
        let executor = batch.kind.executor();
        let Some(receiver) = self.app.receiver(executor).filter(|_| !patience.is_zero()) else {
            return Fate::Undelivered;
        };
        let outcome = tokio::select! {
            outcome = self.hand_over(&**receiver, batch, patience) => outcome,
            () = self.farewell() => Err(BatchFault::Unclear("the service stopped".to_owned())),
        };
        let fate = match &outcome {
            Ok(()) => Fate::Dispatched,
            Err(BatchFault::NotReached(_) | BatchFault::TurnedDown(_)) => Fate::Undelivered,
            Err(BatchFault::Unclear(_)) => Fate::Unknown,
        };
        if let Err(fault) = &outcome {
            let (commands, kind) = (batch.commands.len(), batch.kind);
            tracing::warn!(%game, ?kind, commands, %fault, "a batch of commands was not taken");
        }
        self.app.deliveries.note(executor, outcome.err().map(|fault| fault.to_string()));
        fate
    }

    /// Sends it again only where no connection came about.
    async fn hand_over(
        &self,
        receiver: &dyn Receiver,
        batch: &Batch,
        patience: Duration,
    ) -> Result<(), BatchFault> {
        let clock = &*self.app.clock;
        let deadline = clock.monotonic().after(patience);
        loop {
            let left = deadline.since(clock.monotonic());
            let outcome = within(clock, left, receiver.take(batch)).await;
            match outcome {
                None => return Err(BatchFault::Unclear(format!("no answer within {patience:?}"))),
                Some(Err(BatchFault::NotReached(_)))
                    if deadline.since(clock.monotonic()) > AFTER_A_REFUSAL && !self.stop.is_cancelled() =>
                {
                    self.pause(AFTER_A_REFUSAL).await;
                }
                Some(outcome) => return outcome,
            }
        }
    }

    /// What is known of it must not be lost for want of a disk: it is tried until it is written.
    async fn settle(&self, game: GameId, round: u32, batch: &Batch, fate: Fate) -> Result<(), String> {
        loop {
            match self.app.settle_batch(game, round, batch.kind, fate).await {
                Ok(()) => break,
                Err(failure) if self.stop.is_cancelled() => return Err(format!("{failure:?}")),
                Err(failure) => {
                    tracing::warn!(%game, ?failure, "what became of a batch could not be written yet");
                }
            }
            self.pause(AFTER_A_FAILURE).await;
        }
        self.app.deliveries.count(batch.kind.executor(), fate);
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
