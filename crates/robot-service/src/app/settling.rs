//! Minings that were written down: the map is asked for each, with the same key every time, and the answers are booked.
//! Whoever finds them open may finish them: the batch that began them, the next batch of the game, or a task after a crash.

use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use starkeep_platform::clock::{Clock, Monotonic, within};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::lease::Epoch;
use starkeep_robot_core::{Books, GameId, MiningRefusal, MiningResult, settle_mining};
use tokio::sync::watch;

use super::{App, CALLS_AT_A_TIME, Outcome, changed, or_nothing};
use crate::domain::{Image, MININGS, Mining, Rejection, RobotsMoved};
use crate::metrics::Done;
use crate::ports::{Map, MiningAnswer};
use crate::wire::events::Events;

/// How long the map is left alone after it gave no answer.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// A mining that the map has answered.
type Answered = (Mining, Result<u64, MiningRefusal>);

/// How long and how often the map is asked.
#[derive(Clone, Copy)]
struct Patience {
    until: Monotonic,
    /// Whether an earlier request may have arrived.
    asked_before: bool,
}

impl App {
    /// Games whose minings the map has not answered.
    pub(crate) fn games_with_open_minings(&self) -> Vec<GameId> {
        let image = self.store.image();
        let mut games: Vec<_> = image.minings.iter().map(|mining| mining.call.game).collect();
        games.sort_unstable();
        games.dedup();
        games
    }

    /// Changes when minings were begun or settled.
    pub(crate) fn mining_commits(&self) -> watch::Receiver<()> {
        self.store.commits(MININGS)
    }

    /// For the task: waits for the game's turn, then asks the map once. Whether nothing is open any longer.
    pub(crate) async fn finish_minings(&self, epoch: Epoch, game: GameId) -> Outcome<bool> {
        let _turn = self.locks.lock(game).await;
        let patience = Patience { until: self.clock.monotonic(), asked_before: true };
        self.settle_minings(game, patience, Some(epoch)).await
    }

    /// Those that an earlier batch left open. Whether nothing is open any longer.
    pub(super) async fn settle_open_minings(&self, game: GameId, until: Monotonic) -> Outcome<bool> {
        self.settle_minings(game, Patience { until, asked_before: true }, None).await
    }

    /// Those that were written down just now. Whether nothing is open any longer.
    pub(super) async fn settle_new_minings(&self, game: GameId, until: Monotonic) -> Outcome<bool> {
        self.settle_minings(game, Patience { until, asked_before: false }, None).await
    }

    async fn settle_minings(&self, game: GameId, patience: Patience, epoch: Option<Epoch>) -> Outcome<bool> {
        let open: Vec<Mining> = self.store.image().open_minings(game).cloned().collect();
        if open.is_empty() {
            return Ok(true);
        }
        let count = open.len();
        let calls: Vec<_> = open
            .into_iter()
            .map(|mining| {
                let (map, clock) = (self.map.clone(), self.clock.clone());
                async move {
                    let answer = ask(&*map, &*clock, &mining, patience).await;
                    answer.map(|answer| (mining, answer))
                }
            })
            .collect();
        let answers: Vec<Option<Answered>> = stream::iter(calls).buffered(CALLS_AT_A_TIME).collect().await;
        let answers: Vec<Answered> = answers.into_iter().flatten().collect();
        let is_complete = answers.len() == count;
        if !answers.is_empty() {
            self.book(game, answers, epoch).await?;
        }
        Ok(is_complete)
    }

    async fn book(&self, game: GameId, answers: Vec<Answered>, epoch: Option<Epoch>) -> Outcome<()> {
        let round = answers.first().and_then(|(mining, _)| mining.call.round);
        let envelope = self.envelope(game, round);
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let is_open = |(mining, _): &&Answered| image.minings.contains(mining.id);
            let answers: Vec<_> = answers.iter().filter(is_open).collect();
            let robots = image.robots_of(game).filter(|_| !answers.is_empty());
            let robots = robots.ok_or(Rejection::NothingToDo)?;
            let (mut fleet, mut books, mut results) = (robots.fleet.clone(), Books::default(), Vec::new());
            for (mining, answer) in &answers {
                let call = &mining.call;
                let (settled, lost) = settle_mining(&mut fleet, &call.site, call.energy, *answer);
                books.mined.add(call.site.resource, answer.unwrap_or(0));
                books.lost.add(call.site.resource, lost);
                results.extend(call.places.iter().copied().zip(settled));
            }
            let results = in_order(results);
            let mut events = Events::new(envelope);
            events.minings(&results);
            let change = RobotsMoved {
                robots: changed(&robots.fleet, &fleet, results.iter().map(|result| result.order.robot)),
                books,
                settled: answers.iter().map(|(mining, _)| mining.id).collect(),
                ..RobotsMoved::of(game)
            };
            let output = Done::minings(&results).with_mined(books.mined);
            Ok(Decided { change: change.into(), events: events.into_all(), output })
        });
        let done: Done = or_nothing(self.apply(work.fenced_by(epoch)).await)?;
        self.metrics.executed(done);
        Ok(())
    }
}

/// Failures first, then what succeeded, each in the order of their commands.
fn in_order(mut results: Vec<(u32, MiningResult)>) -> Vec<MiningResult> {
    results.sort_by_key(|(place, result)| (result.outcome.is_ok(), *place));
    results.into_iter().map(|(_, result)| result).collect()
}

/// The map's answer; none if the time was over before there was one, and the mining stays open.
async fn ask(
    map: &dyn Map,
    clock: &dyn Clock,
    mining: &Mining,
    patience: Patience,
) -> Option<Result<u64, MiningRefusal>> {
    let mut may_have_arrived = patience.asked_before;
    loop {
        match call(map, clock, mining, patience.until).await {
            MiningAnswer::Mined(amount) => return Some(Ok(amount)),
            MiningAnswer::Refused(refusal) => return Some(Err(refusal)),
            MiningAnswer::NotTaken if !may_have_arrived => return Some(Err(MiningRefusal::NoAnswer)),
            MiningAnswer::NotTaken => {}
            MiningAnswer::Unknown => may_have_arrived = true,
        }
        let again = clock.monotonic().after(RETRY_DELAY);
        if again >= patience.until {
            return None;
        }
        clock.sleep_until(again).await;
    }
}

/// A call that begins in time is waited for until the time is over; one that does not has the map's own time-out.
async fn call(map: &dyn Map, clock: &dyn Clock, mining: &Mining, until: Monotonic) -> MiningAnswer {
    let left = until.since(clock.monotonic());
    if left.is_zero() {
        return map.mine(&mining.call).await;
    }
    within(clock, left, map.mine(&mining.call)).await.unwrap_or(MiningAnswer::Unknown)
}
