//! A new process on the same file finds everything as it was, and goes on as the old one would have.
//! A process that is killed in the middle of something is not tested here.

use serde_json::{Value, json};
use starkeep_test_harness::{EPOCH, text};

use crate::harness::TestMap;

/// Everything that can be seen.
async fn everything(map: &TestMap) -> Value {
    let worlds = map.get("/gameworlds").await.body;
    let mut charts = Vec::new();
    for world in worlds.as_array().unwrap() {
        charts.push(map.chart(&text(&world["id"])).await);
    }
    json!([worlds, charts, map.get("/planets").await.body])
}

#[tokio::test]
async fn a_restart_changes_nothing_that_can_be_seen() {
    let mut map = TestMap::new().await;
    let (active, inactive, gone) = (map.world().await, map.world().await, map.world().await);
    for world in [&active, &inactive] {
        let planets = map.deposits(world).await;
        map.mine(&planets[0], 10_000).await;
        map.mine(&planets[3], 123).await;
        map.service().replenisher().step(EPOCH).await.unwrap();
    }
    map.deactivate(&inactive).await;
    map.delete(&format!("/gameworlds/{gone}")).await;
    let before = everything(&map).await;
    map.restart().await;
    assert_eq!(everything(&map).await, before);
    let refused = map.post("/gameworlds", json!({"gameworld": {"player_amount": 1, "id": gone}})).await;
    assert_eq!(refused.refusal().1, "gameworld-gone");
    let health = map.get("/health").await;
    assert_eq!((health.status, &health.body["parts"]["books"]["status"]), (200, &json!("ok")));
    assert_eq!(health.body["parts"]["worlds"]["detail"], "1 active");
}

#[tokio::test]
async fn the_random_stream_goes_on_where_it_was() {
    // Two services with the same world: one is restarted between every two steps.
    let (mut restarted, steady) = (TestMap::new().await, TestMap::new().await);
    let (one, other) = (restarted.world().await, steady.world().await);
    let layout = |chart: Vec<Value>| -> Vec<Value> {
        let laid = chart.into_iter().filter(|planet| !planet["resource"].is_null());
        laid.map(|planet| {
            json!([
                planet["x"],
                planet["y"],
                planet["resource"]["resource_type"],
                planet["resource"]["current_amount"]
            ])
        })
        .collect()
    };
    for round in 0..6 {
        for (map, world) in [(&restarted, &one), (&steady, &other)] {
            let planets = map.deposits(world).await;
            map.mine(&planets[round], 10_000).await;
            map.mine(&planets[round + 3], 77).await;
            map.service().replenisher().step(EPOCH).await.unwrap();
        }
        restarted.restart().await;
        assert_eq!(layout(restarted.chart(&one).await), layout(steady.chart(&other).await), "round {round}");
    }
}
