//! The certificate of a world: what it shows, and of which worlds there is none.
//! What starts are worth is tested in the core.

use serde_json::{Value, json};
use starkeep_test_harness::text;

use crate::harness::TestMap;

async fn certificate(map: &TestMap, world: &Value) -> Value {
    map.get(&format!("/gameworlds/{}/fairness", text(&world["id"]))).await.is(200)
}

/// Two stations at the ends of a row of three planets: gold is one move from the first and two from the second.
fn row() -> Value {
    let planet = |x: i64, kind: &str| json!({"x": x, "y": 0, "movement_difficulty": 1, "planet_type": kind});
    let mut gold = planet(1, "default");
    gold["resource"] = json!({"resource_type": "gold"});
    let planets = [planet(0, "spacestation"), gold, planet(2, "default"), planet(3, "spacestation")];
    json!({"gameworld": {"player_amount": 1, "planets": planets, "seed": 42,
        "nonce": "00112233445566778899aabbccddeeff"}})
}

#[tokio::test]
async fn a_certificate_tells_what_every_start_is_worth() {
    let map = TestMap::in_memory().await;
    let world = map.post("/gameworlds", row()).await.is(201);
    // 8 / (1 + 1) and 8 / (1 + 2).
    let stations = &world["spacestation_ids"];
    let (near, far) = (4.0, 8.0 / 3.0);
    assert_eq!(
        certificate(&map, &world).await,
        json!({
            "generator_version": null, "style": "custom", "connected": true, "least_distance": 3,
            "stations": [{"planet_id": stations[0], "value": near}, {"planet_id": stations[1], "value": far}],
            "ratio_before": 1.5, "ratio": 1.5,
            "seed_commitment": "7b3b098f58012e7d32d1b88bb5c8c546db559a7456e83c682c425606378d844d",
        })
    );
}

#[tokio::test]
async fn a_certificate_stays_as_it_was_when_the_world_was_made() {
    let mut map = TestMap::new().await;
    let world = map.post("/gameworlds", row()).await.is(201);
    let before = certificate(&map, &world).await;
    let gold = map.deposits(&text(&world["id"])).await[0].clone();
    map.mine(&gold, 10_000).await;
    assert_eq!(certificate(&map, &world).await, before);
    map.restart().await;
    assert_eq!(certificate(&map, &world).await, before);
    map.deactivate(&text(&world["id"])).await;
    assert_eq!(certificate(&map, &world).await, before);
}

#[tokio::test]
async fn starts_without_anything_have_no_ratio_and_one_start_has_no_distance() {
    let map = TestMap::in_memory().await;
    let planets = json!([{"x": 0, "y": 0, "movement_difficulty": 3, "planet_type": "spacestation"}]);
    let body = json!({"gameworld": {"player_amount": 1, "planets": planets}});
    let world = map.post("/gameworlds", body).await.is(201);
    let shown = certificate(&map, &world).await;
    for name in ["ratio", "ratio_before", "least_distance"] {
        assert_eq!(shown.get(name), Some(&Value::Null), "{name}");
    }
    assert_eq!(shown["stations"][0]["value"], 0.0);
}

#[tokio::test]
async fn every_style_has_a_certificate() {
    let map = TestMap::in_memory().await;
    for style in ["balanced", "symmetric", "wild"] {
        let body = json!({"gameworld": {"player_amount": 2, "seed": 3, "style": style}});
        let world = map.post("/gameworlds", body).await.is(201);
        let shown = certificate(&map, &world).await;
        assert_eq!((&shown["style"], &shown["connected"]), (&json!(style), &json!(true)));
        assert_eq!(
            (&world["style"], &world["generator_version"]),
            (&json!(style), &shown["generator_version"])
        );
        let stations =
            shown["stations"].as_array().unwrap().iter().map(|station| station["planet_id"].clone());
        assert_eq!(Value::Array(stations.collect()), world["spacestation_ids"]);
    }
}

#[tokio::test]
async fn a_world_that_is_unknown_has_none() {
    let map = TestMap::in_memory().await;
    for id in ["6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f", "seven"] {
        let refused = map.get(&format!("/gameworlds/{id}/fairness")).await;
        assert_eq!(refused.refusal(), (404, "unknown-gameworld", None));
    }
}
