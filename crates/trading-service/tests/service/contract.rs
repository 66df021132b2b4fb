//! The generated document, health and metrics.
//! The text that is checked in is compared where the executable is.

use serde_json::{Value, json};
use starkeep_trading_service::TradingService;

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, buy_robots, tx};

#[test]
fn every_route_is_documented_with_its_problems() {
    let document = serde_json::to_value(TradingService::contract()).unwrap();
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations.push(format!("{} {path}", method.to_uppercase()));
            assert!(operation["summary"].is_string(), "{method} {path}");
        }
    }
    operations.sort();
    let own: Vec<_> = operations.iter().map(String::as_str).collect();
    assert_eq!(
        own,
        [
            "GET /asyncapi.json",
            "GET /balances",
            "GET /balances/{round}",
            "GET /docs",
            "GET /events",
            "GET /games",
            "GET /health",
            "GET /items",
            "GET /items/history/buy",
            "GET /items/history/price",
            "GET /items/{name}",
            "GET /metrics",
            "GET /openapi.json",
            "GET /players",
            "GET /resources",
            "GET /resources/history/price",
            "GET /resources/history/sell",
            "GET /stations",
            "POST /commands",
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
    let bench = Bench::game().await;
    bench.robots.then(Reaction::Refuses("no"));
    bench.execute(&[buy_robots(tx(1), A, 1), buy_robots(tx(2), B, 1)]).await;
    let health = bench.read("/health").await;
    assert_eq!((&health["status"], &health["service"]), (&json!("ok"), &json!("trading")));
    assert_eq!(health["executesOnce"], true);
    assert_eq!(health["parts"]["books"]["detail"], "the books of 1 games balance");
    assert_eq!(health["parts"]["games"]["detail"], "1 games are followed");
    let metrics = bench.metrics().await;
    for line in [
        "starkeep_trades_total{type=\"buy-robot\"} 1",
        "starkeep_trades_total{type=\"buy-error\"} 1",
        "starkeep_trades_total{type=\"sell-resource\"} 0",
        "starkeep_markets 1",
        "starkeep_unsettled_waves 0",
    ] {
        assert!(metrics.lines().any(|shown| shown == line), "{line} is not in\n{metrics}");
    }
}

#[tokio::test]
async fn books_that_do_not_balance_are_noticed() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    bench
        .reopen_after(|database| {
            let earn = r#"UPDATE document SET body = replace(body, '"earned":0', '"earned":5') WHERE kind = 'account'"#;
            database.execute(earn, []).unwrap();
        })
        .await;
    let health = bench.read("/health").await;
    assert_eq!(health["parts"]["books"]["status"], "degraded");
    let detail = health["parts"]["books"]["detail"].as_str().unwrap();
    assert!(detail.contains("the players earned 10, and what was sold brought 0"), "{detail}");
}
