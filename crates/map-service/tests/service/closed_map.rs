//! A closed map: as long as a world is active, only the host looks up its planets and what its starts are worth.
//! Whoever is refused learns nothing, not even whether there is such a planet.

use serde_json::json;
use starkeep_contract::Dialect;
use starkeep_map_service::Config;
use starkeep_test_harness::{Reply, get, patch, post, text};

use crate::harness::{TestMap, guarded};

const UNKNOWN: &str = "6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f";

async fn ask(map: &TestMap, path: &str, token: Option<&str>) -> Reply {
    let request = get(path);
    map.ask(token.into_iter().fold(request, starkeep_test_harness::TestRequest::bearer)).await
}

/// A world of its host, and the paths at which its planets are looked up.
async fn world(map: &TestMap) -> (String, Vec<String>) {
    let body = json!({"gameworld": {"player_amount": 1, "seed": 7, "replenishment": "on_request"}});
    let made = map.ask(post("/gameworlds").json(&body).bearer("s3cret")).await.is(201);
    let (world, planet) = (text(&made["id"]), text(&made["spacestation_ids"][0]));
    (world.clone(), look_ups(&world, &planet))
}

fn look_ups(world: &str, planet: &str) -> Vec<String> {
    vec![
        format!("/planets/{planet}"),
        format!("/planets/{planet}/neighbours"),
        format!("/planets/{planet}/resources"),
        format!("/gameworlds/{world}/fairness"),
    ]
}

async fn deactivate(map: &TestMap, world: &str) {
    let body = json!({"gameworld": {"status": "inactive"}});
    map.ask(patch(format!("/gameworlds/{world}")).json(&body).bearer("s3cret")).await.is(200);
}

#[tokio::test]
async fn look_ups_need_the_token_until_the_world_is_over() {
    let map = TestMap::in_memory_with(Config { closed_map: true, ..guarded() }).await;
    let (over, paths_of_over) = world(&map).await;
    let (_, paths) = world(&map).await;
    for path in paths.iter().chain(&paths_of_over) {
        for token in [None, Some("wrong")] {
            assert_eq!(ask(&map, path, token).await.refusal(), (401, "unauthorized", None), "{path}");
        }
        ask(&map, path, Some("s3cret")).await.is(200);
    }
    deactivate(&map, &over).await;
    for path in &paths_of_over {
        for token in [None, Some("wrong"), Some("s3cret")] {
            ask(&map, path, token).await.is(200);
        }
    }
    for path in &paths {
        assert_eq!(ask(&map, path, None).await.refusal(), (401, "unauthorized", None), "{path}");
    }
}

#[tokio::test]
async fn a_sealed_world_is_looked_up_by_the_host_only() {
    let map = TestMap::in_memory_with(Config { closed_map: true, ..guarded() }).await;
    let (sealed, paths) = world(&map).await;
    let body = json!({"gameworld": {"status": "inactive", "sealed": true}});
    map.ask(patch(format!("/gameworlds/{sealed}")).json(&body).bearer("s3cret")).await.is(200);
    for path in &paths {
        assert_eq!(ask(&map, path, None).await.refusal(), (401, "unauthorized", None), "{path}");
        ask(&map, path, Some("s3cret")).await.is(200);
    }
}

#[tokio::test]
async fn nothing_is_learned_of_unknown_planets_and_worlds() {
    let map = TestMap::in_memory_with(Config { closed_map: true, ..guarded() }).await;
    let (_, known) = world(&map).await;
    for id in [UNKNOWN, "seven"] {
        for (path, known) in look_ups(id, id).iter().zip(&known) {
            let (refused, of_known) = (ask(&map, path, None).await, ask(&map, known, None).await);
            assert_eq!(refused.refusal(), (401, "unauthorized", None), "{path}");
            assert_eq!(refused.body, of_known.body);
            assert_eq!(ask(&map, path, Some("s3cret")).await.status, 404, "{path}");
        }
    }
}

#[tokio::test]
async fn the_list_of_planets_is_the_hosts_also_where_it_is_empty() {
    let map = TestMap::in_memory_with(Config { closed_map: true, ..guarded() }).await;
    for path in ["/planets", "/planets?page=2", "/planets?planet_type=spacestation", "/planets?page=x"] {
        assert_eq!(ask(&map, path, None).await.refusal(), (401, "unauthorized", None), "{path}");
    }
    assert_eq!(ask(&map, "/planets", Some("s3cret")).await.is(200), json!([]));
    let (over, _) = world(&map).await;
    assert_eq!(ask(&map, "/planets", Some("s3cret")).await.is(200).as_array().unwrap().len(), 50);
    deactivate(&map, &over).await;
    assert_eq!(ask(&map, "/planets", None).await.refusal(), (401, "unauthorized", None));
}

#[tokio::test]
async fn worlds_events_and_minings_stay_open() {
    let map = TestMap::in_memory_with(Config { closed_map: true, ..guarded() }).await;
    let (world, _) = world(&map).await;
    ask(&map, &format!("/gameworlds/{world}"), None).await.is(200);
    ask(&map, "/gameworlds", None).await.is(200);
    let chart = ask(&map, &format!("/gameworlds/{world}/planets"), Some("s3cret")).await.is(200);
    let rich = chart.as_array().unwrap().iter().find(|planet| !planet["resource"].is_null());
    let mined = map.mine(&text(&rich.unwrap()["id"]), 5).await;
    assert_eq!((mined.status, &mined.body["amount_mined"]), (201, &json!(5)));
}

#[tokio::test]
async fn an_open_map_shows_planets_to_everybody() {
    let map = TestMap::in_memory_with(guarded()).await;
    let (_, paths) = world(&map).await;
    for path in paths.iter().map(String::as_str).chain(["/planets"]) {
        ask(&map, path, None).await.is(200);
        ask(&map, path, Some("wrong")).await.is(200);
    }
    for path in look_ups(UNKNOWN, UNKNOWN) {
        assert_eq!(ask(&map, &path, None).await.status, 404);
    }
}

/// There planets of inactive worlds are unknown, and what is unknown is not told.
#[tokio::test]
async fn in_the_msd_dialect_planets_that_are_over_are_unknown_to_the_host_only() {
    let mut config = Config { closed_map: true, ..guarded() };
    config.frame.dialect = Dialect::Msd;
    let map = TestMap::in_memory_with(config).await;
    let (over, paths) = world(&map).await;
    deactivate(&map, &over).await;
    for path in &paths[..3] {
        assert_eq!(ask(&map, path, None).await.refusal(), (401, "unauthorized", None));
        assert_eq!(ask(&map, path, Some("s3cret")).await.refusal(), (404, "unknown-planet", None));
    }
    ask(&map, &paths[3], None).await.is(200);
}
