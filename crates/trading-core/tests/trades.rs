//! Trades on a small market: each check in its order, and random histories over which the money adds up.

use proptest::prelude::*;
use starkeep_trading_core::{
    Account, Amounts, CannotAfford, Imbalance, Item, Market, PlanetId, PlayerId, PriceList, Reservation,
    ResourceKind, TradeRefusal, TradedRobot,
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
    market.set_stations((1..=4).map(planet).collect());
    begin_round(&mut market, 1);
    market
}

fn begin_round(market: &mut Market, round: u32) -> PriceList {
    let prices = market.prices_of(round);
    market.begin_round(round, prices);
    prices
}

fn sell(market: &mut Market, number: u128, load: [u64; 5]) -> u64 {
    let (round, load) = (market.round(), Amounts::new(load));
    let income = market.income(round, load);
    market.book_sale(player(number), round, load, income);
    income
}

fn balance(market: &Market, number: u128) -> u64 {
    market.accounts[&player(number)].balance()
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
        assert_eq!(market.order_robots(player(buyer), amount, 7), Err(refusal));
        assert_eq!(market, before, "what is refused changes nothing");
    }
    let mut no_stations = Market::default();
    no_stations.join(player(1), 200);
    assert_eq!(no_stations.order_robots(player(1), 1, 7), Err(TradeRefusal::NoStation));
    assert_eq!(balance(&no_stations, 1), 200);
}

#[test]
fn a_purchase_takes_the_money_and_a_cancelled_one_gives_it_back() {
    let mut market = market(1);
    let reserved = market.order_robots(player(1), 2, 7).unwrap();
    assert_eq!((reserved.cost, reserved.planets.len()), (200, 2));
    assert_eq!(balance(&market, 1), 0);
    market.cancel(&reserved);
    assert_eq!(balance(&market, 1), 200);
}

#[test]
fn an_item_is_refused_by_the_first_check_that_it_does_not_pass() {
    let mut market = market(2);
    let item = |name| Item::find(name).unwrap();
    let before = market.clone();
    for (buyer, name, robot, named, refusal) in [
        (1, "ROCKET", Some(at(1, 1)), None, TradeRefusal::NotForSale),
        (1, "MINING_5", Some(at(1, 1)), None, TradeRefusal::NotForSale),
        (1, "HEALTH", Some(at(1, 9)), None, TradeRefusal::NotAStation { planet: planet(9) }),
        (1, "HEALTH", Some(at(1, 1)), Some(9), TradeRefusal::NotAStation { planet: planet(9) }),
        (1, "HEALTH", Some(at(1, 1)), Some(2), TradeRefusal::ElsewhereThanNamed { named: planet(2) }),
        (9, "HEALTH", Some(at(9, 1)), None, TradeRefusal::UnknownPlayer { player: player(9) }),
        (9, "HEALTH", None, Some(9), TradeRefusal::NotAStation { planet: planet(9) }),
        (9, "HEALTH", None, None, TradeRefusal::UnknownPlayer { player: player(9) }),
        (1, "HEALTH", None, Some(1), TradeRefusal::UnknownRobot),
        (2, "HEALTH", Some(at(1, 1)), Some(1), TradeRefusal::NotItsRobot),
        (2, "HEALTH", Some(at(1, 9)), None, TradeRefusal::NotItsRobot),
        (
            1,
            "DAMAGE_2",
            Some(at(1, 1)),
            Some(1),
            TradeRefusal::CannotAfford(CannotAfford { player: player(1), needed: 300 }),
        ),
    ] {
        let refused = market.order_item(player(buyer), item(name), robot, named.map(planet));
        assert_eq!(refused, Err(refusal), "{name}");
        assert_eq!(market, before);
    }
    let reserved = market.order_item(player(1), item("ENERGY"), Some(at(1, 3)), None).unwrap();
    let item = Item::Energy;
    let expected =
        Reservation { player: player(1), item, count: 1, cost: 75, planets: vec![], is_first: false };
    assert_eq!(reserved, expected);
}

#[test]
fn the_sales_of_five_rounds_decide_a_price() {
    let mut market = market(1);
    sell(&mut market, 1, [30, 0, 0, 0, 0]);
    sell(&mut market, 1, [12, 0, 0, 0, 1]);
    assert_eq!(balance(&market, 1), 200 + 42 * 5 + 60);
    let coal: Vec<_> =
        market.sold.iter().map(|(round, sold)| (*round, sold.of(ResourceKind::Coal))).collect();
    assert_eq!(coal, [(1, 42)]);
    // 10 / 42 of 5 is 1.2.
    let prices: Vec<_> =
        (2..=7).map(|round| begin_round(&mut market, round).of(ResourceKind::Coal)).collect();
    assert_eq!(prices, [2, 2, 2, 2, 2, 5], "round 7 no longer sees round 1");
}

#[test]
fn a_player_who_joins_twice_keeps_its_money() {
    let mut market = market(1);
    market.order_robots(player(1), 1, 7).unwrap();
    assert_eq!(market.join(player(1), 200), None);
    assert_eq!(balance(&market, 1), 100);
}

#[test]
fn balances_are_those_of_the_rounds_ends() {
    let mut market = market(2);
    market.order_robots(player(2), 1, 7).unwrap();
    market.end_round(1);
    let of = |round| market.balances.get(&round).map(|all| all.values().copied().collect::<Vec<_>>());
    assert_eq!((of(0), of(1), of(2)), (Some(vec![200, 200]), Some(vec![200, 100]), None));
}

#[test]
fn a_cancelled_first_robot_leaves_its_station_to_others() {
    let mut market = market(5);
    for number in 1..=4 {
        let reserved = market.order_robots(player(number), 1, 7).unwrap();
        assert!(reserved.is_first);
        market.cancel(&reserved);
    }
    let firsts: std::collections::BTreeSet<_> =
        (1..=4).map(|number| market.order_robots(player(number), 1, 7).unwrap().planets[0]).collect();
    assert_eq!(firsts.len(), 4, "each stands alone");
}

#[test]
fn an_applied_reservation_is_the_one_that_was_made() {
    let before = market(2);
    let mut made = before.clone();
    let reserved = made.order_robots(player(1), 2, 7).unwrap();
    let mut applied = before;
    applied.reserve(&reserved);
    applied.sites.rng_state = made.sites.rng_state;
    assert_eq!(applied, made);
}

#[test]
fn books_that_do_not_balance_are_noticed() {
    let mut market = market(1);
    sell(&mut market, 1, [4, 0, 0, 0, 0]);
    let reserved = market.order_robots(player(1), 1, 7).unwrap();
    assert_eq!(market.audit(|_| reserved.cost), Ok(()));
    let spent = Imbalance::Spent { player: player(1), spent: 100, cost: 0 };
    assert_eq!(market.audit(|_| 0), Err(spent));
    market.complete(&reserved);
    market.book_sale(player(1), 1, Amounts::NONE, 3);
    assert_eq!(market.audit(|_| 0), Err(Imbalance::Earned { earned: 23, sold: 20 }));
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
                Step::BuyRobots(number, amount) => (number, market.order_robots(player(number), amount, 7)),
                Step::BuyItem(number, item) => {
                    let item = Item::all().nth(item).unwrap();
                    (number, market.order_item(player(number), item, Some(at(number, 1)), None))
                }
                Step::Sell(number, load) => {
                    expected[usize::try_from(number).unwrap() - 1] += sell(&mut market, number, load);
                    continue;
                }
                Step::NextRound => {
                    market.end_round(round);
                    round += 1;
                    begin_round(&mut market, round);
                    continue;
                }
            };
            match reserved {
                Ok(reserved) if robot_service_agrees => {
                    let open = |player| if player == reserved.player { reserved.cost } else { 0 };
                    prop_assert_eq!(market.audit(open), Ok(()));
                    market.complete(&reserved);
                    expected[usize::try_from(buyer).unwrap() - 1] -= reserved.cost;
                }
                Ok(reserved) => market.cancel(&reserved),
                Err(_) => {}
            }
            let balances: Vec<_> = market.accounts.values().map(Account::balance).collect();
            prop_assert_eq!(balances, expected);
            prop_assert_eq!(market.audit(|_| 0), Ok(()));
        }
    }
}
