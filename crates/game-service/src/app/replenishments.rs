//! Replenishments of worlds: written down with the end of a round, settled with the map's answer, and waited for by the next
//! round's first batch. When one is due is the core's to say, asking the map the task's (`tasks::replenishments`).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use starkeep_game_core::{Change as GameChange, GameId, Retire, Retirement, WorldId};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;

use super::{App, Outcome};
use crate::domain::interest::REPLENISHMENTS;
use crate::domain::{Change, Image, OpenReplenishment, Rejection, WorldCall};

/// The intent that belongs to the change. It has the id of the round that begins: there is one such at most.
pub(super) fn begun_by(change: &GameChange, game: GameId, owner: ReplicaId) -> Option<Intent<WorldCall>> {
    let next = change.new_round.filter(|_| change.replenish)?;
    let world = change.after.as_ref()?.world?;
    let call = WorldCall::Replenish { game, world, round: next.number.saturating_sub(1) };
    Some(Intent { id: IntentId(next.id.0), owner, call })
}

impl App {
    /// The earliest one of the game: they are sent in their order.
    pub(crate) fn next_replenishment(&self, game: GameId) -> Option<OpenReplenishment> {
        self.store.image().replenishments(game).next()
    }

    /// Nobody needs the replenishment of a world that is to be deleted.
    pub(crate) fn is_to_be_deleted(&self, world: WorldId) -> bool {
        let deletion = Retirement { world, how: Retire::Delete };
        self.store.image().retirements().any(|retirement| retirement == deletion)
    }

    /// The map has answered, or has refused for good.
    pub(crate) async fn settle_replenishment(&self, epoch: Epoch, intent: IntentId) -> Outcome<()> {
        let work = Decision::new(vec![], move |image: &Image| {
            if !image.intents().contains(intent) {
                return Err(Rejection::NothingToDo);
            }
            Ok(Decided { change: Change::ReplenishmentSettled(intent), events: vec![], output: () })
        });
        match self.decide(work.fenced_by(epoch)).await {
            Err(Failure::Rejected(Rejection::NothingToDo)) => Ok(()),
            outcome => outcome,
        }
    }

    /// Is the round's first batch still to be sent, and a replenishment open that no batch has waited for in vain?
    pub(crate) fn awaits_replenishment(&self, game: GameId) -> bool {
        let image = self.store.image();
        let is_first = image.collected(game).is_some_and(|batches| !batches.is_begun());
        let last = image.replenishments(game).last();
        is_first && last.is_some_and(|last| !self.replenishment_waits.is_over(game, last.round))
    }

    /// Waits until the map has answered all that there are, or the game is over.
    pub(crate) async fn wait_until_replenished(&self, game: GameId) {
        let all_answered = || self.store.image().replenishments(game).next().is_none();
        // There are commits as long as there is a store.
        let _ = self.store.commits(REPLENISHMENTS).wait_for(|()| all_answered()).await;
    }

    /// Those that are open are not waited for any longer; the last one's round.
    pub(crate) fn give_up_waiting_for_replenishment(&self, game: GameId) -> Option<u32> {
        let image = self.store.image();
        let round = image.replenishments(game).last()?.round;
        self.replenishment_waits.give_up(game, round, |game| image.active_game(game).is_some());
        Some(round)
    }
}

/// Of each game, the last round whose replenishment was waited for in vain. Each is waited for once, so that a map that is away
/// does not hold up every round. A process that begins anew waits anew.
#[derive(Default)]
pub(crate) struct ReplenishmentWaits(Mutex<HashMap<GameId, u32>>);

impl ReplenishmentWaits {
    fn is_over(&self, game: GameId, round: u32) -> bool {
        self.rounds().get(&game).is_some_and(|last| *last >= round)
    }

    /// Games that have ended are forgotten.
    fn give_up(&self, game: GameId, round: u32, is_active: impl Fn(GameId) -> bool) {
        let mut rounds = self.rounds();
        rounds.retain(|game, _| is_active(*game));
        rounds.insert(game, round);
    }

    fn rounds(&self) -> MutexGuard<'_, HashMap<GameId, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
