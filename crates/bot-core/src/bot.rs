//! A bot: what it has learned of the game so far, and the orders that follow from it in a round.
//! The same seed and the same views give the same orders.

use std::collections::{BTreeMap, BTreeSet};

use starkeep_core_types::{PlanetId, Rng, RobotId};

use crate::deliberate_refusals;
use crate::fights::Fights;
use crate::forecast::Forecast;
use crate::heading::Heading;
use crate::known_map::{KnownMap, Place};
use crate::order::Order;
use crate::plan::Planner;
use crate::rules::ROBOT_PRICE;
use crate::view::{OwnRobot, View};

#[derive(Clone, Debug)]
pub struct Bot {
    rng: Rng,
    map: KnownMap,
    forecast: Forecast,
    fights: Fights,
    headings: BTreeMap<RobotId, Heading>,
}

impl Bot {
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::from_seed(seed);
        let forecast = Forecast::new(&mut rng);
        Self { rng, map: KnownMap::default(), forecast, fights: Fights::default(), headings: BTreeMap::new() }
    }

    /// Which robots stood on a planet after one had arrived there, the bot's own included.
    pub fn saw(&mut self, round: u32, planet: PlanetId, robots: &[RobotId]) {
        self.fights.saw(round, planet, robots.to_vec());
    }

    /// One of the bot's own robots was struck.
    pub fn attacked(&mut self, robot: RobotId, by: RobotId) {
        self.fights.attacked(robot, by);
    }

    /// What became of an attack of one of them: the health that the other one has left; none if the attack failed.
    pub fn struck(&mut self, target: RobotId, health_left: Option<i64>) {
        if health_left.is_none_or(|health| health <= 0) {
            self.fights.forget(target);
        }
    }

    /// What the bot does in the round: at most one order for each robot, and purchases of robots. Called once a round.
    pub fn orders(&mut self, view: &View) -> Vec<Order> {
        self.learn(view);
        self.decide(view)
    }

    fn learn(&mut self, view: &View) {
        // In the order of the robots, whatever the order of the planets.
        for robot in &view.robots {
            view.planets
                .iter()
                .filter(|planet| planet.id == robot.planet)
                .for_each(|planet| self.map.learn(planet));
        }
        self.forecast.note(view.prices);
        let own = view.robots.iter().map(|robot| robot.id).collect();
        self.fights.clean_up(view.round, &own);
        self.headings.retain(|robot, _| own.contains(robot));
    }

    fn decide(&mut self, view: &View) -> Vec<Order> {
        let Self { rng, map, forecast, fights, headings, .. } = self;
        let to_station = map.trips_to_stations();
        let planner = Planner { map, forecast, to_station, rounds_left: view.rounds_left() };
        let (sellers, others): (Vec<&OwnRobot>, Vec<_>) =
            view.robots.iter().partition(|robot| planner.can_sell(robot));
        let sales = sellers.iter().map(|robot| Order::Sell { robot: robot.id, planet: robot.planet });
        let mut orders: Vec<_> = sales.collect();
        // Sales come first in a round, and their prices are known.
        let income: u64 = sellers.iter().map(|robot| view.worth(robot.cargo)).sum();
        let mut budget = view.money.saturating_add(income);
        let mut taken = BTreeSet::new();
        for robot in others {
            let turn = Turn { planner: &planner, robot, heading: headings.entry(robot.id).or_default() };
            orders.push(turn.order(&mut budget, fights, &mut taken, rng));
        }
        if planner.wants_robot(view.robots.len(), budget) {
            budget -= ROBOT_PRICE;
            orders.push(Order::BuyRobots { amount: 1 });
        }
        orders.extend(deliberate_refusals::purchase(budget, rng).filter(|_| !view.robots.is_empty()));
        orders
    }
}

/// One robot's turn.
struct Turn<'a> {
    planner: &'a Planner<'a>,
    robot: &'a OwnRobot,
    heading: &'a mut Heading,
}

impl Turn<'_> {
    fn order(
        self,
        budget: &mut u64,
        fights: &mut Fights,
        taken: &mut BTreeSet<Place>,
        rng: &mut Rng,
    ) -> Order {
        let Self { planner, robot, heading } = self;
        if planner.stands_on_station(robot) {
            if let Some(item) = planner.item(robot, *budget) {
                *budget -= item.price();
                return Order::BuyItem { robot: robot.id, planet: robot.planet, item };
            }
        } else if planner.has_time()
            && let Some(order) = deliberate_refusals::sale(robot, rng)
        {
            return order;
        }
        if let Some(target) = fights.target(robot, rng) {
            return Order::Attack { robot: robot.id, target };
        }
        planner.next_order(robot, heading, taken)
    }
}

impl Planner<'_> {
    fn stands_on_station(&self, robot: &OwnRobot) -> bool {
        self.map.place(robot.planet).is_some_and(|place| self.map.is_station(place))
    }

    fn can_sell(&self, robot: &OwnRobot) -> bool {
        !robot.cargo.is_empty() && self.stands_on_station(robot)
    }
}

#[cfg(test)]
mod tests {
    use starkeep_core_types::{Amounts, Levels};
    use uuid::Uuid;

    use super::*;
    use crate::rules::START_PRICES;
    use crate::view::{Direction, Neighbour, SeenPlanet};

    fn planet(number: u128) -> PlanetId {
        PlanetId(Uuid::from_u128(number))
    }

    /// A station with one neighbour, and a robot on it.
    fn seen(number: u128) -> (OwnRobot, SeenPlanet) {
        let (id, levels) = (RobotId(Uuid::from_u128(number)), Levels::default());
        let near =
            Neighbour { planet: planet(100 + number), movement_difficulty: 1, direction: Direction::North };
        let robot =
            OwnRobot { id, planet: planet(number), health: 10, energy: 20, levels, cargo: Amounts::NONE };
        let planet = SeenPlanet {
            id: planet(number),
            movement_difficulty: 1,
            is_station: true,
            deposit: None,
            neighbours: vec![near],
        };
        (robot, planet)
    }

    #[test]
    fn planets_are_learned_in_the_order_of_the_robots() {
        let (robots, mut planets): (Vec<_>, Vec<_>) = [5, 3, 4].map(seen).into_iter().unzip();
        let learned = |planets: &[SeenPlanet]| {
            let (robots, planets) = (robots.clone(), planets.to_vec());
            let mut bot = Bot::new(1);
            bot.orders(&View { round: 1, last_round: 9, money: 0, prices: START_PRICES, robots, planets });
            bot.map.unexplored().map(|place| bot.map.id(place)).collect::<Vec<_>>()
        };
        assert_eq!(learned(&planets), [planet(105), planet(103), planet(104)]);
        planets.reverse();
        assert_eq!(learned(&planets), [planet(105), planet(103), planet(104)]);
    }
}
