//! Gameworlds as wholes: made, listed, shown, made inactive, withdrawn, and every way in which that is refused.
//! What is on their planets is tested elsewhere.

use std::time::Duration;

use http::{Method, header};
use serde_json::{Value, json};
use starkeep_test_harness::{delete, get, patch, post, put, request, text};

use crate::harness::{TestMap, guarded, msd};

const SOME_ID: &str = "6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f";

#[tokio::test]
async fn a_new_world_is_active_and_says_where_it_is() {
    let map = TestMap::in_memory().await;
    let body = json!({"gameworld": {"player_amount": 2, "round_amount": 20}});
    let made = map.post("/gameworlds", body).await;
    assert_eq!(made.status, 201);
    let id = text(&made.body["id"]);
    assert_eq!(made.headers[header::LOCATION], format!("/gameworlds/{id}"));
    let stations = made.body["spacestation_ids"].clone();
    assert_eq!(stations.as_array().unwrap().len(), 4);
    assert_eq!(
        made.body,
        json!({
            "id": id, "status": "active", "spacestation_ids": stations, "player_amount": 2, "round_amount": 20,
            "style": "balanced", "generator_version": 2, "replenishment": "automatic",
            "seed_commitment": made.body["seed_commitment"],
            "created_at": "2024-05-01T12:00:00Z", "updated_at": "2024-05-01T12:00:00Z",
        })
    );
    assert_eq!(map.get(&format!("/gameworlds/{id}")).await.body, made.body);
}

#[tokio::test]
async fn the_callers_choices_are_kept_and_the_rest_is_drawn() {
    let map = TestMap::new().await;
    let chosen = json!({"gameworld": {
        "id": SOME_ID, "player_amount": 1, "seed": 9_007_199_254_740_991_i64, "style": "balanced",
    }});
    assert_eq!(map.post("/gameworlds", chosen).await.body["id"], SOME_ID);
    let open = json!({"gameworld": {"player_amount": 1, "id": "", "seed": null}});
    let other = map.post("/gameworlds", open).await;
    assert_eq!(other.status, 201);
    assert_ne!(other.body["id"], SOME_ID);
    let seeds: Vec<i64> = {
        let database = map.database();
        let mut select = database.prepare("SELECT seed FROM world ORDER BY id = ?1 DESC").unwrap();
        let id = uuid::Uuid::parse_str(SOME_ID).unwrap();
        select.query_map([id.as_bytes()], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(seeds[0], 9_007_199_254_740_991);
    assert_ne!(seeds[0], seeds[1]);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_world_with_other_ids() {
    let map = TestMap::in_memory().await;
    let (one, other) = (map.world().await, map.world().await);
    let shape = |chart: Vec<Value>| -> Vec<Value> {
        let place = |planet: Value| {
            json!([planet["x"], planet["y"], planet["planet_type"], planet["resource"]["resource_type"]])
        };
        chart.into_iter().map(place).collect()
    };
    let (first, second) = (map.chart(&one).await, map.chart(&other).await);
    assert!(first.iter().zip(&second).all(|(one, other)| one["id"] != other["id"]));
    assert_eq!(shape(first), shape(second));
}

#[tokio::test]
async fn what_cannot_be_a_world_is_refused_by_name() {
    let map = TestMap::new().await;
    let cases = [
        (json!({}), "gameworld"),
        (json!({"gameworld": {}}), "gameworld.player_amount"),
        (json!({"gameworld": {"player_amount": 0}}), "gameworld.player_amount"),
        (json!({"gameworld": {"player_amount": 10_001}}), "gameworld.player_amount"),
        (json!({"gameworld": {"player_amount": "2"}}), "gameworld.player_amount"),
        (json!({"gameworld": {"player_amount": 2, "round_amount": -1}}), "gameworld.round_amount"),
        (json!({"gameworld": {"player_amount": 2, "seed": -1}}), "gameworld.seed"),
        (json!({"gameworld": {"player_amount": 2, "seed": 9_007_199_254_740_992_i64}}), "gameworld.seed"),
        (json!({"gameworld": {"player_amount": 2, "style": "baroque"}}), "gameworld.style"),
        (json!({"gameworld": {"player_amount": 2, "id": "x"}}), "gameworld.id"),
    ];
    for (body, field) in cases {
        let refused = map.post("/gameworlds", body.clone()).await;
        assert_eq!(refused.refusal(), (422, "invalid-field", Some(field)), "{body}");
    }
    assert_eq!(map.ask(post("/gameworlds").text("{")).await.refusal(), (400, "unreadable-json", None));
    assert_eq!(map.ask(post("/gameworlds")).await.refusal(), (415, "not-json", None));
    assert_eq!((map.count("world"), map.count("event_log")), (0, 0));
}

#[tokio::test]
async fn worlds_are_listed_newest_first_and_in_pages() {
    let map = TestMap::in_memory().await;
    assert_eq!(map.get("/gameworlds").await.body, json!([]));
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(map.world().await);
        map.clock.advance(Duration::from_secs(1));
    }
    map.deactivate(&ids[1]).await;
    ids.reverse();
    let listed = |body: &Value| -> Vec<String> {
        body.as_array().unwrap().iter().map(|world| text(&world["id"])).collect()
    };
    let all = map.get("/gameworlds").await;
    assert_eq!(listed(&all.body), ids);
    assert!(!all.headers.contains_key(header::LINK));
    assert_eq!(all.body[3]["status"], "inactive");
    assert_eq!(all.body[3], map.get(&format!("/gameworlds/{}", ids[3])).await.body);

    let mut path = "/gameworlds?limit=2".to_owned();
    let mut seen = Vec::new();
    for more in [true, true, false] {
        let page = map.get(&path).await;
        seen.extend(listed(&page.body));
        let link = page.headers.get(header::LINK).map(|link| link.to_str().unwrap().to_owned());
        assert_eq!(link.is_some(), more, "{path}");
        if let Some(link) = link {
            path = link.strip_prefix('<').unwrap().strip_suffix(">; rel=\"next\"").unwrap().to_owned();
        }
    }
    assert_eq!(seen, ids);

    for (query, field) in
        [("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"), ("after=there", "after")]
    {
        let refused = map.get(&format!("/gameworlds?{query}")).await;
        assert_eq!(refused.refusal(), (422, "invalid-parameter", Some(field)), "{query}");
    }
}

#[tokio::test]
async fn a_world_becomes_inactive_once_and_can_still_be_read() {
    let map = TestMap::in_memory().await;
    let id = map.world().await;
    let planet = map.deposits(&id).await[0].clone();
    let chart = map.chart(&id).await;
    map.clock.advance(Duration::from_secs(5));
    let inactive = map.deactivate(&id).await;
    assert_eq!(inactive.status, 200);
    assert_eq!(inactive.body["status"], "inactive");
    assert_eq!(inactive.body["updated_at"], "2024-05-01T12:00:05Z");
    map.clock.advance(Duration::from_secs(5));
    let again = map.deactivate(&id).await;
    assert_eq!((again.status, again.body), (inactive.status, inactive.body.clone()));
    assert_eq!(map.get(&format!("/gameworlds/{id}")).await.body, inactive.body);
    assert_eq!(map.chart(&id).await, chart);
    assert_eq!(map.get(&format!("/planets/{planet}")).await.body["id"], planet);
}

#[tokio::test]
async fn other_changes_of_a_world_are_refused() {
    let map = TestMap::in_memory().await;
    let id = map.world().await;
    for (body, field) in [
        (json!({"gameworld": {"status": "active"}}), "gameworld.status"),
        (json!({"gameworld": {}}), "gameworld.status"),
        (json!({}), "gameworld"),
    ] {
        let refused = map.patch(&format!("/gameworlds/{id}"), body).await;
        assert_eq!(refused.refusal(), (422, "invalid-field", Some(field)));
    }
    assert_eq!(map.get(&format!("/gameworlds/{id}")).await.body["status"], "active");
}

#[tokio::test]
async fn a_withdrawn_world_is_gone_with_all_that_was_in_it() {
    let map = TestMap::new().await;
    let (kept, gone, inactive) = (map.world().await, map.world().await, map.world().await);
    let planet = map.deposits(&gone).await[0].clone();
    for world in [&kept, &gone, &inactive] {
        map.mine(&map.deposits(world).await[0], 1).await;
    }
    map.deactivate(&inactive).await;
    for id in [&gone, &gone, &inactive] {
        let withdrawn = map.delete(&format!("/gameworlds/{id}")).await;
        assert_eq!((withdrawn.status, withdrawn.body), (204, Value::Null));
    }
    for path in [format!("/gameworlds/{gone}"), format!("/gameworlds/{gone}/planets")] {
        assert_eq!(map.get(&path).await.refusal(), (404, "unknown-gameworld", None));
    }
    assert_eq!(map.deactivate(&gone).await.refusal(), (404, "unknown-gameworld", None));
    assert_eq!(map.get(&format!("/planets/{planet}")).await.refusal(), (404, "unknown-planet", None));
    assert_eq!(map.mine(&planet, 1).await.refusal(), (404, "unknown-planet", None));
    let rows = ["world", "world_layout", "deposit", "book"].map(|table| map.count(table));
    assert_eq!(rows, [1, 1, 1, 5]);
}

#[tokio::test]
async fn an_id_is_used_once() {
    for (config, conflict) in [(crate::harness::config(), 409), (msd(), 403)] {
        let map = TestMap::with(config).await;
        let world_request = json!({"gameworld": {"player_amount": 1, "id": SOME_ID}});
        assert_eq!(map.delete(&format!("/gameworlds/{SOME_ID}")).await.status, 204);
        let refused = map.post("/gameworlds", world_request).await;
        assert_eq!(refused.refusal(), (conflict, "gameworld-gone", Some("gameworld.id")));
        assert!(text(&refused.body["detail"]).contains("withdrawn"));

        let id = map.world().await;
        let world_request = json!({"gameworld": {"player_amount": 1, "id": id}});
        for _ in 0..2 {
            let refused = map.post("/gameworlds", world_request.clone()).await;
            assert_eq!(refused.refusal(), (conflict, "gameworld-gone", Some("gameworld.id")));
            assert!(text(&refused.body["detail"]).contains("was made before"));
            // Also while it is inactive.
            map.deactivate(&id).await;
        }
        assert_eq!(map.count("world"), 1);
    }
}

#[tokio::test]
async fn unknown_worlds_are_refused_and_what_was_asked_is_not_repeated() {
    let map = TestMap::in_memory().await;
    for id in [SOME_ID, "seven"] {
        for path in [format!("/gameworlds/{id}"), format!("/gameworlds/{id}/planets")] {
            let refused = map.get(&path).await;
            assert_eq!(refused.refusal(), (404, "unknown-gameworld", None));
            assert!(!text(&refused.body["detail"]).contains(id));
        }
        assert_eq!(map.deactivate(id).await.refusal(), (404, "unknown-gameworld", None));
    }
    assert_eq!(map.delete("/gameworlds/seven").await.refusal(), (404, "unknown-gameworld", None));
}

#[tokio::test]
async fn what_a_host_does_needs_its_token_and_reading_does_not() {
    let map = TestMap::in_memory_with(guarded()).await;
    let world_request = json!({"gameworld": {"player_amount": 1}});
    let calls = [
        post("/gameworlds").json(&world_request),
        patch(format!("/gameworlds/{SOME_ID}")).json(&json!({"gameworld": {"status": "inactive"}})),
        delete(format!("/gameworlds/{SOME_ID}")),
        get(format!("/gameworlds/{SOME_ID}/planets")),
    ];
    for call in calls {
        let refused = map.ask(call.clone()).await;
        assert_eq!(refused.refusal(), (401, "unauthorized", None), "{call:?}");
        assert_eq!(refused.headers[header::WWW_AUTHENTICATE], "Bearer");
        assert_ne!(map.ask(call.clone().bearer("s3cret")).await.status, 401, "{call:?}");
    }
    assert_eq!(map.get("/gameworlds").await.status, 200);
    assert_eq!(map.get("/planets").await.status, 200);
    assert_eq!(map.get(&format!("/gameworlds/{SOME_ID}")).await.status, 404);
}

#[tokio::test]
async fn other_methods_are_told_what_is_allowed() {
    let map = TestMap::in_memory_with(guarded()).await;
    let refused = map.ask(put("/gameworlds")).await;
    assert_eq!(refused.refusal(), (405, "method-not-allowed", None));
    assert_eq!(map.get("/nowhere").await.refusal(), (404, "no-such-route", None));
    assert_eq!(map.ask(request(Method::HEAD, "/gameworlds")).await.status, 200);
}

#[tokio::test]
async fn a_world_that_is_withdrawn_while_it_is_made_does_not_stay() {
    let map = TestMap::new().await;
    for number in 0..20_u128 {
        let id = uuid::Uuid::from_u128(number).to_string();
        let world_request = json!({"gameworld": {"player_amount": 1, "id": id}});
        let path = format!("/gameworlds/{id}");
        let (made, withdrawn) = futures::join!(map.post("/gameworlds", world_request), map.delete(&path));
        assert!([201, 409].contains(&made.status), "{}", made.body);
        assert_eq!(withdrawn.status, 204);
        assert_eq!(map.get(&path).await.status, 404);
    }
    assert_eq!((map.count("world"), map.count("withdrawn_world")), (0, 20));
}
