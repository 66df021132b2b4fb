//! Replenishment, stepped by hand and by the clock.
//! What a replenishment may do to a world is tested in the core.

use std::time::Duration;

use serde_json::Value;
use starkeep_map_service::{Config, Replenishment};
use starkeep_test_harness::{EPOCH, text};

use crate::harness::{TestMap, config};

async fn amounts(map: &TestMap, world: &str) -> Vec<i64> {
    let chart = map.chart(world).await;
    let resources = chart.iter().map(|planet| &planet["resource"]).filter(|resource| !resource.is_null());
    resources.map(|resource| resource["current_amount"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn exhausted_deposits_move_and_one_that_was_begun_is_filled_up() {
    let map = TestMap::in_memory().await;
    let (world, untouched) = (map.world().await, map.world().await);
    let planets = map.deposits(&world).await;
    let kind = map.get(&format!("/planets/{}", planets[0])).await.body["resource"]["resource_type"].clone();
    map.mine(&planets[0], 10_000).await;
    map.mine(&planets[1], 1).await;
    map.mine(&planets[2], 2).await;
    map.clock.advance(Duration::from_mins(1));
    let chart = map.chart(&untouched).await;
    let step = map.service().replenisher().step(EPOCH).await;
    assert_eq!(step, Ok(Replenishment { worlds: 1, deposits: 2 }));

    assert_eq!(map.get(&format!("/planets/{}/resources", planets[0])).await.body, Value::Array(vec![]));
    let moved = map.chart(&world).await;
    let successor: Vec<&Value> =
        moved.iter().filter(|planet| planet["resource"]["created_at"] == "2024-05-01T12:01:00Z").collect();
    assert_eq!(successor.len(), 1);
    assert_ne!(text(&successor[0]["id"]), planets[0]);
    assert_eq!(successor[0]["resource"]["resource_type"], kind);
    assert_eq!(successor[0]["planet_type"], "default");
    let amounts = amounts(&map, &world).await;
    assert_eq!(amounts.len(), planets.len());
    assert_eq!(amounts.iter().filter(|amount| **amount < 10_000).count(), 1);
    assert_eq!(map.chart(&untouched).await, chart);
}

#[tokio::test]
async fn where_there_is_nothing_to_refill_nothing_is_written() {
    let map = TestMap::new().await;
    let (full, inactive) = (map.world().await, map.world().await);
    let planet = map.deposits(&inactive).await[0].clone();
    map.mine(&planet, 10_000).await;
    map.deactivate(&inactive).await;
    let before = map.get(&format!("/planets/{planet}")).await.body;
    let events = map.count("event_log");
    assert_eq!(map.service().replenisher().step(EPOCH).await, Ok(Replenishment::default()));
    assert_eq!(map.count("event_log"), events);
    assert_eq!(map.get(&format!("/planets/{planet}")).await.body, before);
    assert!(amounts(&map, &full).await.iter().all(|amount| *amount == 10_000));
}

#[tokio::test]
async fn the_task_runs_at_its_intervals_and_shows_when() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    map.mine(&planet, 5).await;
    map.start_tasks();
    let runs = || map.leader().states()["replenisher"].runs;
    assert_eq!(runs(), 0);
    while runs() == 0 {
        // The task looks at the clock at a time of its own choosing, so time goes on until it has run.
        map.clock.advance(Duration::from_mins(1));
        tokio::task::yield_now().await;
    }
    let health = map.get("/health").await.body;
    assert!(health["tasks"]["replenisher"]["nextRun"].is_string(), "{health}");
    while amounts(&map, &world).await.iter().any(|amount| *amount < 10_000) {
        tokio::task::yield_now().await;
    }
    map.stop_tasks().await;
}

#[tokio::test]
async fn replenishment_can_be_off() {
    let map = TestMap::in_memory_with(Config { replenish_every: None, ..config() }).await;
    map.start_tasks();
    assert_eq!(map.leader().states().keys().collect::<Vec<_>>(), ["announcer", "clean-up", "retention"]);
    map.stop_tasks().await;
}
