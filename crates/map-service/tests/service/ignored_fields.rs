//! Fields that the map does not know have no effect and are no error: the answer of `POST /gameworlds` lists them.
//! Which known field is near is tested where the list is made.

use serde_json::{Value, json};
use starkeep_test_harness::{post, text};

use crate::harness::TestMap;

fn planet(x: u32, extra: &str) -> Value {
    json!({"x": x, "y": 0, "movement_difficulty": 1, "planet_type": "spacestation", "resource": null, extra: 1})
}

#[tokio::test]
async fn a_new_world_lists_what_it_ignored_by_its_path_and_repeats_the_list() {
    let mut map = TestMap::new().await;
    let planets = json!([planet(0, "colour"), planet(1, "colour"), planet(2, "planetType")]);
    let body = json!({"World": 1, "gameworld": {"player_amount": 1, "playerCount": 5, "planets": planets}});
    let first = map.ask(post("/gameworlds").json(&body).key("k")).await;
    assert_eq!(first.status, 201, "{}", first.body);
    let expected = json!([
        {"field": "World", "did_you_mean": "gameworld"},
        {"field": "gameworld.planets[].colour", "did_you_mean": null},
        {"field": "gameworld.planets[].planetType", "did_you_mean": "planet_type"},
        {"field": "gameworld.playerCount", "did_you_mean": "player_amount"},
    ]);
    assert_eq!(first.body["ignored_fields"], expected);
    map.restart().await;
    let again = map.ask(post("/gameworlds").json(&body).key("k")).await;
    assert_eq!((again.status, &again.bytes), (201, &first.bytes));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let mut shown = map.get(&format!("/gameworlds/{}", text(&first.body["id"]))).await.body;
    shown["ignored_fields"] = expected;
    assert_eq!(shown, first.body, "the world itself is as it is shown later");
}

#[tokio::test]
async fn where_nothing_is_ignored_there_is_no_list() {
    let map = TestMap::in_memory().await;
    let made = map.post("/gameworlds", json!({"gameworld": {"player_amount": 1, "seed": null}})).await;
    assert_eq!((made.status, made.body.get("ignored_fields")), (201, None));
}
