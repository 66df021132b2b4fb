//! Planets as everybody sees them: alone, with their neighbours, and in pages.
//! What becomes of their deposits is tested with the minings and the replenishment.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use http::header;
use serde_json::{Value, json};
use starkeep_test_harness::text;

use crate::harness::{TestMap, msd};

#[tokio::test]
async fn a_planet_has_the_fields_of_the_interface_and_no_others() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let keys = |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    for placed in map.chart(&world).await {
        let id = text(&placed["id"]);
        let planet = map.get(&format!("/planets/{id}")).await;
        assert_eq!(planet.status, 200);
        assert_eq!(
            keys(&planet.body),
            [
                "created_at",
                "gameworld_id",
                "id",
                "movement_difficulty",
                "neighbours",
                "planet_type",
                "recharge_multiplicator",
                "resource",
                "updated_at",
            ]
        );
        let mut without_place = placed;
        without_place.as_object_mut().unwrap().retain(|key, _| key != "x" && key != "y");
        assert_eq!(planet.body, without_place);
        assert_eq!(planet.body["gameworld_id"], world);
        assert_eq!(planet.body["created_at"], "2024-05-01T12:00:00Z");
        if !planet.body["resource"].is_null() {
            assert_eq!(planet.body["planet_type"], "default");
            assert_eq!(planet.body["resource"]["planet_id"], id);
            assert_eq!(
                keys(&planet.body["resource"]),
                [
                    "created_at",
                    "current_amount",
                    "id",
                    "max_amount",
                    "planet_id",
                    "resource_type",
                    "updated_at"
                ]
            );
        }
    }
}

#[tokio::test]
async fn what_is_answered_from_memory_is_what_the_route_answers() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    for planet in map.chart(&world).await {
        let id = text(&planet["id"]);
        // Written like this it is the same id, and only the route can read it.
        let encoded = format!("%{:02x}{}", id.as_bytes()[0], &id[1..]);
        let memory = map.get(&format!("/planets/{id}")).await;
        let route = map.get(&format!("/planets/{encoded}")).await;
        assert_eq!(memory.without_length(), route.without_length());
    }
}

#[tokio::test]
async fn neighbours_lie_where_their_direction_says_with_their_own_difficulty() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let chart = map.chart(&world).await;
    let by_id: HashMap<String, &Value> = chart.iter().map(|planet| (text(&planet["id"]), planet)).collect();
    for planet in &chart {
        for neighbour in planet["neighbours"].as_array().unwrap() {
            let other = by_id[neighbour["planet_id"].as_str().unwrap()];
            let step = |axis: &str| other[axis].as_i64().unwrap() - planet[axis].as_i64().unwrap();
            let expected = match neighbour["direction"].as_str().unwrap() {
                "north" => (0, 1),
                "east" => (1, 0),
                "south" => (0, -1),
                "west" => (-1, 0),
                other => panic!("{other}"),
            };
            assert_eq!((step("x"), step("y")), expected);
            assert_eq!(neighbour["movement_difficulty"], other["movement_difficulty"]);
        }
    }
    let id = text(&chart[0]["id"]);
    let neighbours = map.get(&format!("/planets/{id}/neighbours")).await;
    assert_eq!(neighbours.status, 200);
    let expected: Vec<Value> = {
        let mut planets = Vec::new();
        for neighbour in chart[0]["neighbours"].as_array().unwrap() {
            let id = text(&neighbour["planet_id"]);
            planets.push(map.get(&format!("/planets/{id}")).await.body);
        }
        planets
    };
    assert!(!expected.is_empty());
    assert_eq!(neighbours.body, json!(expected));
}

#[tokio::test]
async fn a_planets_resources_are_a_list_of_at_most_one() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let rich = map.deposits(&world).await[0].clone();
    let station = text(&map.get(&format!("/gameworlds/{world}")).await.body["spacestation_ids"][0]);
    let resource = map.get(&format!("/planets/{rich}")).await.body["resource"].clone();
    assert_eq!(map.get(&format!("/planets/{rich}/resources")).await.body, json!([resource]));
    assert_eq!(map.get(&format!("/planets/{station}/resources")).await.body, json!([]));
    let station = map.get(&format!("/planets/{station}")).await.body;
    assert_eq!((&station["planet_type"], &station["resource"]), (&json!("spacestation"), &Value::Null));
    assert_eq!(station["recharge_multiplicator"], 2);
}

#[tokio::test]
async fn a_planet_changes_when_its_deposit_does() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    map.clock.advance(Duration::from_secs(3));
    map.mine(&planet, 4).await;
    let seen = map.get(&format!("/planets/{planet}")).await.body;
    assert_eq!(seen["updated_at"], "2024-05-01T12:00:03Z");
    assert_eq!(seen["resource"]["updated_at"], "2024-05-01T12:00:03Z");
    assert_eq!(seen["resource"]["current_amount"], 9_996);
    assert_eq!(seen["created_at"], "2024-05-01T12:00:00Z");
}

#[tokio::test]
async fn pages_hold_every_planet_of_active_worlds_once_by_id() {
    let map = TestMap::in_memory().await;
    let (one, other, inactive) = (map.world().await, map.world().await, map.world().await);
    let charts = [map.chart(&one).await, map.chart(&other).await].concat();
    map.deactivate(&inactive).await;
    for (query, wanted) in [
        ("", None),
        ("planet_type=spacestation&", Some("spacestation")),
        ("planet_type=default&", Some("default")),
    ] {
        let mut expected: Vec<String> = charts
            .iter()
            .filter(|planet| wanted.is_none_or(|wanted| planet["planet_type"] == wanted))
            .map(|planet| text(&planet["id"]))
            .collect();
        expected.sort();
        let mut seen = Vec::new();
        let pages = expected.len().div_ceil(50);
        for page in 1..=pages {
            let reply = map.get(&format!("/planets?{query}page={page}")).await;
            assert_eq!(reply.status, 200);
            let planets = reply.body.as_array().unwrap();
            assert!(planets.len() == 50 || page == pages);
            seen.extend(planets.iter().map(|planet| text(&planet["id"])));
            let mut links = Vec::new();
            if page < pages {
                links.push(format!("</planets?{query}page={}>; rel=\"next\"", page + 1));
            }
            if page > 1 {
                links.push(format!("</planets?{query}page={}>; rel=\"prev\"", page - 1));
            }
            let link = reply.headers.get(header::LINK).map(|link| link.to_str().unwrap());
            assert_eq!(link.unwrap_or_default(), links.join(", "));
        }
        assert_eq!(seen, expected, "{query}");
        assert_eq!(seen.iter().collect::<HashSet<_>>().len(), seen.len());
    }
    assert_eq!(map.get("/planets").await.body, map.get("/planets?page=1").await.body);
    for beyond in ["10000", "9223372036854775807"] {
        assert_eq!(map.get(&format!("/planets?page={beyond}")).await.body, json!([]));
    }
}

#[tokio::test]
async fn pages_that_cannot_be_are_refused_by_name() {
    let map = TestMap::in_memory().await;
    for (query, field) in [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=", "page"),
        ("page=two", "page"),
        ("page=9223372036854775808", "page"),
        ("planet_type=moon", "planet_type"),
    ] {
        let refused = map.get(&format!("/planets?{query}")).await;
        assert_eq!(refused.refusal(), (422, "invalid-parameter", Some(field)), "{query}");
    }
}

#[tokio::test]
async fn unknown_planets_are_refused_and_what_was_asked_is_not_repeated() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    // A world's id is no planet's.
    for id in [world.as_str(), "seven"] {
        for path in ["", "/neighbours", "/resources"] {
            let refused = map.get(&format!("/planets/{id}{path}")).await;
            assert_eq!(refused.refusal(), (404, "unknown-planet", None));
            assert!(!text(&refused.body["detail"]).contains(id));
        }
    }
}

#[tokio::test]
async fn in_msd_the_planets_of_an_inactive_world_are_unknown_and_its_chart_stays() {
    let mut map = TestMap::with(msd()).await;
    let (world, other) = (map.world().await, map.world().await);
    let planet = map.deposits(&world).await[0].clone();
    let elsewhere = map.deposits(&other).await[0].clone();
    map.mine(&planet, 6).await;
    let chart = map.chart(&world).await;
    map.deactivate(&world).await;
    for restarted in [false, true] {
        if restarted {
            map.restart().await;
        }
        let unknown = map.get("/planets/5eed0000-0000-4000-8000-000000000004").await;
        for part in ["", "/neighbours", "/resources"] {
            let refused = map.get(&format!("/planets/{planet}{part}")).await;
            assert_eq!((refused.status, &refused.body), (404, &unknown.body), "{part}");
        }
        let refused = map.mine(&planet, 1).await;
        assert_eq!((refused.status, &refused.body), (404, &unknown.body), "as if it had never been");
        assert_eq!(map.chart(&world).await, chart);
        assert_eq!(map.get(&format!("/planets/{elsewhere}")).await.status, 200);
        assert_eq!(map.mine(&elsewhere, 1).await.status, 201);
    }
}

#[tokio::test]
async fn everything_looks_the_same_from_an_inactive_world() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    map.mine(&map.deposits(&world).await[1], 6).await;
    let mut before = Vec::new();
    let mut paths = Vec::new();
    for planet in map.chart(&world).await {
        for part in ["", "/neighbours", "/resources"] {
            let path = format!("/planets/{}{part}", text(&planet["id"]));
            before.push(map.get(&path).await.body);
            paths.push(path);
        }
    }
    map.deactivate(&world).await;
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(map.get(path).await.body, before, "{path}");
    }
}
