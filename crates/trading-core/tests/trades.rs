//! Trades on a small market: each check in its order, and random histories over which the money adds up.

use proptest::prelude::*;
use starkeep_trading_core::{
    Account, Amounts, CannotAfford, Item, Market, PlanetId, PlayerId, Reservation, ResourceKind,
    TradeRefusal, TradedRobot,
};
use uuid::Uuid;

fn player(number: u128) -> PlayerId {
    PlayerId(Uuid::from_u128(number))
}

fn planet(number: u128) -> PlanetId {
    PlanetId(Uuid::from_u128(number))
}

/// Stations are 1 to 4.
fn market(players: u128) -> Market {
    let mut market = Market::default();
    for number in 1..=players {
        market.join(player(number), 200);
    }
    market.start((1..=4).map(planet).collect(), 7);
    market.begin_round(1);
    market
}

fn at(owner: u128, on: u128) -> TradedRobot {
    TradedRobot { owner: player(owner), planet: planet(on) }
}

#[test]
fn a_purchase_of_robots_fails_by_the_first_check_that_it_does_not_pass() {
    let mut market = market(1);
    let before = market.clone();
    for (buyer, amount, refusal) in [
        (9, 0, TradeRefusal::NoRobots { amount: 0 }),
        (1, -3, TradeRefusal::NoRobots { amount: -3 }),
        (1, 1001, TradeRefusal::TooManyRobots { amount: 1001 }),
        (1, i64::MAX, TradeRefusal::TooManyRobots { amount: i64::MAX }),
        (9, 1, TradeRefusal::UnknownPlayer { player: player(9) }),
        (1, 3, TradeRefusal::CannotAfford(CannotAfford { player: player(1), needed: 300 })),
    ] {
        assert_eq!(market.order_robots(player(buyer), amount), Err(refusal));
        assert_eq!(market, before, "what is refused changes nothing");
    }
    let mut no_stations = Market::default();
    no_stations.join(player(1), 200);
    assert_eq!(no_stations.order_robots(player(1), 1), Err(TradeRefusal::NoStation));
    assert_eq!(no_stations.account(player(1)).unwrap().balance(), 200);
}

#[test]
fn a_purchase_takes_the_money_and_a_cancelled_one_gives_it_back() {
    let mut market = market(1);
    let reserved = market.order_robots(player(1), 2).unwrap();
    assert_eq!((reserved.cost, reserved.planets.len()), (200, 2));
    assert_eq!(market.account(player(1)).unwrap().balance(), 0);
    market.cancel(&reserved);
    assert_eq!(market.account(player(1)).unwrap().balance(), 200);
}

#[test]
fn an_item_is_refused_by_the_first_check_that_it_does_not_pass() {
    let mut market = market(2);
    let item = |name| Item::find(name).unwrap();
    let before = market.clone();
    for (buyer, name, robot, named, refusal) in [
        (1, "ROCKET", at(1, 1), None, TradeRefusal::NotForSale),
        (1, "MINING_5", at(1, 1), None, TradeRefusal::NotForSale),
        (1, "HEALTH", at(1, 9), None, TradeRefusal::NotAStation { planet: planet(9) }),
        (1, "HEALTH", at(1, 1), Some(9), TradeRefusal::NotAStation { planet: planet(9) }),
        (1, "HEALTH", at(1, 1), Some(2), TradeRefusal::ElsewhereThanNamed { named: planet(2) }),
        (9, "HEALTH", at(9, 1), None, TradeRefusal::UnknownPlayer { player: player(9) }),
        (2, "HEALTH", at(1, 1), Some(1), TradeRefusal::NotItsRobot),
        (
            1,
            "DAMAGE_2",
            at(1, 1),
            Some(1),
            TradeRefusal::CannotAfford(CannotAfford { player: player(1), needed: 300 }),
        ),
    ] {
        let refused = market.order_item(player(buyer), item(name), robot, named.map(planet));
        assert_eq!(refused, Err(refusal), "{name}");
        assert_eq!(market, before);
    }
    let reserved = market.order_item(player(1), item("ENERGY"), at(1, 3), None).unwrap();
    assert_eq!(reserved, Reservation { player: player(1), cost: 75, planets: vec![] });
}

#[test]
fn the_sales_of_five_rounds_decide_a_price() {
    let mut market = market(1);
    market.book_sale(player(1), Amounts::new([30, 0, 0, 0, 0]));
    market.book_sale(player(1), Amounts::new([12, 0, 0, 0, 1]));
    assert_eq!(market.account(player(1)).unwrap().balance(), 200 + 42 * 5 + 60);
    let coal: Vec<_> = market.sales().map(|(round, sold)| (round, sold.of(ResourceKind::Coal))).collect();
    assert_eq!(coal, [(1, 42)]);
    // 10 / 42 of 5 is 1.2.
    let prices: Vec<_> = (2..=7).map(|round| market.begin_round(round).of(ResourceKind::Coal)).collect();
    assert_eq!(prices, [2, 2, 2, 2, 2, 5], "round 7 no longer sees round 1");
}

#[test]
fn a_player_who_joins_twice_keeps_its_money() {
    let mut market = market(1);
    market.order_robots(player(1), 1).unwrap();
    assert_eq!(market.join(player(1), 200), None);
    assert_eq!(market.account(player(1)).unwrap().balance(), 100);
}

#[test]
fn balances_are_those_of_the_rounds_ends() {
    let mut market = market(2);
    market.order_robots(player(2), 1).unwrap();
    market.end_round(1);
    let of = |round| market.balances(round).map(|all| all.map(|(_, money)| money).collect::<Vec<_>>());
    assert_eq!((of(0), of(1), of(2)), (Some(vec![200, 200]), Some(vec![200, 100]), None));
}

#[derive(Clone, Debug)]
enum Step {
    BuyRobots(u128, i64),
    BuyItem(u128, usize),
    Sell(u128, [u64; 5]),
    NextRound,
}

fn steps() -> impl Strategy<Value = Vec<(Step, bool)>> {
    let step = prop_oneof![
        (1..=3_u128, -1..12_i64).prop_map(|(player, amount)| Step::BuyRobots(player, amount)),
        (1..=3_u128, 0..44_usize).prop_map(|(player, item)| Step::BuyItem(player, item)),
        (1..=3_u128, prop::array::uniform5(0..40_u64)).prop_map(|(player, load)| Step::Sell(player, load)),
        Just(Step::NextRound),
    ];
    prop::collection::vec((step, any::<bool>()), 1..60)
}

proptest! {
    #[test]
    fn money_is_what_was_there_plus_sales_minus_purchases(steps in steps()) {
        let mut market = market(3);
        let mut expected = [200_u64; 3];
        let mut round = 1;
        for (step, robot_service_agrees) in steps {
            let (buyer, reserved) = match step {
                Step::BuyRobots(number, amount) => (number, market.order_robots(player(number), amount)),
                Step::BuyItem(number, item) => {
                    let item = Item::all().nth(item).unwrap();
                    (number, market.order_item(player(number), item, at(number, 1), None))
                }
                Step::Sell(number, load) => {
                    let income = market.book_sale(player(number), Amounts::new(load));
                    expected[usize::try_from(number).unwrap() - 1] += income;
                    continue;
                }
                Step::NextRound => {
                    market.end_round(round);
                    round += 1;
                    market.begin_round(round);
                    continue;
                }
            };
            match reserved {
                Ok(reserved) if robot_service_agrees => {
                    expected[usize::try_from(buyer).unwrap() - 1] -= reserved.cost;
                }
                Ok(reserved) => market.cancel(&reserved),
                Err(_) => {}
            }
            let balances: Vec<_> = market.accounts().map(Account::balance).collect();
            prop_assert_eq!(balances, expected);
        }
    }
}
