//! Now and then a bot orders a trade that will be refused: one robot more than it can pay for, or a sale away from a station.
//! Bots that count well are never refused, and who watches or tests a game wants to see refusals, too.

use starkeep_core_types::Rng;

use crate::order::Order;
use crate::rules::ROBOT_PRICE;
use crate::view::OwnRobot;

/// Once in so many rounds.
const PURCHASES: u64 = 40;
/// Once in so many rounds of a robot that carries something.
const SALES: u64 = 40;

/// `budget` is what the bot can spend in this round.
pub(crate) fn purchase(budget: u64, rng: &mut Rng) -> Option<Order> {
    let amount = u32::try_from(budget / ROBOT_PRICE + 1).ok().filter(|amount| *amount <= 1000)?;
    (rng.below(PURCHASES) == 0).then_some(Order::BuyRobots { amount })
}

/// The robot does not stand on a station, and has time.
pub(crate) fn sale(robot: &OwnRobot, rng: &mut Rng) -> Option<Order> {
    let tries = !robot.cargo.is_empty() && rng.below(SALES) == 0;
    tries.then_some(Order::Sell { robot: robot.id, planet: robot.planet })
}
