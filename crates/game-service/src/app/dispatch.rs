//! The execution phase, as far as the store is concerned: what is sent next, that it is about to be, and what came of it.
//! The sending itself is the dispatcher's.

use std::sync::Arc;

use starkeep_game_core::{Execution, ExecutorKind, GameId, RoundId};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;

use super::{App, Outcome};
use crate::domain::interest::{EXECUTION, GAMES};
use crate::domain::{BatchId, BatchState, Change, Image, Rejection, RoundBatches};
use crate::ports::{Batch, Executor, KeptRound};

/// The batch that comes next in a game's open execution phase.
pub(crate) struct Next {
    pub(crate) execution: Execution,
    pub(crate) batch: Batch,
    pub(crate) is_last: bool,
    /// Whether the same executor has no earlier batch in this phase.
    pub(crate) is_first: bool,
    /// How many commands each of the phase's batches for the same executor has, in the order of sending.
    pub(crate) sizes: Vec<usize>,
    /// The place, among these, of the batch before, if the executor may still be working on it.
    pub(crate) follows: Option<usize>,
}

impl App {
    /// None if everything was sent, or the phase is over.
    pub(crate) fn next_batch(&self, id: GameId) -> Option<Next> {
        let image = self.store.image();
        let execution = image.active_game(id)?.execution(self.service_clock.now())?;
        let collected = image.collected(id)?;
        let mut unsent = collected.unsent();
        let kind = unsent.next()?;
        let of_executor: Vec<_> =
            collected.kinds().filter(|other| other.executor() == kind.executor()).collect();
        let before = of_executor.iter().position(|other| *other == kind)?.checked_sub(1);
        let may_have_arrived = |place: &usize| {
            matches!(collected.state(of_executor[*place]), Some(BatchState::Dispatched | BatchState::Unknown))
        };
        Some(Next {
            execution,
            batch: Batch { kind, commands: collected.batch(kind) },
            is_last: unsent.next().is_none(),
            is_first: before.is_none(),
            sizes: of_executor.iter().map(|kind| collected.batch(*kind).len()).collect(),
            follows: before.filter(may_have_arrived),
        })
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
    pub(crate) async fn begin_batch(&self, epoch: Epoch, batch: BatchId) -> Outcome<bool> {
        let executor = self.executor(batch.kind.executor()).map(|_| self.replicas.replica());
        let now = self.service_clock.now();
        let work = Decision::new(vec![], move |image: &Image| {
            let execution = image.active_game(batch.game).and_then(|game| game.execution(now));
            let open = execution.filter(|execution| execution.round == batch.round);
            let open = open.ok_or(Rejection::NothingToDo)?;
            let mut unsent = image.collected(batch.game).into_iter().flat_map(RoundBatches::unsent);
            if !unsent.any(|kind| kind == batch.kind) {
                return Err(Rejection::NothingToDo);
            }
            let sender = executor.filter(|_| open.leaves_time_for_a_batch());
            let change = Change::BatchBegun { batch, sender };
            Ok(Decided { change, events: vec![], output: sender.is_some() })
        });
        self.decide(work.fenced_by(epoch)).await
    }

    /// Writes down what became of a batch that this replica sent, also after it has lost the lease. Where that was unknown
    /// to others meanwhile (its round was over, or this replica was thought dead), what is known now corrects it, as long as
    /// the game runs: nobody but the sender learns the answer. False if nothing was changed.
    pub(crate) async fn settle_batch(&self, batch: BatchId, state: BatchState) -> Outcome<bool> {
        let sender = self.replicas.replica();
        let work = Decision::new(vec![], move |image: &Image| {
            let is_correction = state != BatchState::Unknown && image.may_be_unknown(batch);
            if image.sender(batch) != Some(sender) && !is_correction {
                return Err(Rejection::NothingToDo);
            }
            Ok(Decided { change: Change::BatchSettled { batch, state }, events: vec![], output: true })
        });
        match self.decide(work).await {
            Err(Failure::Rejected(_)) => Ok(false),
            outcome => outcome,
        }
    }

    /// That round's execution phase, while it lasts.
    pub(crate) fn open_execution(&self, id: GameId, round: u32) -> Option<Execution> {
        let image = self.store.image();
        let execution = image.active_game(id)?.execution(self.service_clock.now())?;
        Some(execution).filter(|open| open.round == round && !open.left.is_zero())
    }

    /// A game in a hurry goes on when everything has been carried out.
    pub(crate) async fn end_phase_early(&self, epoch: Epoch, id: GameId) -> Outcome<()> {
        let game = self.store.image().active_game(id).cloned();
        let Some(round) = game.filter(|game| game.ends_phases_early()).map(|game| game.current_round())
        else {
            return Ok(());
        };
        let (at, now, next_round) =
            (self.service_clock.now(), self.clock.wall(), RoundId(self.chance.uuid()));
        let work = self.game_change(id, move |game, image| {
            let done = !image.has_work_left(id);
            let change = game.carried_out(round, next_round, at, now).filter(|_| done);
            change.ok_or(Rejection::NothingToDo)
        });
        match self.decide(work.fenced_by(epoch)).await {
            Ok(_) | Err(Failure::Rejected(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Waits until nothing of the round is left to carry out, or it is over.
    pub(crate) async fn wait_until_executed(&self, id: GameId, round: u32) {
        let mut commits = self.store.commits(EXECUTION.or(GAMES));
        loop {
            commits.mark_unchanged();
            let image = self.store.image();
            let open = image.active_game(id).is_some_and(|game| game.current_round() == round);
            if !open || !image.has_work_left(id) || commits.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until the game is in a later round; for ever if it ends in this one.
    pub(crate) async fn wait_until_round_passed(&self, id: GameId, round: u32) {
        let passed = || self.store.image().active_game(id).is_some_and(|game| game.current_round() > round);
        // There are commits as long as there is a store.
        let _ = self.store.commits(GAMES).wait_for(|()| passed()).await;
    }

    /// Waits until the round is over, or its game.
    pub(crate) async fn wait_until_round_over(&self, id: GameId, round: u32) {
        let over = || self.store.image().active_game(id).is_none_or(|game| game.current_round() != round);
        let _ = self.store.commits(GAMES).wait_for(|()| over()).await;
    }

    /// Waits until the game has ended, or is gone.
    pub(crate) async fn wait_until_ended(&self, id: GameId) {
        let ended = || self.store.image().active_game(id).is_none();
        let _ = self.store.commits(GAMES).wait_for(|()| ended()).await;
    }

    /// What nobody alive sends any longer may have arrived.
    pub(crate) async fn mark_interrupted_batches(&self, epoch: Epoch) -> Outcome<()> {
        self.mark_batches(epoch, |sender| !self.replicas.is_alive(sender)).await
    }

    /// The same, with what an earlier dispatcher of this replica was sending when it panicked. It runs no longer.
    pub(crate) async fn mark_own_batches(&self, epoch: Epoch) -> Outcome<()> {
        self.mark_batches(epoch, |sender| sender == self.replicas.replica()).await
    }

    async fn mark_batches(&self, epoch: Epoch, interrupted: impl Fn(ReplicaId) -> bool) -> Outcome<()> {
        let image = self.store.fresh().await?;
        let marked: Vec<_> = image.sending().filter(|(_, sender)| interrupted(*sender)).collect();
        if marked.is_empty() {
            return Ok(());
        }
        let work = Decision::new(vec![], move |image: &Image| {
            let still = marked.iter().filter(|(batch, sender)| image.sender(*batch) == Some(*sender));
            let batches: Vec<_> = still.map(|(batch, _)| *batch).collect();
            let change = Change::BatchesInterrupted(batches.clone());
            Ok(Decided { change, events: vec![], output: batches })
        });
        for batch in self.decide(work.fenced_by(epoch)).await? {
            self.tell_of_interrupted(batch).await;
        }
        Ok(())
    }

    async fn tell_of_interrupted(&self, BatchId { game, round, kind }: BatchId) {
        // The game may have ended, so its commands may have been evicted.
        let kept = self.store.round(game, round).await.ok().flatten();
        let of_batch = |kept: KeptRound| kept.commands.iter().filter(|it| it.order.kind() == kind).count();
        let commands = kept.map(of_batch);
        tracing::warn!(
            %game, round, ?kind, commands,
            "the sending of a batch was cut off; it may have arrived, and its receipts say unknown"
        );
    }
}
