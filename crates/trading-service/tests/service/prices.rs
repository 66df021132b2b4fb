//! Prices over the rounds: what was sold in the five rounds before decides, ten for each player bring the full price.

use serde_json::json;
use uuid::Uuid;

use crate::harness::{A, Bench, GAME, WORLD, batch, planet, sell, tx};

const ROBOT: Uuid = Uuid::from_u128(0xcafe);

/// A game of so many players, A among them, with a robot on a station.
async fn game_of(players: u128) -> Bench {
    let bench = Bench::in_memory().await;
    bench.create(GAME).await;
    for number in 0..players {
        bench.join(GAME, Uuid::from_u128(A.as_u128() + number)).await;
    }
    bench.world(WORLD, &[planet(1)]).await;
    bench.start(GAME, WORLD).await;
    bench.round(1, "started").await;
    bench
}

async fn sells(bench: &Bench, number: u128, load: [u64; 5]) {
    bench.robots.put(ROBOT, A, planet(1), load);
    bench.execute(&[sell(tx(number), A, ROBOT, None)]).await;
}

async fn coal(bench: &Bench) -> u64 {
    bench.read("/resources").await[0]["price"].as_u64().unwrap()
}

#[tokio::test]
async fn all_sales_of_five_finished_rounds_decide_a_price() {
    let bench = game_of(1).await;
    sells(&bench, 1, [30, 0, 0, 0, 0]).await;
    sells(&bench, 2, [12, 0, 0, 0, 0]).await;
    assert_eq!(bench.money(A).await, 200 + 42 * 5, "all sales of a round have the same price");
    let mut prices = vec![coal(&bench).await];
    for round in 2..=7 {
        bench.next_round(round).await;
        prices.push(coal(&bench).await);
    }
    // 10 / 42 of 5 is 1.2.
    assert_eq!(prices, [5, 2, 2, 2, 2, 2, 5], "round 7 no longer sees round 1");
    let history = bench.read("/resources/history/price").await;
    assert_eq!(
        history[0],
        json!({"name": "coal", "history": {"0": 5, "1": 5, "2": 2, "3": 2, "4": 2, "5": 2, "6": 2, "7": 5}})
    );
    let sold = bench.read("/resources/history/sell").await;
    assert_eq!(sold[0], json!({"name": "coal", "history": {"1": 42}}));
    assert_eq!(sold[1], json!({"name": "iron", "history": {"1": 0}}));
    bench.assert_settled().await;
}

#[tokio::test]
async fn with_more_players_more_can_be_sold_at_the_full_price() {
    for (players, sold, price) in
        [(1, 10, 5), (1, 25, 2), (4, 40, 5), (4, 100, 2), (20, 200, 5), (20, 500, 2)]
    {
        let bench = game_of(players).await;
        sells(&bench, 1, [sold, 0, 0, 0, 0]).await;
        bench.next_round(2).await;
        assert_eq!(coal(&bench).await, price, "{players} players, {sold} sold");
    }
}

#[tokio::test]
async fn special_items_become_dearer_with_the_rounds_and_nothing_else_does() {
    let bench = game_of(1).await;
    let before = bench.read("/items").await;
    bench.round(50, "started").await;
    let after = bench.read("/items").await;
    for (before, after) in before.as_array().unwrap().iter().zip(after.as_array().unwrap()) {
        let name = before["name"].as_str().unwrap();
        let kind = bench.read(&format!("/items/{name}")).await["type"].clone();
        let factor = if kind == "item" { 2 } else { 1 };
        assert_eq!(after["price"].as_u64(), before["price"].as_u64().map(|price| price * factor), "{name}");
    }
}

#[tokio::test]
async fn prices_are_published_once_a_round_with_what_they_are_about() {
    let bench = game_of(2).await;
    bench.round(1, "started").await;
    bench.next_round(2).await;
    for channel in ["current-item-prices", "current-resource-prices"] {
        let shown = bench.shown_events(channel).await;
        let rounds: Vec<_> = shown.iter().map(|event| event["about"]["roundNumber"].clone()).collect();
        assert_eq!(rounds, [1, 2]);
        assert_eq!(shown[0]["about"]["gameId"], json!(GAME));
        assert_ne!(shown[0]["headers"]["transactionId"], shown[1]["headers"]["transactionId"]);
    }
}

#[tokio::test]
async fn a_sale_that_is_settled_late_has_the_price_of_its_round() {
    use crate::fake_robots::Reaction;
    let bench = Bench::in_memory().await;
    bench.start_game().await;
    bench.robots.put(ROBOT, A, planet(1), [100, 0, 0, 0, 0]);
    bench.execute(&[sell(tx(1), A, ROBOT, None)]).await;
    bench.robots.put(ROBOT, A, planet(1), [10, 0, 0, 0, 0]);
    for _ in 0..10 {
        bench.robots.then(Reaction::LosesItsAnswer);
    }
    let mut waiting =
        Box::pin(bench.ask(batch(&[sell(tx(2), A, ROBOT, None)]).header("starkeep-timeout-millis", "300")));
    while futures::poll!(&mut waiting).is_pending() {
        bench.clock.advance(std::time::Duration::from_millis(50));
        tokio::task::yield_now().await;
    }
    bench.next_round(2).await;
    assert_eq!(coal(&bench).await, 1, "100 of them with two players");
    let task = bench.service().open_trades();
    let mut finishing = Box::pin(task.step());
    while futures::poll!(&mut finishing).is_pending() {
        bench.clock.advance(std::time::Duration::from_millis(50));
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.money(A).await, 200 + 500 + 50);
    bench.assert_settled().await;
}
