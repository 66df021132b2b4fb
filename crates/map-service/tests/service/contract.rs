//! The generated document, and what is common to both addresses.
//! The text that is checked in is compared where the executable is.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use starkeep_map_service::MapService;
use starkeep_test_harness::EPOCH;

use crate::harness::{TestMap, msd};

#[test]
fn every_route_is_documented_with_its_problems() {
    let document = serde_json::to_value(MapService::contract()).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut operations = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations.insert(format!("{} {path}", method.to_uppercase()));
            assert!(operation["summary"].is_string(), "{method} {path}");
            for (status, answer) in operation["responses"].as_object().unwrap() {
                let content = answer["content"].as_object();
                let kinds: Vec<&String> = content.into_iter().flat_map(|content| content.keys()).collect();
                match status.as_bytes()[0] {
                    b'2' if status == "204" => assert!(kinds.is_empty()),
                    b'2' | b'5' if path == "/health" => assert_eq!(kinds, ["application/json"]),
                    b'2' if path == "/metrics" => assert_eq!(kinds, ["application/openmetrics-text"]),
                    b'2' if path == "/docs" => assert_eq!(kinds, ["text/html"]),
                    b'2' if path == "/events" => assert_eq!(kinds, ["application/json", "text/event-stream"]),
                    b'2' => assert_eq!(kinds, ["application/json"], "{method} {path} {status}"),
                    _ => assert_eq!(kinds, ["application/problem+json"], "{method} {path} {status}"),
                }
            }
        }
    }
    assert_eq!(
        operations.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "DELETE /gameworlds/{id}",
            "GET /asyncapi.json",
            "GET /docs",
            "GET /events",
            "GET /gameworlds",
            "GET /gameworlds/{id}",
            "GET /gameworlds/{id}/fairness",
            "GET /gameworlds/{id}/planets",
            "GET /health",
            "GET /metrics",
            "GET /openapi.json",
            "GET /planets",
            "GET /planets/{planet_id}",
            "GET /planets/{planet_id}/neighbours",
            "GET /planets/{planet_id}/resources",
            "PATCH /gameworlds/{id}",
            "POST /gameworlds",
            "POST /gameworlds/{id}/replenishments",
            "POST /planets/{planet_id}/minings",
        ]
    );
    unresolved(&document, &document);
}

/// Every reference leads somewhere.
fn unresolved(value: &Value, document: &Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(target)) = fields.get("$ref") {
                assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
            }
            fields.values().for_each(|value| unresolved(value, document));
        }
        Value::Array(items) => items.iter().for_each(|value| unresolved(value, document)),
        _ => {}
    }
}

#[tokio::test]
async fn health_and_metrics_tell_how_it_is() {
    let map = TestMap::in_memory_with(msd()).await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    let kind = map.get(&format!("/planets/{planet}")).await.body["resource"]["resource_type"].clone();
    map.mine(&planet, 4).await;
    map.mine(&planet, 5).await;
    map.service().replenisher().step(EPOCH).await.unwrap();
    let health = map.get("/health").await;
    assert_eq!(health.status, 200);
    assert_eq!((&health.body["status"], &health.body["service"]), (&json!("ok"), &json!("map")));
    assert_eq!(health.body["dialect"], "msd");
    assert_eq!(health.body["parts"]["storage"]["status"], "ok");
    assert_eq!(health.body["parts"]["worlds"]["detail"], "1 active");

    let metrics = map.metrics().await;
    let kind = kind.as_str().unwrap();
    for line in [
        "starkeep_minings_total 2".to_owned(),
        format!("starkeep_mined_units_total{{resource_type=\"{kind}\"}} 9"),
        "starkeep_replenishments_total 1".to_owned(),
        "starkeep_active_worlds 1".to_owned(),
        "starkeep_store_commits_total 4".to_owned(),
        // The world, its four stations, two minings, a refill.
        "starkeep_store_events_total 8".to_owned(),
    ] {
        assert!(metrics.lines().any(|shown| shown == line), "{line} is not in\n{metrics}");
    }
}

#[tokio::test]
async fn books_that_do_not_balance_are_noticed() {
    let mut map = TestMap::new().await;
    map.world().await;
    map.database().execute("UPDATE book SET initial = initial + 1 WHERE kind = 'gold'", []).unwrap();
    map.restart().await;
    let health = map.get("/health").await;
    assert_eq!((health.status, &health.body["status"]), (200, &json!("degraded")));
    let detail = health.body["parts"]["books"]["detail"].as_str().unwrap();
    assert!(detail.contains("the books of gold do not balance"), "{detail}");
}

#[tokio::test]
async fn a_storage_that_cannot_be_written_is_told_and_recovers() {
    let map = TestMap::new().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    // Tables that cannot be found stand for a disk that refuses.
    let other = map.database();
    let rename = |from: &str, to: &str| {
        other.execute_batch(&format!(
            "ALTER TABLE event_log{from} RENAME TO event_log{to}; ALTER TABLE installation{from} RENAME TO installation{to}"
        ))
    };
    rename("", "_away").unwrap();
    let refused = map.mine(&planet, 1).await;
    assert_eq!(refused.refusal(), (503, "storage-unavailable", None));
    assert_eq!(refused.headers["retry-after"], "1");
    let health = map.get("/health").await;
    assert_eq!((health.status, &health.body["status"]), (503, &json!("failing")));
    assert_eq!(map.get(&format!("/planets/{planet}")).await.body["resource"]["current_amount"], 10_000);
    rename("_away", "").unwrap();
    assert_eq!(map.get("/health").await.status, 200);
    assert_eq!(map.mine(&planet, 1).await.body["amount_left"], 9_999);
}

#[tokio::test]
async fn why_the_storage_cannot_be_read_is_not_told_to_clients() {
    let map = TestMap::new().await;
    let world = map.world().await;
    map.deactivate(&world).await;
    map.database().execute_batch("ALTER TABLE book RENAME TO book_away").unwrap();
    let refused = map.get(&format!("/gameworlds/{world}/planets")).await;
    assert_eq!(refused.refusal(), (503, "storage-unavailable", None));
    assert_eq!(refused.body["detail"], "the storage could not be read; the service's log says why");
}
