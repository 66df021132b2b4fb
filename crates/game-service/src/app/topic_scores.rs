//! Rounds that are scored from topics: of executors that have no event stream. A round is scored when every command that may have been
//! carried out has its result and every robot that fell is known to be destroyed, or when it was waited for long enough.
//!
//! Results are kept with their commands, so a restart neither repeats nor misses any. Scores that were shown never change: trades that
//! arrive after their round was scored count from the next one on, and fights are not counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use starkeep_game_core::{ExecutorKind, GameId, RobotId};
use starkeep_platform::clock::Monotonic;
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{
    BatchState, Change, Followed, GameScores, Image, Key, RecordedNews, Rejection, ToldRound, topics_of,
};
use crate::ports::{KeptCommand, Unreadable};
use crate::wire::told_in_results;

/// How long after its end a round waits for what is missing, while all topics are read. The slowest purchases that were seen took 5 s.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What topics tell of a round.
pub(super) enum InTopics {
    /// It can be scored; none if no topic tells of it.
    Complete(Option<ToldInTopics>),
    /// Something is missing; it is scored without it after that.
    Waits(Monotonic),
}

type TopicPositions = Vec<Option<String>>;

pub(super) struct ToldInTopics {
    pub(super) round: ToldRound,
    pub(super) topics: Followed,
    /// Robots that have to be in memory.
    pub(super) keys: Vec<Key>,
    /// How far the topics had been read before the results were looked up, if one of them was missing.
    pub(super) incomplete_after: Option<TopicPositions>,
}

/// Since when this process knows that rounds are over.
#[derive(Default)]
pub(crate) struct RoundsOver(Mutex<BTreeMap<(GameId, u32), Monotonic>>);

impl RoundsOver {
    /// Notes all rounds of the game that are over, from the next one to score on; since when that one is.
    fn since(&self, game: GameId, next: u32, last: u32, now: Monotonic) -> Monotonic {
        let mut over = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        over.retain(|(of, round), _| *of != game || *round >= next);
        for round in next..=last {
            over.entry((game, round)).or_insert(now);
        }
        over.get(&(game, next)).copied().unwrap_or(now)
    }

    /// The time begins anew.
    fn forget(&self, game: GameId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(of, _), _| *of != game);
    }

    fn forget_others(&self, known: &BTreeSet<GameId>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(game, _), _| known.contains(game));
    }
}

impl App {
    /// Games that run are scored from now on, also if nobody has told of an account.
    pub(super) async fn begin_scores_by_topics(&self, epoch: Epoch, topics: Followed) -> Outcome<()> {
        let image = self.store.image();
        self.rounds_over.forget_others(&image.games_to_score().collect());
        if topics == Followed::default() || image.games_without_scores().next().is_none() {
            return Ok(());
        }
        let work = Decision::new(vec![], move |image: &Image| {
            // From its first round on: results of earlier ones are read as well.
            let begun: Vec<_> = image.games_without_scores().map(|game| (game, 0)).collect();
            if begun.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let news = RecordedNews { begun, ..RecordedNews::default() };
            Ok(Decided { change: Change::ExecutorNewsRecorded(Box::new(news)), events: vec![], output: () })
        });
        match self.decide(work.fenced_by(epoch)).await {
            Err(Failure::Rejected(_)) => Ok(()),
            outcome => outcome,
        }
    }

    pub(super) async fn round_in_topics(
        &self,
        image: &Image,
        game: GameId,
        round: u32,
        topics: Followed,
    ) -> Outcome<InTopics> {
        if topics == Followed::default() {
            return Ok(InTopics::Complete(None));
        }
        let last = match image.active_game(game) {
            Some(game) => game.current_round().saturating_sub(1),
            None => image.scores(game).and_then(GameScores::last_round).unwrap_or(round),
        };
        let now = self.clock.monotonic();
        let over_since = if self.topic_results.reads(topics) {
            self.rounds_over.since(game, round, last, now)
        } else {
            // What cannot be read now may be there.
            self.rounds_over.forget(game);
            now
        };
        let limit = over_since.after(LONGEST_WAIT);
        let commands = self.store.carried_out(game, round).await.map_err(unreadable)?;
        let told = told_in_results(&commands);
        let is_missing = (topics.trading && image.lacks_accounts(game))
            || commands.iter().any(|command| lacks_result(command, topics))
            || (topics.robots && self.any_alive(&told.fallen).await?);
        if is_missing && now < limit {
            return Ok(InTopics::Waits(limit));
        }
        if is_missing {
            tracing::warn!(%game, round, "a round is scored although topics have not told everything of it");
        }
        let tracked = image.tracked_robots(game).chain(told.fallen.iter().copied()).map(Key::Robot);
        let bought = told.spawned().map(Key::Robot);
        let players = image.game(game).map(|game| game.roster.clone()).ok();
        let players = match players {
            Some(players) => players,
            None => match self.store.ended_game(game).await.map_err(unreadable)? {
                Some(ended) => ended.roster,
                None => return Ok(InTopics::Complete(None)),
            },
        };
        let living = players.iter().map(Key::RobotsOf);
        let keys = tracked.chain(bought).chain(living).collect();
        let incomplete_after = is_missing.then(|| positions(image, topics));
        Ok(InTopics::Complete(Some(ToldInTopics { round: told, topics, keys, incomplete_after })))
    }

    /// A robot that nobody has told of is not waited for.
    async fn any_alive(&self, robots: &BTreeSet<RobotId>) -> Outcome<bool> {
        if robots.is_empty() {
            return Ok(false);
        }
        let known = self.store.robots(robots.iter().copied().collect()).await.map_err(unreadable)?;
        Ok(known.iter().any(|(_, robot)| robot.alive))
    }
}

/// May it have been carried out, and is not told of yet?
fn lacks_result(KeptCommand { command, batch, result, .. }: &KeptCommand, topics: Followed) -> bool {
    let may_be_carried_out =
        matches!(batch, Some(BatchState::Sending | BatchState::Dispatched | BatchState::Unknown));
    result.is_none() && may_be_carried_out && topics.follows(command.order.kind().executor())
}

pub(super) fn positions(image: &Image, topics: Followed) -> TopicPositions {
    let executors = [ExecutorKind::Trading, ExecutorKind::Robots].into_iter();
    let read = executors.filter(|executor| topics.follows(*executor)).flat_map(topics_of);
    read.map(|topic| image.position_of(topic).map(ToOwned::to_owned)).collect()
}

pub(super) fn unreadable(Unreadable(fault): Unreadable) -> Failure<Rejection> {
    Failure::Store(StoreFault::Unavailable(fault))
}
