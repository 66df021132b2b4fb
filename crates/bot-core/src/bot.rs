//! A bot: what it has learned of the game so far, and the orders that follow from it in a round.
//! The same seed and the same views give the same orders.

use std::collections::BTreeSet;

use starkeep_core_types::{PlanetId, Rng, RobotId};

use crate::atlas::{Atlas, Place};
use crate::errand::Outlook;
use crate::forecast::Forecast;
use crate::luck;
use crate::order::Order;
use crate::purchases::Role;
use crate::quarrels::Quarrels;
use crate::rules::ROBOT_PRICE;
use crate::view::{OwnRobot, View};

#[derive(Clone, Debug)]
pub struct Bot {
    rng: Rng,
    atlas: Atlas,
    forecast: Forecast,
    quarrels: Quarrels,
    /// Its robots, so that it does not take them for somebody else's.
    own: BTreeSet<RobotId>,
}

impl Bot {
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::from_seed(seed);
        let forecast = Forecast::new(&mut rng);
        Self { rng, atlas: Atlas::default(), forecast, quarrels: Quarrels::default(), own: BTreeSet::new() }
    }

    /// Which robots stood on a planet when one of the bot's own arrived there.
    pub fn saw(&mut self, round: u32, planet: PlanetId, robots: &[RobotId]) {
        let others = robots.iter().copied().filter(|robot| !self.own.contains(robot)).collect();
        self.quarrels.saw(round, planet, others);
    }

    /// What became of an attack: the health that the other one has left; none if the attack failed.
    pub fn struck(&mut self, target: RobotId, health_left: Option<i64>) {
        if health_left.is_none_or(|health| health <= 0) {
            self.quarrels.forget(target);
        }
    }

    /// What the bot does in the round: at most one order for each robot, and purchases of robots. Called once a round.
    pub fn orders(&mut self, view: &View) -> Vec<Order> {
        self.learn(view);
        self.decide(view)
    }

    fn learn(&mut self, view: &View) {
        view.planets.iter().for_each(|planet| self.atlas.learn(planet));
        self.forecast.note(view.prices);
        self.own = view.robots.iter().map(|robot| robot.id).collect();
        self.quarrels.clean_up(view.round, &self.own);
    }

    fn decide(&mut self, view: &View) -> Vec<Order> {
        let Self { rng, atlas, forecast, quarrels, .. } = self;
        let home = atlas.trips_to_stations();
        let outlook = Outlook { atlas, forecast, home, rounds_left: view.rounds_left() };
        let (sellers, others): (Vec<_>, Vec<_>) =
            view.robots.iter().enumerate().partition(|(_, robot)| outlook.can_sell(robot));
        let sales = sellers.iter().map(|(_, robot)| Order::Sell { robot: robot.id, planet: robot.planet });
        let mut orders: Vec<_> = sales.collect();
        // Sales come first in a round, and their prices are known.
        let income: u64 = sellers.iter().map(|(_, robot)| view.worth(robot.cargo)).sum();
        let mut budget = view.money + income;
        let mut taken = BTreeSet::new();
        for (number, robot) in others {
            let role = if number == 1 { Role::Guard } else { Role::Miner };
            let turn = Turn { outlook: &outlook, quarrels: &mut *quarrels, budget: &mut budget };
            orders.push(turn.order(robot, role, &mut taken, rng));
        }
        if outlook.wants_robot(view.robots.len(), budget) {
            budget -= ROBOT_PRICE;
            orders.push(Order::BuyRobots { amount: 1 });
        }
        orders.extend(luck::purchase(budget, rng).filter(|_| !view.robots.is_empty()));
        orders
    }
}

/// One robot's turn.
struct Turn<'a, 'b> {
    outlook: &'a Outlook<'b>,
    quarrels: &'a mut Quarrels,
    budget: &'a mut u64,
}

impl Turn<'_, '_> {
    fn order(self, robot: &OwnRobot, role: Role, taken: &mut BTreeSet<Place>, rng: &mut Rng) -> Order {
        if self.outlook.stands_on_station(robot) {
            if let Some(item) = self.outlook.item(robot, role, *self.budget) {
                *self.budget -= item.price();
                return Order::BuyItem { robot: robot.id, planet: robot.planet, item };
            }
        } else if let Some(order) = luck::sale(robot, rng) {
            return order;
        }
        if let Some(target) = self.quarrels.target(robot, rng) {
            return Order::Attack { robot: robot.id, target };
        }
        self.outlook.errand(robot, taken)
    }
}

impl Outlook<'_> {
    fn stands_on_station(&self, robot: &OwnRobot) -> bool {
        self.atlas.place(robot.planet).is_some_and(|place| self.atlas.is_station(place))
    }

    fn can_sell(&self, robot: &OwnRobot) -> bool {
        !robot.cargo.is_empty() && self.stands_on_station(robot)
    }
}
