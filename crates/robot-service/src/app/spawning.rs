//! Spawning: the map is asked first, then all robots of an order and their events are one commit, or nothing is.
//! An order that comes again gets the robots that it got the first time, as they were then.

use std::collections::BTreeSet;

use starkeep_executor::BatchHeaders;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::intent::IntentId;
use starkeep_robot_core::{CommandId, IdGenerator, PlanetId, PlayerId, Robot, RobotId};

use super::{App, Outcome, rejected};
use crate::domain::{Image, Key, Order, Rejection, RobotsMoved, SpawnedRobots, Surroundings};
use crate::wire::events::Events;

#[derive(Clone, Debug)]
pub(crate) struct SpawnRequest {
    pub(crate) transaction: CommandId,
    pub(crate) player: PlayerId,
    pub(crate) planets: Vec<PlanetId>,
    pub(crate) quantity: usize,
}

impl App {
    pub(crate) async fn spawn(
        &self,
        headers: BatchHeaders,
        request: SpawnRequest,
        answer: AnswerRecorder<Vec<Robot>>,
    ) -> Outcome<Vec<Robot>> {
        let SpawnRequest { transaction, player, mut planets, quantity } = request;
        if planets.len() < quantity {
            return rejected(Rejection::TooFewPlanets);
        }
        planets.truncate(quantity);
        // Nothing needs no game.
        if quantity == 0 {
            return Ok(Vec::new());
        }
        let until = self.clock.monotonic().after(headers.timeout);
        let (game, round) = self.game_of_order(headers).await?;
        let mut ids = IdGenerator::from_seed(self.chance.bits());
        let robots = planets.iter().map(|planet| (RobotId(ids.next_id()), *planet)).collect();
        let order = Order::Spawn { player, robots };
        // The map need not be there to repeat an answer.
        if let Some(done) = self.store.order(transaction).await.map_err(unreadable)? {
            return repeated(transaction, &order, &done);
        }
        let told = self.planets(planets.into_iter().collect::<BTreeSet<_>>(), until).await;
        if let Some((planet, fault)) = told.first_fault() {
            return rejected(Rejection::Planet { planet, fault });
        }
        let (envelope, asked) = (self.envelope(game, round), order.clone());
        let (replica, is_told_later) = (self.replica(), !self.settings.neighbours_delay.is_zero());
        let work = Decision::new(vec![Key::Order(transaction)], move |image: &Image| {
            if let Some(done) = image.order(transaction) {
                return Err(Rejection::Repeated(done.clone()));
            }
            let before = image.taking_orders(game)?;
            let mut fleet = before.fleet.clone();
            let mut events = Events::new(envelope);
            let robots = new_robots(&order, before.spawned);
            let mut surroundings = Vec::new();
            for robot in &robots {
                events.spawn(transaction, robot, &fleet);
                fleet.put(*robot);
                let around = told.get(robot.planet).map(|planet| planet.neighbours.clone());
                surroundings.push((robot.id, around.unwrap_or_default()));
                if !is_told_later {
                    let spawned = SpawnedRobots { game, round, transaction, player, robots: surroundings };
                    events.surroundings(&spawned);
                    surroundings = Vec::new();
                }
            }
            let first = surroundings.first().map(|(robot, _)| IntentId(robot.0));
            let untold = first.map(|id| Surroundings {
                id,
                owner: replica,
                call: SpawnedRobots { game, round, transaction, player, robots: surroundings },
            });
            let change = RobotsMoved {
                robots: robots.clone(),
                order: Some((transaction, order.clone())),
                untold,
                ..RobotsMoved::of(game)
            };
            Ok(Decided { change: change.into(), events: events.into_all(), output: robots })
        });
        match self.apply(work.record_answer(answer)).await {
            Err(Failure::Rejected(Rejection::Repeated(done))) => repeated(transaction, &asked, &done),
            outcome => outcome.inspect(|robots| self.metrics.spawned(robots.len())),
        }
    }
}

/// The robots of an order as they are when they are spawned, after so many others.
fn new_robots(order: &Order, spawned: u64) -> Vec<Robot> {
    let Order::Spawn { player, robots } = order else { return Vec::new() };
    let robots = (spawned + 1..).zip(robots);
    robots.map(|(number, (id, planet))| Robot::new(*id, number, *player, *planet)).collect()
}

fn repeated(transaction: CommandId, asked: &Order, done: &Order) -> Outcome<Vec<Robot>> {
    if !asked.is_repeat_of(done) {
        return rejected(Rejection::TransactionReused { transaction });
    }
    // Their numbers are not shown.
    Ok(new_robots(done, 0))
}

fn unreadable(fault: String) -> Failure<Rejection> {
    Failure::Rejected(Rejection::Unreadable { fault })
}
