//! The rules of trading: a batch of purchases, and one of sales.

use std::hint::black_box;

use starkeep_trading_core::{Amounts, Item, Market, PlanetId, PlayerId, TradedRobot};
use uuid::Uuid;

use crate::measured::count;

const TRADES: u128 = 100;
const PLAYERS: u128 = 10;

/// By turns a robot, and energy for one.
pub(super) fn purchases(times: u32) {
    let market = market();
    count(times, || {
        let mut market = market.clone();
        for trade in 0..TRADES {
            let (player, robot) = (player(trade), robot_of(trade));
            let ordered = match trade % 2 {
                0 => market.order_robots(player, 1, 7),
                _ => market.order_item(player, Item::Energy, Some(robot), Some(robot.planet)),
            };
            market.complete(&ordered.expect("everybody can afford it"));
        }
        drop(black_box(market));
    });
}

/// And the prices of the round after them.
pub(super) fn sales(times: u32) {
    let market = market();
    let sold = Amounts::new([20, 0, 5, 0, 0]);
    count(times, || {
        let mut market = market.clone();
        for trade in 0..TRADES {
            let (player, robot) = (player(trade), robot_of(trade));
            market.check_sale(player, Some(robot), Some(robot.planet)).expect("everybody may sell");
            let income = market.income(1, sold);
            market.book_sale(player, 1, sold, income);
        }
        market.end_round(1);
        let prices = market.prices_of(2);
        market.begin_round(2, prices);
        drop(black_box(market));
    });
}

fn market() -> Market {
    let mut market = Market::default();
    for number in 0..PLAYERS {
        market.join(player(number), 100_000).expect("each has one account");
    }
    market.set_stations((0..4).map(station).collect());
    let prices = market.prices_of(1);
    market.begin_round(1, prices);
    market
}

fn player(number: u128) -> PlayerId {
    PlayerId(Uuid::from_u128(number % PLAYERS + 1))
}

fn station(number: u128) -> PlanetId {
    PlanetId(Uuid::from_u128(number % 4 + 1))
}

fn robot_of(number: u128) -> TradedRobot {
    TradedRobot { owner: player(number), planet: station(number) }
}
