//! Spawning: all or nothing, the map first; the wire form of a robot; a transaction is carried out once.

use std::time::Duration;

use serde_json::json;
use starkeep_robot_core::PlanetFault;
use starkeep_test_harness::{get, post};
use uuid::Uuid;

use crate::fake_map::planet_id;
use crate::harness::{Bench, GAME, batch, ids, mine, player, spawning, tx};

#[tokio::test]
async fn a_new_robot_looks_as_the_original_has_it() {
    let (bench, planets) = Bench::playing().await;
    let reply = bench.ask(spawning(player(1), tx(1), &[planets.station])).await.is(201);
    let id = ids(&reply)[0];
    let robot = json!({
        "id": id, "player": player(1), "planet": planets.station, "alive": true, "maxHealth": 10, "maxEnergy": 20,
        "energyRegen": 4, "attackDamage": 1, "miningSpeed": 2, "health": 10, "energy": 20, "healthLevel": 0, "damageLevel": 0,
        "miningSpeedLevel": 0, "miningLevel": 0, "energyLevel": 0, "energyRegenLevel": 0, "storageLevel": 0,
        "inventory": {"maxStorage": 20, "usedStorage": 0, "storedCoal": 0, "storedIron": 0, "storedGem": 0, "storedGold": 0,
            "storedPlatin": 0},
    });
    assert_eq!(reply, json!([robot]));
    assert_eq!(bench.robot(id).await, robot);
}

#[tokio::test]
async fn nothing_is_spawned_where_a_planet_is_missing_or_the_map_is_away() {
    let (bench, planets) = Bench::playing().await;
    let refused = bench.ask(spawning(player(1), tx(1), &[planets.station, planet_id(99)])).await;
    let text = refused.refused(400, "request-not-accepted", Some("planets"));
    assert!(text.starts_with("The requested planet does not exist"), "{text}");
    let body =
        json!({"transactionId": tx(1), "player": player(1), "planets": [planets.station], "quantity": 2});
    bench.ask(post("/robots").json(&body)).await.refused(400, "request-not-accepted", Some("planets"));
    bench.map.break_planet(planets.station, PlanetFault::NoAnswer);
    let order = spawning(player(1), tx(1), &[planets.station]);
    bench.answered(order.clone()).await.refused(503, "map-unavailable", None);
    // A map that is known to be away costs the next one no time.
    let asked = bench.map.questions();
    bench.clock.advance(Duration::from_secs(1));
    bench.ask(order).await.refused(503, "map-unavailable", None);
    assert_eq!((bench.told(), bench.map.questions() - asked), (0, 1));
    // The transaction is still free.
    bench.map.repair();
    bench.spawn(player(1), tx(1), &[planets.station]).await;
}

#[tokio::test]
async fn none_are_spawned_without_a_game_as_well() {
    let bench = Bench::new().await;
    let nothing = json!({"transactionId": tx(1), "player": player(1), "planets": [], "quantity": 0});
    assert_eq!(bench.ask(post("/robots").json(&nothing)).await.is(201), json!([]));
}

#[tokio::test]
async fn none_and_bodies_that_cannot_be_read() {
    let (bench, planets) = Bench::playing().await;
    let nothing = json!({"transactionId": tx(1), "player": player(1)});
    assert_eq!(bench.ask(post("/robots").json(&nothing)).await.is(201), json!([]));
    for (field, bad) in [
        ("player", json!({"transactionId": tx(1), "planets": [planets.station], "quantity": 1})),
        ("transactionId", json!({"player": player(1), "planets": [planets.station], "quantity": 1})),
        ("transactionId", json!({"transactionId": "x", "player": player(1), "planets": [], "quantity": 0})),
        (
            "quantity",
            json!({"transactionId": tx(1), "player": player(1), "planets": [planets.station], "quantity": 10_001}),
        ),
        ("body", json!([])),
    ] {
        let refused = bench.ask(post("/robots").json(&bad)).await;
        let detail = refused.refused(400, "request-not-accepted", Some(field));
        assert!(detail.starts_with(&format!("Request could not be accepted: `{field}`: ")), "{detail}");
    }
    assert_eq!(bench.ask(post("/robots").text("{")).await.status, 400);
    let undeclared = spawning(player(1), tx(1), &[planets.station]).header("content-type", "text/plain");
    bench.ask(undeclared).await.refused(415, "not-json", None);
    assert_eq!(bench.told(), 0);
}

/// With an idempotency key and without, at once and after the robots have changed.
#[tokio::test]
async fn an_order_that_comes_again_gets_the_same_robots_as_they_were() {
    let (bench, planets) = Bench::playing().await;
    let order = spawning(player(1), tx(1), &[planets.coal, planets.station]);
    let first = bench.ask(order.clone().key("k")).await;
    let robots = ids(&first.is(201));
    bench.execute(&[mine(robots[0], 2)]).await;
    let told = bench.told();
    bench.map.break_planet(planets.coal, PlanetFault::NoAnswer);
    for repeat in [order.clone(), order.clone().key("k"), order.key("other")] {
        assert_eq!(bench.ask(repeat).await.is(201), first.body);
    }
    assert_eq!(bench.told(), told);
    let other = bench.ask(spawning(player(2), tx(1), &[planets.station])).await;
    other.refused(422, "idempotency-key-reused", Some("transactionId"));
}

#[tokio::test]
async fn ten_thousand_robots_are_one_order() {
    let bench = Bench::on_file().await;
    bench.start_game(GAME).await;
    let planets: Vec<Uuid> = (0..500).map(|number| bench.map.add(1_000 + number, 1, None)).collect();
    let planets: Vec<Uuid> = planets.into_iter().cycle().take(10_000).collect();
    let spawned = bench.spawn(player(1), tx(1), &planets).await;
    assert_eq!(spawned.len(), 10_000);
    let shown = bench.ask(get(format!("/robots?game-id={GAME}"))).await.is(200);
    assert_eq!(ids(&shown), spawned, "in the order in which they were spawned");
    // All of them at once are more than a megabyte of commands.
    let commands: Vec<_> = spawned
        .iter()
        .map(|robot| format!("move {robot} {} {}", planets[0], Uuid::from_u128(robot.as_u128() + 1)))
        .collect();
    let sent = batch(&commands);
    assert_eq!(bench.ask(sent).await.status, 202);
    assert_eq!(bench.told(), 30_000);
}
