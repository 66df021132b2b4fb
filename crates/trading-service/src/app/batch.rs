//! A batch of commands: executed in list order, wave by wave, and answered when everything is settled. What was executed
//! before is not executed again, so a batch may be sent again whenever its answer was lost.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use starkeep_executor::{BatchHeaders, BatchRefusal, GameRefusal, admit};
use starkeep_platform::clock::{Monotonic, within};
use starkeep_platform::decision::{Decision, Failure};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_trading_core::GameId;

use super::App;
use super::calls::{NoAnswer, Undelivered};
use super::waves::{Draft, Prepared, Progress, Settlement};
use crate::domain::{Image, Key, RECEIVED, Rejection, TradeCommand, Trading, Transaction, Wave};

/// So many commands are decided at once: a wave is one row and one commit.
const LARGEST_WAVE: usize = 500;

/// How long a task waits for answers before it leaves the rest for later.
pub(super) const FINISHING_TIME: Duration = Duration::from_secs(30);

/// Why a batch was not executed to its end.
#[derive(Debug)]
pub(crate) enum BatchFailure {
    Refused(BatchRefusal),
    /// The robot service does not answer, or an earlier batch takes too long. What was begun, now or by an earlier sending of
    /// the same batch, is finished later.
    OutOfTime,
    /// A part was executed, and then the game ended.
    Ended {
        game: GameId,
    },
    Failed(Failure<Rejection>),
}

impl From<Failure<Rejection>> for BatchFailure {
    fn from(failure: Failure<Rejection>) -> Self {
        Self::Failed(failure)
    }
}

impl From<NoAnswer> for BatchFailure {
    fn from(NoAnswer: NoAnswer) -> Self {
        Self::OutOfTime
    }
}

impl App {
    pub(crate) async fn execute(
        &self,
        commands: Vec<TradeCommand>,
        headers: BatchHeaders,
    ) -> Result<(), BatchFailure> {
        // Nothing is nothing in any game, also in none.
        if commands.is_empty() {
            return Ok(());
        }
        let until = self.clock.monotonic().after(headers.timeout);
        if headers.game.is_none() {
            // Which one is meant may have changed by what other replicas have committed.
            self.store.fresh().await.map_err(Failure::from)?;
        }
        let (commits, image) = (vec![self.store.commits(RECEIVED)], || self.store.image());
        let game =
            admit(&headers, &*self.clock, until, commits, image).await.map_err(BatchFailure::Refused)?;
        let left = until.since(self.clock.monotonic());
        let Some(_lock) = within(&*self.clock, left, self.locks.lock(game)).await else {
            return Err(self.without_turn(game, &commands).await);
        };
        let rest = self.prepare(commands, headers, until).await?;
        let mut batch = Batch::new(game, headers, rest, until);
        while !batch.is_done() {
            let is_over = until <= self.clock.monotonic();
            if is_over && batch.settlement.is_none() {
                return Err(self.out_of_time(&batch).await);
            }
            // What was answered is settled in any case.
            let most = if is_over { 0 } else { LARGEST_WAVE };
            let delivered = match self.advance(&mut batch, most).await? {
                None => continue,
                Some(Open::Begun(wave)) => self.deliver(&wave, true, until).await,
                Some(Open::Found(wave)) if wave.owner == self.replica => {
                    self.deliver(&wave, false, until).await
                }
                Some(Open::Found(_)) => {
                    self.wait_for_owner(game, until).await?;
                    continue;
                }
            };
            match delivered {
                Ok(settlement) => batch.settlement = Some(settlement),
                Err(Undelivered::TakenOver) => batch.is_overtaken = true,
                Err(Undelivered::NoAnswer) => return Err(self.out_of_time(&batch).await),
            }
        }
        Ok(())
    }

    async fn out_of_time(&self, batch: &Batch) -> BatchFailure {
        if batch.is_begun {
            return BatchFailure::OutOfTime;
        }
        self.without_turn(batch.game, batch.rest.iter().map(|prepared| &prepared.command)).await
    }

    /// An earlier batch of the game took all the time of this one. The sender may count on it that nothing was executed, so
    /// it is said only if that is true of an earlier sending of the same commands, too.
    async fn without_turn<'a>(
        &self,
        game: GameId,
        commands: impl IntoIterator<Item = &'a TradeCommand>,
    ) -> BatchFailure {
        let ids = commands.into_iter().filter_map(|command| command.transaction.clone());
        let ids: BTreeSet<Transaction> = ids.collect();
        let keys = ids.iter().cloned().map(Key::Executed).collect();
        let looking = Decision::<Trading, ()>::new(keys, move |image: &Image| {
            let steps = image.open.get(&game).into_iter().flat_map(|open| &open.call.steps);
            let mut under_way = steps.filter_map(|step| step.transaction.as_ref());
            let is_begun = under_way.any(|id| ids.contains(id)) || ids.iter().any(|id| image.is_executed(id));
            Err(if is_begun { Rejection::NothingToDo } else { Rejection::Busy { game } })
        });
        match self.apply(looking).await {
            Ok(()) | Err(Failure::Rejected(Rejection::NothingToDo)) => BatchFailure::OutOfTime,
            Err(failure) => failure.into(),
        }
    }

    /// Games with trades that are not settled.
    pub(crate) fn unfinished(&self) -> Vec<GameId> {
        self.image().open.keys().copied().collect()
    }

    /// One decision, on at most so many further commands. Returns the wave that has to be settled next.
    pub(super) async fn advance(&self, batch: &mut Batch, most: usize) -> Result<Option<Open>, BatchFailure> {
        let commands: Arc<[Prepared]> = batch.rest.iter().take(most).cloned().collect();
        let offered = commands.len();
        let draft = Draft {
            game: batch.game,
            headers: batch.headers,
            settlement: batch.settlement.take(),
            commands,
            is_first: batch.is_first,
            intent: IntentId(self.chance.uuid()),
            owner: self.replica,
            event_seed: self.chance.bits(),
            spawn_seed: batch.headers.seed.unwrap_or_else(|| self.chance.bits()),
            now: self.clock.wall(),
        };
        // What was answered is settled however late; what is to be begun would be at the prices of another round.
        let expiry = draft.settlement.is_none().then_some(batch.until).flatten();
        let mut work = draft.decision();
        if let Some(until) = expiry {
            work = work.expires(self.clock.clone(), until);
        }
        match self.apply(work).await {
            Ok(Progress { taken, begun, results }) => {
                self.metrics.traded(&results);
                batch.is_first = false;
                batch.is_begun = true;
                batch.is_overtaken = false;
                batch.rest.drain(..taken);
                Ok(begun.map(Open::Begun))
            }
            Err(Failure::Rejected(Rejection::NothingToDo)) => {
                batch.is_begun = true;
                batch.is_overtaken = false;
                batch.rest.drain(..offered);
                Ok(None)
            }
            Err(Failure::Rejected(Rejection::Unfinished(open))) => Ok(Some(Open::Found(*open))),
            Err(Failure::Rejected(Rejection::Overtaken)) => {
                batch.is_overtaken = true;
                Ok(None)
            }
            Err(Failure::Rejected(Rejection::Game(GameRefusal::Ended { game }))) if batch.is_begun => {
                Err(BatchFailure::Ended { game })
            }
            Err(Failure::Expired) => Err(self.out_of_time(batch).await),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// A wave that is open.
pub(super) enum Open {
    /// Of this batch, and nobody has made its calls.
    Begun(Intent<Wave>),
    /// Left by an earlier batch, or another replica is at it.
    Found(Intent<Wave>),
}

/// What is left of a batch.
pub(super) struct Batch {
    game: GameId,
    headers: BatchHeaders,
    rest: Vec<Prepared>,
    settlement: Option<Settlement>,
    /// Nothing is begun after this instant.
    until: Option<Monotonic>,
    /// No decision on it was made yet.
    is_first: bool,
    /// A part of it was executed or is under way, perhaps since an earlier sending.
    is_begun: bool,
    /// Another replica has settled its last wave, or is going to: nothing is done before that is.
    is_overtaken: bool,
}

impl Batch {
    fn new(game: GameId, headers: BatchHeaders, rest: Vec<Prepared>, until: Monotonic) -> Self {
        Self {
            game,
            headers,
            rest,
            settlement: None,
            until: Some(until),
            is_first: true,
            is_begun: false,
            is_overtaken: false,
        }
    }

    /// Of which nothing is left but to settle its last wave.
    pub(super) fn settling(game: GameId, headers: BatchHeaders, settlement: Settlement) -> Self {
        Self {
            game,
            headers,
            rest: Vec::new(),
            settlement: Some(settlement),
            until: None,
            is_first: false,
            is_begun: true,
            is_overtaken: false,
        }
    }

    fn is_done(&self) -> bool {
        self.rest.is_empty() && self.settlement.is_none() && !self.is_overtaken
    }
}
