//! The dispatcher: in the execution phase it sends a round's commands to the executors, batch by batch. What
//! is sent next, and what a result means for the commands, is decided in `app::dispatch`.
//!
//! A batch is all commands of one kind in a round. For each: (1) commit the state `Sending`, (2) send, (3) commit the result.
//! Why (1) is durable first: neither executor of the existing stack recognises a batch that it has seen, so a repeated one
//! would buy twice. A batch that is `Sending` and whose sender no longer lives may have arrived; it becomes `Unknown` and is
//! not sent again. The sender itself writes the result down even if it has lost the lease meanwhile.
//!
//! Our own executors carry a batch out once, however often it comes (`executesOnce`), and are done with it when they answer.
//! To them it is sent again while its phase lasts: when the connection is lost, when they answer 503, and by the next process
//! when this one dies. They are not waited for between batches, so (3) and the next (1) are one commit.
//!
//! Example: round 7 has sales, purchases, moves and minings, and 8 s are left. The sales are committed as `Sending` and sent;
//! the trading service has 4 s, half of what is left, so that an executor that hangs leaves time for the others. It answers
//! 200 after 1 s: `Dispatched`. The purchases have 3.5 s and no answer comes: `Unknown`. It comes two seconds later and
//! corrects that. Meanwhile the moves are sent, and the minings wait for the results of all moves. Then the connection is
//! refused, so they have certainly not arrived, and are sent again until their time is nearly over: `Undelivered`.
//!
//! Games are independent: `keep_dispatching` runs one future per game, so an executor that hangs for one holds up no other.

mod gap;
mod late;
mod order;
mod replenished;
mod sending;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use starkeep_game_core::GameId;
use starkeep_platform::decision::Failure;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, Stop, TaskHandle};
use tokio::sync::mpsc;

use self::late::LateCalls;
use self::order::Order;
use self::sending::Sent;
use crate::app::{App, Settled};
use crate::domain::interest::EXECUTION;
use crate::domain::{BatchId, BatchState};
use crate::ports::{BatchFault, Taken};
use crate::topic_results::TopicResults;

/// Delay before the next attempt when the store cannot be written.
const STORE_RETRY_DELAY: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub struct Dispatcher {
    app: Arc<App>,
    order: Order,
    stop: Stop,
}

impl Dispatcher {
    /// With a gap between batches for the robot service, or else with what is known of their results.
    pub(crate) fn new(
        app: Arc<App>,
        gap: Option<Duration>,
        results: Option<Arc<TopicResults>>,
        stop: Stop,
    ) -> Self {
        Self { app, order: Order::new(gap, results), stop }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("dispatcher", move |task| self.clone().keep_dispatching(task));
    }

    /// Sends everything that is to be sent now. Late answers are not listened for.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        let games: Vec<_> = self.app.store.image().executing().collect();
        let (late_calls, _) = mpsc::unbounded_channel();
        let works = games.into_iter().map(|game| self.carry_out(epoch, game, &late_calls));
        join_all(works).await.into_iter().collect()
    }

    /// Each game has a future of its own: one whose executors hang holds up no other.
    async fn keep_dispatching(self, task: TaskHandle) {
        let (this, epoch) = (&self, task.epoch());
        let (late_calls, mut new_late_calls) = mpsc::unbounded_channel();
        let late_calls = &late_calls;
        let work_on =
            |game: GameId| async move { (game, this.carry_out_or_wait(epoch, game, late_calls).await) };
        let (mut commits, mut departures) =
            (self.app.store.commits(EXECUTION), self.app.replicas.departures());
        commits.mark_changed();
        // The games that are worked on; true if a commit came meanwhile, which may concern the game.
        let mut at_work: HashMap<GameId, bool> = HashMap::new();
        let mut works = FuturesUnordered::new();
        let mut late = FuturesUnordered::new();
        loop {
            // No earlier dispatcher of this replica runs any longer. What it left behind may be sent again, unless its game is
            // ended before that.
            if let Err(failure) = self.app.mark_left_behind(epoch, |game| at_work.contains_key(&game)).await {
                tracing::warn!(?failure, "interrupted batches could not be marked as unknown yet");
            }
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
                Some(()) = late.next() => {}
                Some(call) = new_late_calls.recv() => late.push(self.listen(call)),
                changed = async {
                    // What a replica that is gone was sending may be sent again, or is unknown.
                    tokio::select! {
                        biased;
                        changed = commits.changed() => changed,
                        changed = departures.changed() => changed,
                    }
                } => {
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

    async fn carry_out_or_wait(
        &self,
        epoch: Epoch,
        game: GameId,
        late_calls: &LateCalls,
    ) -> Result<(), String> {
        let outcome = self.carry_out(epoch, game, late_calls).await;
        if let Err(fault) = &outcome {
            tracing::error!(%game, %fault, "commands could not be sent yet, trying again");
            self.pause(STORE_RETRY_DELAY).await;
        }
        outcome
    }

    /// Sends what is left of the game's execution phase. The round clock ends the phase, except at turbo pace.
    async fn carry_out(&self, epoch: Epoch, game: GameId, late_calls: &LateCalls) -> Result<(), String> {
        // Of the batch that was sent last: the results that are expected, and what came of it, if that is not written yet.
        let (mut results, mut unwritten) = (None, None::<Sent>);
        while let Some(next) = self.app.next_batch(game, unwritten.as_ref().map(|sent| sent.batch.kind)) {
            let (round, kind) = (next.execution.round, next.batch.kind);
            if self.await_replenishment(game, &next).await {
                if self.is_open(epoch, game, round) {
                    continue;
                }
                break;
            }
            // Who is away after a restart has not forgotten what it carried out.
            let executes_once =
                next.is_resumed || self.app.executes_once(kind.executor(), next.execution.left / 4).await;
            if !executes_once {
                // Others are waited for, and receipts are not to wait with them.
                if let Some(sent) = unwritten.take() {
                    self.settle(sent, late_calls).await?;
                    continue;
                }
                tokio::select! {
                    biased;
                    () = self.stop.cancelled() => {}
                    () = self.app.wait_for_sent_events(&next) => {}
                }
                self.await_turn(game, &next, results.take()).await;
            }
            if !self.is_open(epoch, game, round) {
                break;
            }
            let batch = BatchId { game, round, kind };
            let begun = match unwritten.take() {
                None => self.app.begin_batch(epoch, batch, executes_once).await,
                Some(sent) => {
                    let before = (sent.batch, sent.settled.clone());
                    let (settled, begun) =
                        self.app.settle_and_begin(before, epoch, batch, executes_once).await;
                    self.make_sure(settled, sent, late_calls).await?;
                    begun
                }
            };
            let is_to_be_sent = match begun {
                Ok(is_to_be_sent) => is_to_be_sent,
                // The phase is over, or the game.
                Err(Failure::Rejected(_)) => return Ok(()),
                Err(failure) => return Err(format!("{failure:?}")),
            };
            if is_to_be_sent {
                results = if executes_once { None } else { self.expect_results(&next.batch) };
                if executes_once && !self.app.leads(epoch) {
                    // Whoever leads now sends it.
                    return self.release(batch).await;
                }
                unwritten = Some(self.send(epoch, batch, next, executes_once).await);
            } else {
                self.app.batch_metrics.count(kind.executor(), BatchState::Undelivered);
                if self.app.executor(kind.executor()).is_some() {
                    tell_of_no_time(batch, next.batch.commands.len());
                }
            }
        }
        let ended = match unwritten {
            None => self.app.end_phase_early(epoch, game).await,
            Some(sent) => {
                let last = (sent.batch, sent.settled.clone());
                let (settled, ended) = self.app.settle_and_end_phase(last, epoch, game).await;
                self.make_sure(settled, sent, late_calls).await?;
                ended
            }
        };
        ended.map_err(|failure| format!("{failure:?}"))
    }

    /// May anything of the round be sent now?
    fn is_open(&self, epoch: Epoch, game: GameId, round: u32) -> bool {
        !self.stop.is_cancelled() && self.app.leads(epoch) && self.app.open_execution(game, round).is_some()
    }

    async fn pause(&self, span: Duration) {
        self.app.clock.sleep_until(self.app.clock.monotonic().after(span)).await;
    }
}

/// Of an executor that is not there nothing is told in every round.
fn tell_of_no_time(BatchId { game, round, kind }: BatchId, commands: usize) {
    tracing::warn!(
        %game, round, ?kind, commands,
        "too little of the execution phase was left to send a batch of commands; its receipts say undelivered"
    );
}

/// What an answer, or its absence, says of a batch.
fn state_of(outcome: &Result<Taken, BatchFault>, executes_once: bool) -> BatchState {
    match outcome {
        Ok(_) => BatchState::Dispatched,
        Err(BatchFault::NotReached(_) | BatchFault::TurnedDown(_)) => BatchState::Undelivered,
        Err(BatchFault::NotNow(_)) if executes_once => BatchState::Undelivered,
        Err(BatchFault::NotNow(_) | BatchFault::Unclear(_)) => BatchState::Unknown,
    }
}

/// The same, with where the executor's log stood afterwards.
fn settled_by(outcome: Result<Taken, BatchFault>, executes_once: bool) -> Settled {
    let state = state_of(&outcome, executes_once);
    Settled { state, position: outcome.ok().and_then(|taken| taken.position), executes_once }
}
