//! The calls to the robot service: robots are looked up before a batch, and what a wave has ordered is delivered. A call
//! that gets no answer is made again with the same key until the batch's time is over.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::iter;
use starkeep_executor::BatchHeaders;
use starkeep_platform::clock::Monotonic;
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_trading_core::{GameId, Item, RobotId, TradedRobot};

use super::App;
use super::waves::{Prepared, Settlement};
use crate::domain::{Order, Step, Trade, TradeCommand, Wave};
use crate::ports::{CallContext, Delivered, RobotCall, RobotFault, RobotWork, Robots};
use crate::wire::{NO_ANSWER, NO_ROBOT_SERVICE, NOT_REACHED};

/// So many calls are under way at the same time, where their order does not show.
const AT_ONCE: usize = 16;

/// Between two attempts of a call that got no answer.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// One of the robot service's replicas may be frozen: so long an answer is waited for before another one is asked, where the
/// call may be repeated.
const ATTEMPT: Duration = Duration::from_secs(1);

/// The robot service did not answer in time; what came of its calls is not known yet.
#[derive(Debug)]
pub(super) struct NoAnswer;

/// Why the calls of a wave are not all made.
#[derive(Debug)]
pub(super) enum Undelivered {
    NoAnswer,
    /// The wave belongs to another replica by now.
    TakenOver,
}

/// Why nothing was done, in a sentence for the player.
struct NotDone {
    sentence: String,
    /// Nobody has said it: the call has not arrived, or may be made only once and got no answer.
    is_concluded: bool,
}

type Lookup = Result<Option<TradedRobot>, String>;

/// How a call may be made.
#[derive(Clone, Copy)]
struct Attempts {
    /// Nobody has made it before: as long as all connections are refused it has certainly not arrived.
    is_fresh: bool,
    /// Sent again, it takes effect once.
    is_repeatable: bool,
    /// It takes effect whoever makes it, so that only the owner of this wave may.
    only_by_owner: Option<(GameId, IntentId)>,
    until: Monotonic,
}

impl App {
    /// The commands of a batch, with the robots that they name as they are now.
    pub(super) async fn prepare(
        &self,
        commands: Vec<TradeCommand>,
        headers: BatchHeaders,
        until: Monotonic,
    ) -> Result<Vec<Prepared>, NoAnswer> {
        let named = commands.iter().filter_map(|command| command.trade.as_ref().ok()?.robot());
        let named: BTreeSet<RobotId> = named.collect();
        let lookups = iter(named).map(|robot| self.look_up(robot, headers, until)).buffer_unordered(AT_ONCE);
        let found: Vec<Result<(RobotId, Lookup), NoAnswer>> = lookups.collect().await;
        let found: BTreeMap<_, _> = found.into_iter().collect::<Result<_, _>>()?;
        let prepared = |command: TradeCommand| {
            let robot = command.trade.as_ref().ok().and_then(|trade: &Trade| trade.robot());
            let robot = robot.and_then(|robot| found.get(&robot).cloned()).unwrap_or(Ok(None));
            Prepared { command, robot }
        };
        Ok(commands.into_iter().map(prepared).collect())
    }

    async fn look_up(
        &self,
        robot: RobotId,
        headers: BatchHeaders,
        until: Monotonic,
    ) -> Result<(RobotId, Lookup), NoAnswer> {
        let Some(robots) = &self.robots else { return Ok((robot, Err(NO_ROBOT_SERVICE.to_owned()))) };
        let attempts = Attempts { is_fresh: true, is_repeatable: true, only_by_owner: None, until };
        let found = self.attempt(attempts, |within| robots.find(robot, context(headers, within))).await;
        // Nobody owns a question.
        let found = found.map_err(|_| NoAnswer)?;
        Ok((robot, found.map_err(|not_done| not_done.sentence)))
    }

    /// Makes the calls of a wave. Those of spawns are made in list order; the others are announced by no event of the robot
    /// service, so that of several robots in a row several are called at the same time.
    pub(super) async fn deliver(
        &self,
        wave: &Intent<Wave>,
        is_fresh: bool,
        until: Monotonic,
    ) -> Result<Settlement, Undelivered> {
        let steps = &wave.call.steps;
        let mut answers: Vec<Option<Result<Delivered, String>>> = vec![None; steps.len()];
        let mut is_concluded = false;
        let mut attempts = Attempts { is_fresh, is_repeatable: true, only_by_owner: None, until };
        let refused = match &self.robots {
            None => Some(NO_ROBOT_SERVICE.to_owned()),
            Some(robots) => match self.attempt(attempts, |_| robots.executes_once()).await? {
                Ok(once) => {
                    attempts.is_repeatable = once;
                    attempts.only_by_owner = (!once).then_some((wave.call.game, wave.id));
                    None
                }
                Err(not_done) => {
                    is_concluded = not_done.is_concluded;
                    Some(not_done.sentence)
                }
            },
        };
        if let (Some(robots), None) = (&self.robots, &refused) {
            for group in groups(steps) {
                let calls = group.into_iter().filter_map(|place| Some((place, call_of(&steps[place])?)));
                let calls = calls.map(|(place, call)| async move {
                    let answer = self.call(&**robots, &wave.call, call, attempts).await;
                    answer.map(|answer| (place, answer))
                });
                let answered: Vec<_> = iter(calls).buffer_unordered(AT_ONCE).collect().await;
                for answer in answered {
                    let (place, answer) = answer?;
                    is_concluded |= answer.as_ref().is_err_and(|not_done| not_done.is_concluded);
                    answers[place] = Some(answer.map_err(|not_done| not_done.sentence));
                }
            }
        } else if let Some(sentence) = refused {
            answers = vec![Some(Err(sentence)); steps.len()];
        }
        Ok(Settlement { id: wave.id, answers, is_concluded })
    }

    async fn call(
        &self,
        robots: &dyn Robots,
        wave: &Wave,
        call: RobotCall,
        attempts: Attempts,
    ) -> Result<Result<Delivered, NotDone>, Undelivered> {
        if !attempts.is_fresh && !attempts.is_repeatable {
            return Ok(concluded(NO_ANSWER));
        }
        // A batch that names no round is executed at once: the robot service must not wait for the end of the input either.
        let games = &self.image().games;
        let headers = BatchHeaders {
            game: Some(wave.game),
            round: wave.round.filter(|round| games.has_reached(wave.game, *round)),
            seed: wave.seed,
            timeout: self.robot_timeout,
        };
        self.attempt(attempts, |within| robots.deliver(call.clone(), context(headers, within))).await
    }

    /// Until there is an answer, or the time is over.
    async fn attempt<T, Fut>(
        &self,
        attempts: Attempts,
        call: impl Fn(Duration) -> Fut,
    ) -> Result<Result<T, NotDone>, Undelivered>
    where
        Fut: Future<Output = Result<T, RobotFault>>,
    {
        let mut has_not_arrived = attempts.is_fresh;
        let longest =
            if attempts.is_repeatable { self.robot_timeout.min(ATTEMPT) } else { self.robot_timeout };
        loop {
            let left = attempts.until.since(self.clock.monotonic());
            if left.is_zero() {
                return Err(Undelivered::NoAnswer);
            }
            if let Some((game, wave)) = attempts.only_by_owner
                && !self.owns(game, wave).await.map_err(|_| Undelivered::NoAnswer)?
            {
                return Err(Undelivered::TakenOver);
            }
            let answer = call(left.min(longest)).await;
            let now = self.clock.monotonic();
            let next = now.after(RETRY_DELAY).min(attempts.until);
            match answer {
                Ok(output) => {
                    self.robot_reachability.note_answer();
                    return Ok(Ok(output));
                }
                Err(RobotFault::Refused(sentence)) => {
                    self.robot_reachability.note_answer();
                    return Ok(Err(NotDone { sentence, is_concluded: false }));
                }
                Err(RobotFault::NotReached(fault))
                    if has_not_arrived
                        && (!self.robot_reachability.note_failure(now) || next >= attempts.until) =>
                {
                    tracing::warn!(%fault, "the robot service cannot be reached");
                    return Ok(concluded(NOT_REACHED));
                }
                Err(RobotFault::NotReached(fault)) => {
                    tracing::warn!(%fault, "the robot service cannot be reached, trying again");
                }
                Err(RobotFault::Unclear(fault)) if !attempts.is_repeatable => {
                    tracing::warn!(%fault, "the robot service did not answer, and is not asked again");
                    return Ok(concluded(NO_ANSWER));
                }
                Err(RobotFault::Unclear(fault)) => {
                    has_not_arrived = false;
                    tracing::warn!(%fault, "the robot service does not answer, trying again");
                }
            }
            self.clock.sleep_until(next).await;
        }
    }
}

fn concluded<T>(sentence: &str) -> Result<T, NotDone> {
    Err(NotDone { sentence: sentence.to_owned(), is_concluded: true })
}

fn context(headers: BatchHeaders, within: Duration) -> CallContext {
    CallContext { headers: BatchHeaders { timeout: within, ..headers }, within }
}

/// The places of steps whose calls may be made at the same time: none of them spawns, and no robot is called twice.
fn groups(steps: &[Step]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut robots: Option<BTreeSet<RobotId>> = None;
    for (place, step) in steps.iter().enumerate().filter(|(_, step)| step.is_call()) {
        let spawns = matches!(&step.order, Order::Buy(bought) if bought.item == Item::Robot);
        let joins = match (&mut robots, step.robot) {
            (Some(called), Some(robot)) if !spawns => called.insert(robot),
            _ => false,
        };
        if let Some(group) = groups.last_mut().filter(|_| joins) {
            group.push(place);
        } else {
            groups.push(vec![place]);
            robots = (!spawns).then(|| step.robot.into_iter().collect());
        }
    }
    groups
}

/// None for what was refused. Only a command with an id is ordered.
fn call_of(step: &Step) -> Option<RobotCall> {
    let transaction = step.transaction.as_ref()?.id()?;
    let work = match &step.order {
        Order::Refused(_) => return None,
        Order::Sell { robot, .. } => RobotWork::Unload { robot: *robot },
        Order::Buy(bought) => match (bought.item, step.robot) {
            (Item::Robot, _) => RobotWork::Spawn { player: bought.player, planets: bought.planets.clone() },
            (Item::Health, Some(robot)) => RobotWork::RestoreHealth { robot },
            (Item::Energy, Some(robot)) => RobotWork::RestoreEnergy { robot },
            (Item::Upgrade { of, level }, Some(robot)) => RobotWork::Upgrade { robot, of, level },
            (Item::Special(_), _) | (_, None) => return None,
        },
    };
    Some(RobotCall { transaction, work })
}

#[cfg(test)]
mod tests {
    use starkeep_trading_core::{PlayerId, Reservation};
    use uuid::Uuid;

    use super::*;
    use crate::domain::{Side, Transaction};

    fn step(robot: u128, spawns: bool) -> Step {
        let player = PlayerId(Uuid::nil());
        let item = if spawns { Item::Robot } else { Item::Health };
        let bought = Reservation { player, item, count: 1, cost: 1, planets: vec![], is_first: false };
        Step {
            transaction: Some(Transaction::Id(Uuid::from_u128(robot))),
            side: Side::Buy,
            player: Some(player),
            robot: Some(RobotId(Uuid::from_u128(robot))),
            order: Order::Buy(bought),
        }
    }

    #[test]
    fn spawns_are_called_alone_and_a_robot_once_at_a_time() {
        let steps =
            [(1, false), (2, false), (1, false), (3, false), (4, true), (5, true), (6, false), (7, false)];
        let mut steps: Vec<_> = steps.into_iter().map(|(robot, spawns)| step(robot, spawns)).collect();
        steps[3].order = Order::Refused(String::new());
        assert_eq!(groups(&steps), [vec![0, 1], vec![2], vec![4], vec![5], vec![6, 7]]);
    }
}
