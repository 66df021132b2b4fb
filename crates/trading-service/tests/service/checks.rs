//! Every check of a purchase and a sale, in its order, over HTTP: what fails gives one error event and changes nothing, and
//! the others of its batch are executed.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{A, B, Bench, GAME, batch, buy, buy_robots, planet, sell, tx};

const ROBOT: Uuid = Uuid::from_u128(0xcafe);
const FOREIGN: Uuid = Uuid::from_u128(0xf00d);

/// With a robot of A on station 1, and one of B on the same.
async fn bench() -> Bench {
    let bench = Bench::game().await;
    bench.robots.put(ROBOT, A, planet(1), [4, 0, 0, 0, 0]);
    bench.robots.put(FOREIGN, B, planet(1), [7, 0, 0, 0, 0]);
    bench
}

fn with(mut command: Value, path: &str, value: Value) -> Value {
    *command.pointer_mut(path).unwrap() = value;
    command
}

/// Sends the command between two that succeed; both are executed, and the one between fails with this message.
async fn fails(command: Value, kind: &str, message: &str) {
    let bench = bench().await;
    let batch = [buy_robots(tx(1), A, 1), command.clone(), buy(tx(2), B, FOREIGN, "HEALTH", Some(planet(1)))];
    let trades = bench.execute(&batch).await;
    let expected = json!({"data": null, "success": false, "message": message, "moneyChangedBy": 0});
    assert_eq!(trades.len(), 3, "{command}: {trades:?}");
    assert_eq!(trades[1], expected, "{command}");
    assert_eq!((&trades[0]["success"], &trades[2]["success"]), (&json!(true), &json!(true)), "{command}");
    let shown = bench.shown_events("trades").await;
    assert_eq!(shown[1]["headers"]["type"], kind, "{command}");
    assert_eq!(
        shown[1]["headers"]["transactionId"],
        command["transactionId"].as_str().unwrap_or_default(),
        "{command}"
    );
    assert_eq!((bench.money(A).await, bench.money(B).await), (100, 150), "{command}");
    assert_eq!((bench.robots.load(ROBOT)[0], bench.robots.load(FOREIGN)[0]), (4, 7), "{command}");
    bench.assert_settled().await;
}

#[tokio::test]
async fn purchases_of_robots_fail_by_the_first_check_that_they_do_not_pass() {
    let robots = |amount| buy_robots(tx(9), A, amount);
    let no_player = Uuid::from_u128(0xdead);
    let unknown = format!("Player '{no_player}' does not exist.");
    let poor = format!("Player '{A}' does not have the needed 300 money-units.");
    for (command, message) in [
        (with(robots(0), "/transactionId", json!("abc")), "Invalid UUID string: abc"),
        (with(robots(0), "/transactionId", Value::Null), "The command has no transactionId."),
        (with(robots(0), "/transactionId", json!("")), "The command has no transactionId."),
        (with(robots(0), "/playerId", json!("x")), "Invalid UUID string: x"),
        (with(robots(0), "/playerId", Value::Null), "The command names no player."),
        (with(robots(0), "/payload", Value::Null), "The command has no payload."),
        (with(robots(0), "/payload/commandType", json!("steal")), "The command type 'steal' does not exist."),
        (with(robots(0), "/payload/commandType", Value::Null), "The command has no commandType."),
        (with(robots(1), "/payload/itemName", Value::Null), "The command names no item."),
        (with(robots(1), "/payload/amount", Value::Null), "The amount is not a whole number."),
        (with(robots(1), "/payload/amount", json!("1")), "The amount is not a whole number."),
        (with(robots(1), "/payload/amount", json!(1.5)), "The amount is not a whole number."),
        (robots(0), "Cannot buy 0 robots"),
        (robots(-1), "Cannot buy -1 robots"),
        (robots(1001), "Cannot buy 1001 robots at once, 1000 at most."),
        (
            with(robots(1), "/payload/amount", json!(u64::MAX)),
            "Cannot buy 9223372036854775807 robots at once, 1000 at most.",
        ),
        (
            with(robots(1), "/payload/amount", json!(1e30)),
            "Cannot buy 9223372036854775807 robots at once, 1000 at most.",
        ),
        (with(robots(1), "/payload/amount", json!(-1e30)), "Cannot buy -9223372036854775808 robots"),
        (buy_robots(tx(9), no_player, 1), &unknown),
        (robots(3), &poor),
    ] {
        fails(command, "buy-error", message).await;
    }
}

#[tokio::test]
async fn purchases_of_items_fail_by_the_first_check_that_they_do_not_pass() {
    let item = |name| buy(tx(9), A, ROBOT, name, Some(planet(1)));
    let no_one = Uuid::from_u128(0xdead);
    let unknown_player = format!("Player '{no_one}' does not exist.");
    let unknown_robot = format!("Robot with ID {no_one} not found");
    let no_station = format!("The given planet '{}' is not registered as a station.", planet(9));
    let elsewhere = format!("Robot {ROBOT} is not on the given planet '{}'.", planet(2));
    let foreign = format!("Robot {FOREIGN} does not belong to player '{A}'.");
    let poor = format!("Player '{A}' does not have the needed 300 money-units.");
    for (command, message) in [
        (with(item("FOO"), "/payload/robotId", json!("r")), "Invalid UUID string: r"),
        (with(item("FOO"), "/payload/robotId", Value::Null), "The command names no robot."),
        (with(item("FOO"), "/payload/planetId", json!("p")), "Invalid UUID string: p"),
        (item("FOO"), "The item/upgrade 'FOO' does not exist."),
        (item("robot"), "The item/upgrade 'robot' does not exist. Did you mean `ROBOT`?"),
        (
            item("max_energy_2"),
            "The item/upgrade 'max_energy_2' does not exist. Did you mean `MAX_ENERGY_2`?",
        ),
        (item("NUKE"), "The item/upgrade 'NUKE' is not for sale."),
        (item("MINING_5"), "The item/upgrade 'MINING_5' is not for sale."),
        (buy(tx(9), no_one, ROBOT, "HEALTH", Some(planet(9))), &no_station),
        (buy(tx(9), no_one, ROBOT, "HEALTH", Some(planet(1))), &unknown_player),
        (buy(tx(9), A, no_one, "HEALTH", None), &unknown_robot),
        (buy(tx(9), A, FOREIGN, "HEALTH", Some(planet(1))), &foreign),
        (buy(tx(9), A, ROBOT, "HEALTH", Some(planet(2))), &elsewhere),
        (item("DAMAGE_2"), &poor),
    ] {
        fails(command, "buy-error", message).await;
    }
}

#[tokio::test]
async fn sales_fail_by_the_first_check_that_they_do_not_pass() {
    let sale = || sell(tx(9), A, ROBOT, Some(planet(1)));
    let no_one = Uuid::from_u128(0xdead);
    let unknown_player = format!("Player '{no_one}' does not exist.");
    let no_station = format!("The given planet '{}' is not registered as a station.", planet(9));
    let foreign = format!("Robot {FOREIGN} does not belong to player '{A}'.");
    let unknown_robot = format!("Robot with ID {no_one} not found");
    for (command, message) in [
        (with(sale(), "/transactionId", json!("abc")), "Invalid UUID string: abc"),
        (with(sale(), "/payload/robotId", Value::Null), "The command names no robot."),
        (sell(tx(9), A, ROBOT, Some(planet(9))), &no_station),
        (sell(tx(9), no_one, ROBOT, Some(planet(1))), &unknown_player),
        (sell(tx(9), A, FOREIGN, None), &foreign),
        (sell(tx(9), A, no_one, None), &unknown_robot),
    ] {
        fails(command, "sell-error", message).await;
    }
}

#[tokio::test]
async fn a_robot_that_stands_elsewhere_does_not_trade() {
    let bench = bench().await;
    bench.robots.put(ROBOT, A, planet(9), [4, 0, 0, 0, 0]);
    let message = format!("The given planet '{}' is not registered as a station.", planet(9));
    let batch = [sell(tx(1), A, ROBOT, None), buy(tx(2), A, ROBOT, "HEALTH", None)];
    assert_eq!(bench.messages(&batch).await, [message.clone(), message]);
}

#[tokio::test]
async fn what_is_no_object_fails_alone() {
    let bench = bench().await;
    let trades = bench.execute(&[json!(7), json!(null), json!([]), json!({}), buy_robots(tx(1), A, 1)]).await;
    let messages: Vec<_> = trades.iter().map(|trade| trade["message"].as_str().unwrap()).collect();
    let expected = "A command is a JSON object.";
    assert_eq!(messages[..3], [expected; 3]);
    assert_eq!(messages[3..], ["The command has no transactionId.", "robot-buy successful"]);
}

#[tokio::test]
async fn what_is_no_array_is_refused_as_a_whole() {
    let bench = bench().await;
    for body in ["{}", "7", "null", "\"buy\""] {
        let reply = bench.ask(starkeep_test_harness::post("/commands").text(body)).await;
        reply.refused(400, "not-a-batch", None);
    }
    for body in ["", "[", "[{]"] {
        let reply = bench.ask(starkeep_test_harness::post("/commands").text(body)).await;
        reply.refused(400, "unreadable-json", None);
    }
    // Whatever it is declared as, as the existing service has it.
    let plain = batch(&[buy_robots(tx(1), A, 1)]).header("content-type", "text/plain");
    assert_eq!(bench.ask(plain).await.status, 200);
    assert_eq!(bench.trades().len(), 1);
    assert_eq!(bench.send(&[]).await.status, 200);
}

#[tokio::test]
async fn everything_that_is_for_sale_is_delivered_and_paid() {
    let bench = Bench::in_memory().await;
    bench.create(GAME).await;
    bench.join_with(GAME, A, 1_000_000).await;
    bench.world(crate::harness::WORLD, &[planet(1)]).await;
    bench.start(GAME, crate::harness::WORLD).await;
    bench.robots.put(ROBOT, A, planet(1), [0; 5]);
    let items = bench.read("/items").await;
    let mut spent = 0;
    for (number, item) in (1..).zip(items.as_array().unwrap()) {
        let name = item["name"].as_str().unwrap();
        let command = if name == "ROBOT" {
            buy_robots(tx(number), A, 1)
        } else {
            buy(tx(number), A, ROBOT, name, None)
        };
        let trade = bench.execute(&[command]).await.remove(0);
        let is_special = bench.read(&format!("/items/{name}")).await["type"] == "item";
        assert_eq!(trade["success"] == true, !is_special && name != "MINING_5", "{name}: {trade}");
        if trade["success"] == true {
            spent += item["price"].as_u64().unwrap();
            assert_eq!(trade["moneyChangedBy"].as_i64().unwrap(), -item["price"].as_i64().unwrap(), "{name}");
        }
    }
    assert_eq!(bench.money(A).await, 1_000_000 - spent);
    assert_eq!(bench.robots.done().len(), 37);
    bench.assert_settled().await;
}

#[tokio::test]
async fn any_affordable_amount_of_robots_is_bought_at_once() {
    let bench = Bench::in_memory().await;
    bench.create(GAME).await;
    bench.join_with(GAME, A, 100_000).await;
    bench.world(crate::harness::WORLD, &[1, 2, 3].map(planet)).await;
    bench.start(GAME, crate::harness::WORLD).await;
    let trades = bench.execute(&[buy_robots(tx(1), A, 1000)]).await;
    assert_eq!(trades[0]["data"].as_array().unwrap().len(), 1000);
    assert_eq!((trades[0]["moneyChangedBy"].as_i64(), bench.money(A).await), (Some(-100_000), 0));
}

#[tokio::test]
async fn the_first_robots_of_players_stand_on_different_stations() {
    let bench = Bench::in_memory().await;
    let players: Vec<_> = (1..=4).map(Uuid::from_u128).collect();
    bench.create(GAME).await;
    for player in &players {
        bench.join(GAME, *player).await;
    }
    bench.world(crate::harness::WORLD, &[1, 2, 3, 4].map(planet)).await;
    bench.start(GAME, crate::harness::WORLD).await;
    let batch: Vec<_> =
        (1..).zip(&players).map(|(number, player)| buy_robots(tx(number), *player, 1)).collect();
    bench.execute(&batch).await;
    let stations: std::collections::BTreeSet<_> =
        players.iter().map(|player| bench.robots.planet_of(bench.robots.robots_of(*player)[0])).collect();
    assert_eq!(stations.len(), 4);
}
