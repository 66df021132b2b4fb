//! The worked example of a whole game against the existing services, as far as it is trading's; where those had a fault,
//! what players expect. And the recorded games in short.

use serde_json::json;

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, GAME, WORLD, buy, buy_robots, planet, sell, tx};

#[tokio::test]
async fn a_whole_game_on_one_station() {
    let bench = Bench::in_memory().await;
    let (station, coal) = (planet(1), planet(9));
    bench.create(GAME).await;
    bench.join(GAME, A).await;
    bench.join(GAME, B).await;
    bench.world(WORLD, &[station]).await;
    bench.start(GAME, WORLD).await;
    let banks = bench.published("bank-created");
    let joined =
        |player: uuid::Uuid| (Some(tx(0x100 + player.as_u128())), json!({"money": 200, "playerId": player}));
    assert_eq!(banks, [joined(A), joined(B)]);

    bench.round(1, "started").await;
    let prices = |names: [&str; 6], prices: [u64; 6]| {
        json!(
            names
                .iter()
                .zip(prices)
                .map(|(name, price)| json!({"price": price, "name": name}))
                .collect::<Vec<_>>()
        )
    };
    let special =
        ["ROCKET", "WORMHOLE", "LONG_RANGE_BOMBARDMENT", "SELF_DESTRUCTION", "REPAIR_SWARM", "NUKE"];
    assert_eq!(bench.published("current-item-prices")[0].1, prices(special, [40, 80, 60, 80, 90, 210]));
    let resources = json!([
        {"price": 5, "name": "coal"}, {"price": 15, "name": "iron"}, {"price": 30, "name": "gem"},
        {"price": 50, "name": "gold"}, {"price": 60, "name": "platin"},
    ]);
    assert_eq!(bench.published("current-resource-prices")[0].1, resources);
    let order: Vec<_> = bench.stored_events().into_iter().map(|event| event.channel).collect();
    assert_eq!(order[2..], ["current-item-prices", "current-resource-prices"]);
    assert!(bench.published("current-item-prices")[0].0.is_some(), "a random transaction");

    let bought = bench.execute(&[buy_robots(tx(1), A, 1), buy_robots(tx(2), B, 1)]).await;
    let (ra, rb) = (bench.robots.robots_of(A)[0], bench.robots.robots_of(B)[0]);
    for (trade, robot) in bought.iter().zip([ra, rb]) {
        assert_eq!(trade["message"], "robot-buy successful");
        assert_eq!((&trade["success"], &trade["moneyChangedBy"]), (&json!(true), &json!(-100)));
        assert_eq!((&trade["data"][0]["id"], &trade["data"][0]["planet"]), (&json!(robot), &json!(station)));
    }
    assert_eq!((bench.money(A).await, bench.money(B).await), (100, 100));
    bench.next_round(2).await;
    bench.robots.put(ra, A, coal, [1, 0, 0, 0, 0]);
    bench.robots.put(rb, B, coal, [2, 0, 0, 0, 0]);
    bench.next_round(3).await;
    assert_eq!(
        bench.messages(&[sell(tx(3), B, rb, Some(coal))]).await,
        [format!("The given planet '{coal}' is not registered as a station.")]
    );
    assert_eq!(
        bench.messages(&[buy_robots(tx(4), A, 2), buy(tx(5), A, ra, "STORAGE_1", Some(station))]).await,
        [
            format!("Player '{A}' does not have the needed 200 money-units."),
            format!("Robot {ra} is not on the given planet '{station}'."),
        ]
    );
    bench.robots.put(ra, A, station, [3, 0, 0, 0, 0]);
    bench.next_round(4).await;
    let sold = bench.execute(&[sell(tx(6), A, ra, Some(station))]).await;
    assert_eq!(
        sold,
        [json!({
            "data": {"coal": 3, "iron": 0, "gem": 0, "gold": 0, "platin": 0}, "success": true,
            "message": "resources sold", "moneyChangedBy": 15,
        })]
    );
    assert_eq!((bench.money(A).await, bench.robots.load(ra)), (115, [0; 5]));
    let restored = bench.execute(&[buy(tx(7), A, ra, "ENERGY", Some(station))]).await;
    assert_eq!(
        restored,
        [json!({
            "data": null, "success": true, "message": format!("robot {ra} energy restored"), "moneyChangedBy": -75,
        })]
    );
    bench.round(4, "ended").await;
    for (round, of_a) in [(0, 200), (1, 100), (2, 100), (3, 100), (4, 40)] {
        let balances = bench.read(&format!("/balances/{round}")).await;
        let of_b = if round == 0 { 200 } else { 100 };
        let row = |player, balance| json!({"round": round, "balance": balance, "playerId": player});
        assert_eq!(balances, json!([row(A, of_a), row(B, of_b)]), "round {round}");
    }
    bench.assert_settled().await;
    let before = bench.stored_events().len();
    bench.end(GAME).await;
    assert_eq!(bench.stored_events().len(), before, "the end publishes nothing");
}

#[tokio::test]
async fn the_recorded_games_in_short() {
    let bench = Bench::game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    bench.execute(&[buy_robots(tx(2), B, 1), buy_robots(tx(3), A, 1)]).await;
    assert_eq!((bench.money(A).await, bench.money(B).await), (0, 100));
    let refused = format!("Player '{A}' does not have the needed 100 money-units.");
    assert_eq!(bench.messages(&[buy_robots(tx(4), A, 1)]).await, [refused]);

    let (robot, station) = (bench.robots.robots_of(A)[0], planet(1));
    bench.robots.put(robot, A, station, [4, 0, 0, 0, 0]);
    let sales = bench.execute(&[sell(tx(5), A, robot, Some(station))]).await;
    assert_eq!(sales[0]["moneyChangedBy"], 20);
    let nothing = bench.execute(&[sell(tx(6), A, robot, Some(station))]).await;
    assert_eq!((&nothing[0]["success"], &nothing[0]["moneyChangedBy"]), (&json!(true), &json!(0)));
    assert_eq!(nothing[0]["data"], json!({"coal": 0, "iron": 0, "gem": 0, "gold": 0, "platin": 0}));
    assert_eq!(
        bench.messages(&[buy(tx(7), A, robot, "HEALTH", Some(station))]).await,
        [format!("Player '{A}' does not have the needed 50 money-units.")]
    );
    assert_eq!(
        bench.messages(&[buy(tx(8), A, robot, "ROCKET", Some(station))]).await,
        ["The item/upgrade 'ROCKET' is not for sale."]
    );
    bench.robots.put(robot, A, station, [20, 0, 0, 0, 0]);
    bench.execute(&[sell(tx(9), A, robot, None)]).await;
    bench.robots.then(Reaction::Refuses("DAMAGE of the robot is at level 2 already"));
    let upgrades = bench.execute(&[
        buy(tx(10), A, robot, "DAMAGE_1", Some(station)),
        buy(tx(11), A, robot, "STORAGE_1", Some(station)),
    ]);
    let upgrades = upgrades.await;
    let refused = json!({
        "data": null, "success": false, "message": "DAMAGE of the robot is at level 2 already", "moneyChangedBy": 0,
    });
    assert_eq!(upgrades[0], refused);
    assert_eq!(upgrades[1]["message"], format!("STORAGE of robot {robot} has been updated to LVL1"));
    assert_eq!(bench.money(A).await, 120 - 50, "only what was delivered is paid");
    bench.assert_settled().await;
}
