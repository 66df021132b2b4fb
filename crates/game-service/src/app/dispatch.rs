//! The execution phase, as far as the store is concerned: what is sent next, that it is about to be, and what came of it.
//! The sending itself is the dispatcher's.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::{Execution, ExecutorKind, GameId, Kind, RoundId};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::interest::{EXECUTION, GAMES};
use crate::domain::{BatchState, Change, Image, Rejection};
use crate::ports::{Batch, Executor};

/// The batch that comes next in a game's open execution phase.
pub(crate) struct Next {
    pub(crate) execution: Execution,
    pub(crate) batch: Batch,
    pub(crate) is_last: bool,
    /// Has the same executor been sent another one in this phase, which it may still be working on?
    pub(crate) follows_another: bool,
}

impl App {
    /// None if everything was sent, or the phase is over.
    pub(crate) fn next_batch(&self, id: GameId) -> Option<Next> {
        let image = self.store.image();
        let execution = image.active_game(id)?.execution(self.service_clock.now())?;
        let collected = image.collected(id)?;
        let mut unsent = collected.unsent();
        let kind = unsent.next()?;
        let may_have_arrived = |earlier: &Kind| {
            matches!(collected.state(*earlier), Some(BatchState::Dispatched | BatchState::Unknown))
        };
        let follows_another = Kind::ALL
            .into_iter()
            .take_while(|earlier| *earlier < kind)
            .filter(|earlier| earlier.executor() == kind.executor())
            .any(|earlier| may_have_arrived(&earlier));
        let batch = Batch { kind, commands: collected.batch(kind) };
        Some(Next { execution, batch, is_last: unsent.next().is_none(), follows_another })
    }

    pub(crate) fn executor(&self, executor: ExecutorKind) -> Option<&Arc<dyn Executor>> {
        match executor {
            ExecutorKind::Trading => self.other_services.trading.as_ref(),
            ExecutorKind::Robots => self.other_services.robots.as_ref(),
        }
    }

    /// What nobody carries out is not delivered, which needs no sending.
    pub(crate) async fn begin_batch(
        &self,
        epoch: Epoch,
        id: GameId,
        round: u32,
        kind: Kind,
    ) -> Outcome<BatchState> {
        let state = if self.executor(kind.executor()).is_some() {
            BatchState::Sending
        } else {
            BatchState::Undelivered
        };
        let now = self.service_clock.now();
        let work = Decision::new(vec![], move |image: &Image| {
            let execution = image.active_game(id).and_then(|game| game.execution(now));
            let open = execution.is_some_and(|execution| execution.round == round);
            let unsent = |kind| image.collected(id).is_some_and(|all| all.unsent().any(|it| it == kind));
            if !open || !unsent(kind) {
                return Err(Rejection::NothingToDo);
            }
            let change = Change::BatchBegun { game: id, round, kind, state };
            Ok(Decided { change, events: vec![], output: state })
        });
        self.decide(work.fenced_by(epoch)).await
    }

    pub(crate) async fn settle_batch(
        &self,
        game: GameId,
        round: u32,
        kind: Kind,
        state: BatchState,
    ) -> Outcome<()> {
        let work = Decision::new(vec![], move |_: &Image| {
            Ok(Decided {
                change: Change::BatchSettled { game, round, kind, state },
                events: vec![],
                output: (),
            })
        });
        self.decide(work).await
    }

    /// How much of that round's execution phase is left.
    pub(crate) fn execution_left(&self, id: GameId, round: u32) -> Duration {
        let execution =
            self.store.image().active_game(id).and_then(|game| game.execution(self.service_clock.now()));
        execution.filter(|open| open.round == round).map(|open| open.left).unwrap_or_default()
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

    /// What the last process was sending when it ended may have arrived.
    pub(crate) async fn mark_interrupted_batches(&self, epoch: Epoch) -> Outcome<()> {
        let work = Decision::new(vec![], |_: &Image| {
            Ok(Decided { change: Change::BatchesInterrupted, events: vec![], output: () })
        });
        self.decide(work.fenced_by(epoch)).await
    }
}
