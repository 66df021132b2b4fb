//! Finishing minings that were written down: the map is asked for each, with the same key every time, and the answers are
//! booked. Who finishes which is decided in `open_minings`.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use starkeep_executor::Reachability;
use starkeep_platform::clock::{Clock, Monotonic, within};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::intent::IntentId;
use starkeep_platform::replica::ReplicaId;
use starkeep_robot_core::{Books, GameId, MiningRefusal, MiningResult, settle_mining};

use super::{App, CALLS_AT_A_TIME, Outcome, changed, or_nothing};
use crate::domain::{Image, Mining, Rejection, RobotsMoved};
use crate::metrics::Done;
use crate::ports::{Map, MiningAnswer};
use crate::wire::events::Events;

/// How long the map is left alone after it gave no answer.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// One of the map's replicas may be frozen: so long an answer is waited for before another one is asked, with the same key.
const ATTEMPT: Duration = Duration::from_secs(1);

/// What came of a mining.
struct Answered {
    mining: Mining,
    outcome: Result<u64, MiningRefusal>,
    /// The map has not said it: this replica could not reach it, and nobody else has asked. Whoever is not the owner any
    /// longer does not know that.
    is_concluded: bool,
}

impl Answered {
    /// May this replica still book it?
    fn holds(&self, image: &Image, replica: ReplicaId) -> bool {
        let id = self.mining.id;
        if self.is_concluded {
            image.minings.owned(id, replica).is_some()
        } else {
            image.minings.contains(id)
        }
    }
}

/// How long and how often the map is asked.
#[derive(Clone, Copy)]
struct Patience {
    until: Monotonic,
    /// Whether an earlier request may have arrived.
    asked_before: bool,
}

impl App {
    /// Asks the map for minings of a game that this replica owns, and books what it answers. For `begun` it was not asked
    /// before. Whether it has answered all of them.
    pub(super) async fn settle_minings(
        &self,
        game: GameId,
        minings: Vec<Mining>,
        until: Monotonic,
        begun: &BTreeSet<IntentId>,
    ) -> Outcome<bool> {
        let count = minings.len();
        let calls: Vec<_> = minings
            .into_iter()
            .map(|mining| {
                let (map, clock, reachability) =
                    (self.map.clone(), self.clock.clone(), self.map_reachability.clone());
                let patience = Patience { until, asked_before: !begun.contains(&mining.id) };
                async move { ask(&*map, &*clock, &reachability, mining, patience).await }
            })
            .collect();
        let answers: Vec<Option<Answered>> = stream::iter(calls).buffered(CALLS_AT_A_TIME).collect().await;
        let answers: Vec<Answered> = answers.into_iter().flatten().collect();
        let is_complete = answers.len() == count;
        if !answers.is_empty() {
            self.book(game, answers).await?;
        }
        Ok(is_complete)
    }

    async fn book(&self, game: GameId, answers: Vec<Answered>) -> Outcome<()> {
        let round = answers.first().and_then(|answered| answered.mining.call.round);
        let (envelope, replica) = (self.envelope(game, round), self.replica());
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let answers: Vec<_> = answers.iter().filter(|answered| answered.holds(image, replica)).collect();
            let robots = image.robots_of(game).filter(|_| !answers.is_empty());
            let robots = robots.ok_or(Rejection::NothingToDo)?;
            let (mut fleet, mut books, mut results) = (robots.fleet.clone(), Books::default(), Vec::new());
            for Answered { mining, outcome, .. } in &answers {
                let call = &mining.call;
                let (settled, lost) = settle_mining(&mut fleet, &call.site, call.energy, *outcome);
                books.mined.add(call.site.resource, outcome.unwrap_or(0));
                books.lost.add(call.site.resource, lost);
                results.extend(call.places.iter().copied().zip(settled));
            }
            let results = in_order(results);
            let mut events = Events::new(envelope);
            events.minings(&results);
            let change = RobotsMoved {
                robots: changed(&robots.fleet, &fleet, results.iter().map(|result| result.order.robot)),
                books,
                settled: answers.iter().map(|answered| answered.mining.id).collect(),
                ..RobotsMoved::of(game)
            };
            let output = Done::minings(&results).with_mined(books.mined);
            Ok(Decided { change: change.into(), events: events.into_all(), output })
        });
        let done: Done = or_nothing(self.apply(work).await)?;
        self.metrics.executed(done);
        Ok(())
    }
}

/// Failures first, then what succeeded, each in the order of their commands.
fn in_order(mut results: Vec<(u32, MiningResult)>) -> Vec<MiningResult> {
    results.sort_by_key(|(place, result)| (result.outcome.is_ok(), *place));
    results.into_iter().map(|(_, result)| result).collect()
}

/// None if the time was over before there was an answer, and the mining stays open.
async fn ask(
    map: &dyn Map,
    clock: &dyn Clock,
    reachability: &Reachability,
    mining: Mining,
    patience: Patience,
) -> Option<Answered> {
    let mut may_have_arrived = patience.asked_before;
    loop {
        let answer = call(map, clock, &mining, patience.until).await;
        let (now, again) = (clock.monotonic(), clock.monotonic().after(RETRY_DELAY));
        let is_over = again >= patience.until;
        match answer {
            MiningAnswer::Mined(amount) => {
                reachability.note_answer();
                return Some(Answered { mining, outcome: Ok(amount), is_concluded: false });
            }
            MiningAnswer::Refused(refusal) => {
                reachability.note_answer();
                return Some(Answered { mining, outcome: Err(refusal), is_concluded: false });
            }
            MiningAnswer::NotTaken if !may_have_arrived => {
                if !reachability.note_failure(now) || is_over {
                    let outcome = Err(MiningRefusal::NoAnswer);
                    return Some(Answered { mining, outcome, is_concluded: true });
                }
            }
            MiningAnswer::NotTaken => {}
            MiningAnswer::Unknown => may_have_arrived = true,
        }
        if is_over {
            return None;
        }
        clock.sleep_until(again).await;
    }
}

/// A call that begins in time is waited for until the time is over, and not for long; one that does not has the map's own
/// time-out.
async fn call(map: &dyn Map, clock: &dyn Clock, mining: &Mining, until: Monotonic) -> MiningAnswer {
    let left = until.since(clock.monotonic());
    if left.is_zero() {
        return map.mine(&mining.call).await;
    }
    within(clock, left.min(ATTEMPT), map.mine(&mining.call)).await.unwrap_or(MiningAnswer::Unknown)
}
