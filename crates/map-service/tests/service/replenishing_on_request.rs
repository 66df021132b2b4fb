//! Worlds that are replenished when their host asks for it: the answer, the events, repeats, and who is refused.
//! What a replenishment may do to a world is tested in the core.

use std::time::Duration;

use serde_json::{Value, json};
use starkeep_map_service::Replenishment;
use starkeep_test_harness::{EPOCH, Reply, post, text};

use crate::harness::{TestMap, config, guarded, msd};

const UNKNOWN: &str = "6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f";

fn on_request() -> Value {
    json!({"gameworld": {"player_amount": 2, "seed": 7, "replenishment": "on_request"}})
}

async fn world(map: &TestMap) -> String {
    let made = map.post("/gameworlds", on_request()).await.is(201);
    assert_eq!(made["replenishment"], "on_request");
    text(&made["id"])
}

async fn replenish(map: &TestMap, world: &str) -> Reply {
    map.ask(post(format!("/gameworlds/{world}/replenishments"))).await
}

async fn keyed(map: &TestMap, world: &str, key: &str) -> Reply {
    map.ask(post(format!("/gameworlds/{world}/replenishments")).key(key)).await
}

async fn resource(map: &TestMap, planet: &str) -> Value {
    map.get(&format!("/planets/{planet}")).await.body["resource"].clone()
}

#[tokio::test]
async fn the_answer_tells_what_was_replenished_and_so_do_events() {
    let map = TestMap::new().await;
    let world = world(&map).await;
    let planets = map.deposits(&world).await;
    let gone = resource(&map, &planets[0]).await;
    map.mine(&planets[0], 10_000).await;
    map.mine(&planets[1], 300).await;
    let before = map.stored_events().len();
    map.clock.advance(Duration::from_secs(9));
    let done = replenish(&map, &world).await.is(201);
    let filled = resource(&map, &planets[1]).await;
    let moved_to = text(&done["replenished"][0]["planet_id"]);
    let successor = resource(&map, &moved_to).await;
    assert_eq!(
        done,
        json!({"gameworld_id": world, "replenished": [
            {"planet_id": moved_to, "resource_id": successor["id"], "resource_type": gone["resource_type"],
             "amount": 10_000, "replaced_resource_id": gone["id"]},
            {"planet_id": planets[1], "resource_id": filled["id"], "resource_type": filled["resource_type"],
             "amount": 300, "replaced_resource_id": null},
        ]})
    );
    for deposit in [&successor, &filled] {
        assert_eq!(
            (&deposit["current_amount"], &deposit["updated_at"]),
            (&json!(10_000), &json!("2024-05-01T12:00:09Z"))
        );
    }
    let events = map.stored_events();
    let told: Vec<_> =
        events[before..].iter().map(|event| (&*event.channel, event.subject.to_string())).collect();
    assert_eq!(told, [("resource-replenished", world.clone()), ("resource-replenished", world.clone())]);
    assert!(events[before].payload.contains(&moved_to) && events[before + 1].payload.contains(&planets[1]));
    let books = map.get("/health").await.body["parts"]["books"]["detail"].clone();
    assert_eq!(books, "all books balance");
    let metrics = map.metrics().await;
    assert!(metrics.lines().any(|line| line == "starkeep_replenishments_total 2"), "{metrics}");
}

#[tokio::test]
async fn a_repeat_gets_the_first_answer_also_where_there_was_nothing_to_do() {
    let mut map = TestMap::new().await;
    let world = world(&map).await;
    let planets = map.deposits(&world).await;
    let nothing = keyed(&map, &world, "first").await.is(201);
    assert_eq!(nothing, json!({"gameworld_id": world, "replenished": []}));
    map.mine(&planets[0], 10_000).await;
    map.restart().await;
    for _ in 0..2 {
        let again = keyed(&map, &world, "first").await;
        assert_eq!(again.headers["idempotency-replayed"], "true");
        assert_eq!(again.is(201), nothing);
    }
    assert_eq!(resource(&map, &planets[0]).await["current_amount"], 0, "the repeat replenished nothing");
    let done = keyed(&map, &world, "second").await.is(201);
    assert_eq!(done["replenished"].as_array().unwrap().len(), 1);
    let events = map.count("event_log");
    map.mine(&planets[1], 10_000).await;
    assert_eq!(keyed(&map, &world, "second").await.is(201), done);
    assert_eq!(map.count("event_log"), events + 1, "only the mining was added");
}

#[tokio::test]
async fn twins_in_flight_replenish_once() {
    let map = TestMap::in_memory().await;
    let world = world(&map).await;
    for planet in map.deposits(&world).await.iter().take(3) {
        map.mine(planet, 5).await;
    }
    let twins = futures::future::join_all((0..8).map(|_| keyed(&map, &world, "k"))).await;
    for twin in &twins {
        assert_eq!((twin.status, &twin.body), (201, &twins[0].body));
    }
    let begun = map.chart(&world).await;
    let begun = begun.iter().filter(|planet| planet["resource"]["current_amount"] == 9_995);
    assert_eq!(begun.count(), 2, "one of three was filled up");
}

#[tokio::test]
async fn the_same_calls_give_the_same_deposits_whatever_happens_between() {
    let map = TestMap::in_memory().await;
    let place = |chart: &[Value], at: &Value| -> Value {
        let planet = chart.iter().find(|planet| planet["id"] == *at).unwrap();
        json!([planet["x"], planet["y"]])
    };
    let mut histories = Vec::new();
    for empty_ones in [0, 3] {
        let mut body = on_request();
        body["gameworld"]["nonce"] = json!("00112233445566778899aabbccddeeff");
        let world = text(&map.post("/gameworlds", body).await.is(201)["id"]);
        let chart = map.chart(&world).await;
        let mut history = Vec::new();
        for round in 0..4 {
            let planets = map.deposits(&world).await;
            map.mine(&planets[round], 10_000).await;
            map.mine(&planets[round + 5], 7).await;
            map.mine(&planets[round + 9], 7).await;
            let done = replenish(&map, &world).await.is(201);
            let places = done["replenished"].as_array().unwrap().iter();
            history.push(places.map(|one| place(&chart, &one["planet_id"])).collect::<Vec<_>>());
            // Nothing to do: no chance is used up.
            let full = world_of_nothing(&map).await;
            for _ in 0..empty_ones {
                assert_eq!(replenish(&map, &full).await.is(201)["replenished"], json!([]));
            }
        }
        histories.push(history);
    }
    assert_eq!(histories[0], histories[1]);
}

/// There is nothing to be replenished in it.
async fn world_of_nothing(map: &TestMap) -> String {
    let planets = json!([{"x": 0, "y": 0, "movement_difficulty": 1, "planet_type": "spacestation"}]);
    let gameworld = json!({"player_amount": 1, "planets": planets, "replenishment": "on_request"});
    text(&map.post("/gameworlds", json!({"gameworld": gameworld})).await.is(201)["id"])
}

#[tokio::test]
async fn deposits_of_a_world_made_by_hand_refill_in_place() {
    let map = TestMap::in_memory().await;
    let planet = |x: i64, kind: &str| json!({"x": x, "y": 0, "movement_difficulty": 1, "planet_type": kind});
    let mut rich = planet(1, "default");
    rich["resource"] = json!({"resource_type": "gem", "max_amount": 70, "current_amount": 3});
    let planets = [planet(0, "spacestation"), rich, planet(2, "default")];
    let gameworld = json!({"player_amount": 1, "planets": planets, "replenishment": "on_request"});
    let world = text(&map.post("/gameworlds", json!({"gameworld": gameworld})).await.is(201)["id"]);
    let place = map.deposits(&world).await[0].clone();
    map.mine(&place, 9).await;
    let done = replenish(&map, &world).await.is(201);
    let one = &done["replenished"][0];
    assert_eq!((&one["planet_id"], &one["amount"]), (&json!(place), &json!(70)));
    assert_eq!(resource(&map, &place).await["current_amount"], 70);
}

#[tokio::test]
async fn the_task_leaves_these_worlds_alone() {
    let map = TestMap::in_memory().await;
    let (asked, automatic) = (world(&map).await, map.world().await);
    for world in [&asked, &automatic] {
        map.mine(&map.deposits(world).await[0], 10_000).await;
    }
    let step = map.service().replenisher().step(EPOCH).await;
    assert_eq!(step, Ok(Replenishment { worlds: 1, deposits: 1 }));
    let exhausted =
        |chart: Vec<Value>| chart.iter().filter(|planet| planet["resource"]["current_amount"] == 0).count();
    assert_eq!(exhausted(map.chart(&asked).await), 1);
    assert_eq!(exhausted(map.chart(&automatic).await), 0);
}

#[tokio::test]
async fn who_cannot_be_replenished_is_refused_and_nothing_changes() {
    for (config, conflict) in [(config(), 409), (msd(), 403)] {
        let map = TestMap::with(config).await;
        let (automatic, inactive, withdrawn) = (map.world().await, world(&map).await, world(&map).await);
        for id in [&automatic, &inactive] {
            map.mine(&map.deposits(id).await[0], 10_000).await;
        }
        map.deactivate(&inactive).await;
        map.delete(&format!("/gameworlds/{withdrawn}")).await;
        let events = map.count("event_log");
        let cases = [
            (&*automatic, conflict, "replenished-automatically"),
            (&*inactive, conflict, "gameworld-inactive"),
            (&*withdrawn, 404, "unknown-gameworld"),
            (UNKNOWN, 404, "unknown-gameworld"),
            ("seven", 404, "unknown-gameworld"),
        ];
        for (id, status, code) in cases {
            for reply in [replenish(&map, id).await, keyed(&map, id, "k").await] {
                assert_eq!(reply.refusal(), (status, code, None), "{id}");
            }
        }
        assert_eq!((map.count("event_log"), map.count("answer")), (events, 0));
        let health = map.get("/health").await.body;
        assert_eq!(health["parts"]["books"]["detail"], "all books balance");
    }
}

#[tokio::test]
async fn only_the_host_asks_for_it_and_a_body_does_not_matter() {
    let map = TestMap::in_memory_with(guarded()).await;
    let world = text(&map.ask(post("/gameworlds").json(&on_request()).bearer("s3cret")).await.is(201)["id"]);
    let path = format!("/gameworlds/{world}/replenishments");
    for path in [&path, &format!("/gameworlds/{UNKNOWN}/replenishments")] {
        for request in [post(&**path), post(&**path).bearer("wrong"), post(&**path).key("k")] {
            assert_eq!(map.ask(request).await.refusal(), (401, "unauthorized", None));
        }
    }
    let nothing = json!({"gameworld_id": world, "replenished": []});
    for request in [post(&*path), post(&*path).json(&json!({}))] {
        assert_eq!(map.ask(request.bearer("s3cret").undocumented()).await.is(201), nothing);
    }
}
