//! Executors that are probed: `/health` shows an outage and a return without a batch, and a purchase is limited as long as
//! the trading service does not say that it executes a batch once.

use std::time::Duration;

use serde_json::{Value, json};
use starkeep_game_service::ports::{BatchFault, ExecutorHealth};
use starkeep_test_harness::{get, post};

use crate::fake_executor::Reaction;
use crate::harness::{Bench, Setup};
use crate::playing::Match;

const BETWEEN_PROBES: Duration = Duration::from_secs(2);
const ONCE: ExecutorHealth = ExecutorHealth { executes_once: true, fault: None };

async fn part(bench: &Bench, name: &str) -> (Value, Value) {
    let mut health = bench.ask(get("/health")).await.is(200);
    (health["parts"][name]["status"].take(), health["parts"][name]["detail"].take())
}

#[tokio::test]
async fn health_follows_the_executors_without_a_batch() {
    let bench = Bench::in_memory().await;
    bench.start_tasks();
    for (round, health, status) in
        [(1, Ok(ONCE), "ok"), (2, Err("no connection".to_owned()), "degraded"), (3, Ok(ONCE), "ok")]
    {
        if round > 1 {
            bench.robots.set_health(health);
            bench.clock.advance(BETWEEN_PROBES);
        }
        bench.robots.probes_answered(round).await;
        // The probe is recorded after it was answered.
        bench.trading.probes_answered(round).await;
        tokio::task::yield_now().await;
        assert_eq!(part(&bench, "robot").await.0, status, "probe {round}");
        assert_eq!(part(&bench, "trading").await.0, "ok", "probe {round}");
    }
    bench.stop_tasks().await;
    let tasks = bench.leader().states();
    assert!(["trading-watch", "robot-watch"].iter().all(|task| tasks.contains_key(*task)), "{tasks:?}");
}

#[tokio::test]
async fn a_return_is_seen_before_the_next_batch_and_a_refusal_only_then() {
    for (fault, after_a_probe) in [
        (BatchFault::NotReached("refused".into()), "ok"),
        (BatchFault::Unclear("no answer".into()), "ok"),
        (BatchFault::TurnedDown("what is this?".into()), "degraded"),
    ] {
        let it = Match::in_memory().await;
        it.ada_sends("mining", json!({})).await;
        let shown = format!("{fault:?}");
        // A connection that is refused is tried again until the phase is nearly over.
        (0..40).for_each(|_| it.bench.robots.then(Reaction::Fail(fault.clone())));
        it.bench.advance_alone(3_000).await;
        it.execute().await;
        assert_eq!(part(&it.bench, "robot").await.0, "degraded", "{shown}");
        it.bench.start_tasks();
        it.bench.robots.probes_answered(1).await;
        tokio::task::yield_now().await;
        assert_eq!(part(&it.bench, "robot").await.0, after_a_probe, "{shown}");
        it.bench.stop_tasks().await;
    }
}

impl Match {
    async fn status_of_purchase(&self, quantity: u32) -> u16 {
        let body = self.of_ada("buying", &json!({"itemName": "ROBOT", "itemQuantity": quantity}));
        self.bench.ask(post("/commands").json(&body)).await.status
    }
}

#[tokio::test]
async fn large_purchases_are_refused_unless_trading_executes_once() {
    let it = Match::in_memory().await;
    assert_eq!(it.status_of_purchase(19).await, 201);
    let large = it.of_ada("buying", &json!({"itemName": "ROBOT", "itemQuantity": 20}));
    let refused = it.bench.ask(post("/commands").json(&large)).await;
    refused.refused(422, "invalid-field", Some("itemQuantity"));
    let detail = refused.json()["detail"].as_str().expect("a text").to_owned();
    assert!(detail.contains("at most 19"), "{detail}");
    let batch = post("/commands/batch").json(&json!([large, it.of_ada("mining", &json!({}))]));
    let answers = it.bench.ask(batch).await.json();
    assert_eq!((&answers[0]["status"], &answers[1]["status"]), (&json!(422), &json!(201)), "{answers}");
    it.bench.trading.set_health(Ok(ONCE));
    it.bench.start_tasks();
    it.bench.trading.probes_answered(1).await;
    tokio::task::yield_now().await;
    assert_eq!(it.status_of_purchase(1_000).await, 201);
    it.bench.stop_tasks().await;
}

#[tokio::test]
async fn nobody_limits_purchases_that_nobody_carries_out() {
    let it = Match::with(Setup { executors: false, ..Setup::in_memory() }).await;
    assert_eq!(it.status_of_purchase(1_000).await, 201);
}
