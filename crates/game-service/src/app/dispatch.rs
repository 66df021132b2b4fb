//! The execution phase, as far as the store is concerned: what is sent next, that it is about to be, and what came of it.
//! The sending itself is the dispatcher's.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::{Execution, ExecutorKind, Game, GameId, Kind, RoundId};
use starkeep_platform::clock::within;
use starkeep_platform::decision::{Decided, Decision, Failure, apply_all};
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;
use uuid::Uuid;

use super::{App, Outcome};
use crate::domain::{BatchId, BatchState, Change, Games, Image, Rejection, RoundBatches, Sender};
use crate::ports::{Batch, Executor};

/// No replica has this id, so none of it lives.
const NOBODY: ReplicaId = ReplicaId(Uuid::nil());

/// What became of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) state: BatchState,
    /// Where the executor's log stood afterwards, if the executor says so.
    pub(crate) position: Option<String>,
    /// Its executor carries a batch out once, so that another replica may send it again.
    pub(crate) executes_once: bool,
}

/// The batch that comes next in a game's open execution phase.
pub(crate) struct Next {
    pub(crate) execution: Execution,
    pub(crate) batch: Batch,
    pub(crate) is_last: bool,
    /// Who sent it before does not any longer, so it may have arrived. Its executor carried batches out once then.
    pub(crate) is_resumed: bool,
    /// Whether the same executor has no earlier batch in this phase.
    pub(crate) is_first: bool,
    /// How many commands each of the phase's batches for the same executor has, in the order of sending.
    pub(crate) sizes: Vec<usize>,
    /// The place, among these, of the batch before, if the executor may still be working on it.
    pub(crate) follows: Option<usize>,
}

impl App {
    /// None if everything was sent, or the phase is over. `under_way` has been sent, and its result is yet to be written.
    pub(crate) fn next_batch(&self, id: GameId, under_way: Option<Kind>) -> Option<Next> {
        let image = self.store.image();
        let game = image.active_game(id)?;
        let execution = game.execution(self.service_clock.now())?;
        let (round, collected) = (execution.round, image.collected(id)?);
        let is_open = |kind: &Kind| {
            let batch = BatchId { game: id, round, kind: *kind };
            collected.state(*kind).is_none()
                || (Some(*kind) != under_way && self.abandoned_sender(&image, batch).is_some())
        };
        let is_sent_by_another = |kind: Kind| {
            let sender = image.sender(BatchId { game: id, round, kind });
            sender.is_some_and(|sender| sender.replica != self.replicas.replica())
        };
        let mut open = collected.kinds().filter(is_open);
        let kind = open.next()?;
        // Whoever led before may still be sending: its answer is a commit, and so is what becomes of it if it dies.
        if collected.kinds().take_while(|earlier| *earlier != kind).any(is_sent_by_another) {
            return None;
        }
        let of_executor: Vec<_> =
            collected.kinds().filter(|other| other.executor() == kind.executor()).collect();
        let before = of_executor.iter().position(|other| *other == kind)?.checked_sub(1);
        let may_have_arrived = |place: &usize| {
            matches!(collected.state(of_executor[*place]), Some(BatchState::Dispatched | BatchState::Unknown))
        };
        let commands = collected.batch(kind);
        Some(Next {
            execution,
            batch: Batch { game: id, round, seed: game.seed_of_round(round), kind, commands },
            is_last: open.next().is_none(),
            is_resumed: collected.state(kind).is_some(),
            is_first: before.is_none(),
            sizes: of_executor.iter().map(|kind| collected.batch(*kind).len()).collect(),
            follows: before.filter(may_have_arrived),
        })
    }

    /// Who was sending the batch and does not any longer, if it may be sent again.
    fn abandoned_sender(&self, image: &Image, batch: BatchId) -> Option<Sender> {
        let is_gone = |replica| replica == self.replicas.replica() || !self.replicas.is_alive(replica);
        image.sender(batch).filter(|sender| sender.executes_once && is_gone(sender.replica))
    }

    /// Does the executor say that it carries a batch out once? One that has never been asked is asked now.
    pub(crate) async fn executes_once(&self, executor: ExecutorKind, at_most: Duration) -> bool {
        if self.executor_status.said(executor).is_none() {
            // What is wrong with it shows in `/health`.
            let _ = within(&*self.clock, at_most, self.probe_executor(executor)).await;
        }
        self.executor_status.executes_once(executor)
    }

    pub(crate) fn executor(&self, executor: ExecutorKind) -> Option<&Arc<dyn Executor>> {
        match executor {
            ExecutorKind::Trading => self.other_services.trading.as_ref(),
            ExecutorKind::Robots => self.other_services.robots.as_ref(),
        }
    }

    /// Asks the executor how it is; what is wrong with it, if it is configured.
    pub(crate) async fn probe_executor(&self, executor: ExecutorKind) -> Result<(), String> {
        let Some(gateway) = self.executor(executor) else { return Ok(()) };
        let outcome = gateway.probe().await;
        self.executor_status.record_probe(executor, &outcome);
        outcome?.fault.map_or(Ok(()), Err)
    }

    /// How many robots may be bought by one command.
    pub(crate) fn largest_order(&self) -> u32 {
        let is_limited = self.executor(ExecutorKind::Trading).is_some()
            && !self.executor_status.executes_once(ExecutorKind::Trading);
        if is_limited { self.largest_order } else { u32::MAX }
    }

    /// Before the first batch of a round an executor of the existing stack is to have what it learns from Kafka: who plays, and
    /// where stations are. It waits for all that is logged by now, which is that, the end of command input, and what was
    /// logged since. Half of the phase is left for the batches.
    pub(crate) async fn wait_for_sent_events(&self, next: &Next) {
        let executor = next.batch.kind.executor();
        if !next.is_first || self.executor(executor).is_none() || self.executor_status.executes_once(executor)
        {
            return;
        }
        let Execution { left, span, .. } = next.execution;
        self.sent_events.sent_if_reachable(&*self.clock, left.saturating_sub(span / 2)).await;
    }

    /// What nobody carries out, or what there is no time left for, is not delivered, which needs no sending. True if it is
    /// to be sent now.
    pub(crate) async fn begin_batch(
        &self,
        epoch: Epoch,
        batch: BatchId,
        executes_once: bool,
    ) -> Outcome<bool> {
        self.decide(self.beginning(epoch, batch, executes_once)).await
    }

    /// The same, and what became of the batch before, in one commit.
    pub(crate) async fn settle_and_begin(
        &self,
        before: (BatchId, Settled),
        epoch: Epoch,
        batch: BatchId,
        executes_once: bool,
    ) -> (Outcome<bool>, Outcome<bool>) {
        let (before, settled) = before;
        let begins = self.beginning(epoch, batch, executes_once);
        self.decide_both(self.settling(before, settled), begins).await
    }

    fn beginning(&self, epoch: Epoch, batch: BatchId, executes_once: bool) -> Decision<Games, bool> {
        let replica = self.replicas.replica();
        let executor = self.executor(batch.kind.executor()).map(|_| Sender { replica, executes_once });
        let (now, abandoned) = (self.service_clock.now(), self.abandoned_sender(&self.store.image(), batch));
        let work = Decision::new(vec![], move |image: &Image| {
            let execution = image.active_game(batch.game).and_then(|game| game.execution(now));
            let open = execution.filter(|execution| execution.round == batch.round);
            let open = open.ok_or(Rejection::NothingToDo)?;
            let has_time = open.leaves_time_for_a_batch();
            if abandoned.is_some() && image.sender(batch) == abandoned && has_time {
                let change = Change::BatchResumed { batch, sender: replica };
                return Ok(Decided { change, events: vec![], output: true });
            }
            if image.sends_before(batch) {
                return Err(Rejection::NothingToDo);
            }
            let mut unsent = image.collected(batch.game).into_iter().flat_map(RoundBatches::unsent);
            if !unsent.any(|kind| kind == batch.kind) {
                return Err(Rejection::NothingToDo);
            }
            let sender = executor.filter(|_| has_time);
            let change = Change::BatchBegun { batch, sender };
            Ok(Decided { change, events: vec![], output: sender.is_some() })
        });
        work.fenced_by(epoch)
    }

    /// Writes down what became of a batch that this replica sent, also after it has lost the lease. Where that was unknown
    /// to others meanwhile (its round was over, or this replica was thought dead), what is known now corrects it, as long as
    /// the game runs: nobody but the sender learns the answer. False if nothing was changed.
    pub(crate) async fn settle_batch(&self, batch: BatchId, settled: Settled) -> Outcome<bool> {
        nothing_if_rejected(self.decide(self.settling(batch, settled)).await)
    }

    /// Gives a batch back that was noted and not sent, to whoever leads: its executor carries a batch out once.
    pub(crate) async fn release_batch(&self, batch: BatchId) -> Outcome<bool> {
        let replica = self.replicas.replica();
        let work = Decision::new(vec![], move |image: &Image| {
            image.sender(batch).filter(|sender| sender.replica == replica).ok_or(Rejection::NothingToDo)?;
            let change = Change::BatchResumed { batch, sender: NOBODY };
            Ok(Decided { change, events: vec![], output: true })
        });
        nothing_if_rejected(self.decide(work).await)
    }

    fn settling(&self, batch: BatchId, settled: Settled) -> Decision<Games, bool> {
        let (replica, is_shared) = (self.replicas.replica(), self.replicas.is_shared());
        Decision::new(vec![], move |image: &Image| {
            let Settled { state, position, executes_once } = settled.clone();
            // Another replica may have sent it again: then this one knows whether it has arrived, but not that it has not.
            let is_known = match state {
                BatchState::Dispatched => true,
                BatchState::Undelivered => !(executes_once && is_shared),
                _ => false,
            };
            let is_correction = is_known && image.may_be_unknown(batch);
            let is_sender = image.sender(batch).is_some_and(|sender| sender.replica == replica);
            if !is_sender && !is_correction {
                return Err(Rejection::NothingToDo);
            }
            let change = Change::BatchSettled { batch, state, position };
            Ok(Decided { change, events: vec![], output: true })
        })
    }

    /// In one commit, in this order. The first one's rejection means that there was nothing to do.
    async fn decide_both(
        &self,
        first: Decision<Games, bool>,
        second: Decision<Games, bool>,
    ) -> (Outcome<bool>, Outcome<bool>) {
        let mut both = apply_all(&*self.store, [first, second]).await.into_iter();
        let mut next = || both.next().unwrap_or(Ok(false));
        (nothing_if_rejected(next()), next())
    }

    /// Does the game go on as soon as everything is carried out?
    pub(crate) fn is_in_a_hurry(&self, id: GameId) -> bool {
        self.store.image().active_game(id).is_some_and(|game| game.ends_phases_early())
    }

    /// Does this replica still lead in that epoch? One that was frozen may not have been told that it does not.
    pub(crate) fn leads(&self, epoch: Epoch) -> bool {
        self.replicas.lease().current_at(self.clock.monotonic()) == Some(epoch)
    }

    /// That round's execution phase, while it lasts.
    pub(crate) fn open_execution(&self, id: GameId, round: u32) -> Option<Execution> {
        let image = self.store.image();
        let execution = image.active_game(id)?.execution(self.service_clock.now())?;
        Some(execution).filter(|open| open.round == round && !open.left.is_zero())
    }

    /// A game in a hurry goes on when everything has been carried out.
    pub(crate) async fn end_phase_early(&self, epoch: Epoch, id: GameId) -> Outcome<()> {
        match self.ending_early(epoch, id) {
            Some(end) => nothing_if_rejected(self.decide(end).await).map(drop),
            None => Ok(()),
        }
    }

    /// The same, and what became of the last batch, in one commit.
    pub(crate) async fn settle_and_end_phase(
        &self,
        last: (BatchId, Settled),
        epoch: Epoch,
        id: GameId,
    ) -> (Outcome<bool>, Outcome<()>) {
        let settling = self.settling(last.0, last.1);
        match self.ending_early(epoch, id) {
            Some(end) => {
                let (settled, ended) = self.decide_both(settling, end).await;
                (settled, nothing_if_rejected(ended).map(drop))
            }
            None => (nothing_if_rejected(self.decide(settling).await), Ok(())),
        }
    }

    /// None for a game that keeps to the clock.
    fn ending_early(&self, epoch: Epoch, id: GameId) -> Option<Decision<Games, bool>> {
        let game = self.store.image().active_game(id).cloned();
        let round = game.filter(|game| game.ends_phases_early()).map(|game| game.current_round())?;
        let (at, now, next_round) =
            (self.service_clock.now(), self.clock.wall(), RoundId(self.chance.uuid()));
        let policy = self.policy;
        let rule = move |game: &Game, image: &Image| {
            let done = !image.has_work_left(id);
            let change = game.carried_out(&policy, round, next_round, at, now).filter(|_| done);
            change.ok_or(Rejection::NothingToDo)
        };
        Some(self.game_change_giving(id, rule, |_| true).fenced_by(epoch))
    }
}

fn nothing_if_rejected(outcome: Outcome<bool>) -> Outcome<bool> {
    match outcome {
        Err(Failure::Rejected(_)) => Ok(false),
        outcome => outcome,
    }
}
