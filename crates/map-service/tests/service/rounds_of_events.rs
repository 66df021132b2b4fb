//! In which round a mining or a replenishment happened: the host's services say it, and events tell it. Planets are shown as
//! the gameworld was made with them, too: together a game can be told from its beginning.

use serde_json::{Value, json};
use starkeep_test_harness::{TestRequest, get, post, text};

use crate::harness::{TestMap, guarded};

const TOKEN: &str = "s3cret";
const ROUND: &str = "starkeep-round";

fn mining(planet: &str, round: &str) -> TestRequest {
    let mining = json!({"mining": {"amount_requested": 10}});
    post(format!("/planets/{planet}/minings")).json(&mining).header(ROUND, round)
}

/// The round of the last event, as the host sees it.
async fn last_round(map: &TestMap) -> Value {
    let page = get("/events?after=start&limit=1000").header("accept", "application/json").bearer(TOKEN);
    map.ask(page).await.is(200)["events"].as_array().unwrap().last().unwrap()["about"]["roundNumber"].clone()
}

async fn world(map: &TestMap) -> String {
    let body = json!({"gameworld": {"player_amount": 1, "seed": 7, "replenishment": "on_request"}});
    text(&map.ask(post("/gameworlds").json(&body).bearer(TOKEN)).await.is(201)["id"])
}

async fn chart(map: &TestMap, world: &str, query: &str) -> Vec<Value> {
    let chart = map.ask(get(format!("/gameworlds/{world}/planets{query}")).bearer(TOKEN)).await.is(200);
    chart.as_array().unwrap().clone()
}

#[tokio::test]
async fn the_host_says_in_which_round_it_is_mined_and_nobody_else() {
    let map = TestMap::in_memory_with(guarded()).await;
    let world = world(&map).await;
    let chart = chart(&map, &world, "").await;
    let planet = text(&chart.iter().find(|planet| !planet["resource"].is_null()).unwrap()["id"]);
    map.ask(mining(&planet, "7").bearer(TOKEN)).await.is(201);
    assert_eq!(last_round(&map).await, 7);
    map.ask(mining(&planet, "8")).await.is(201);
    assert_eq!(last_round(&map).await, Value::Null);
    let replenishment = post(format!("/gameworlds/{world}/replenishments")).bearer(TOKEN);
    map.ask(replenishment.clone().header(ROUND, "9")).await.is(201);
    assert_eq!(last_round(&map).await, 9);
    for wrong in ["0", "1000001", "x", ""] {
        for sent in [mining(&planet, wrong).bearer(TOKEN), replenishment.clone().header(ROUND, wrong)] {
            map.ask_without_contract(sent).await.refused(422, "invalid-parameter", Some(ROUND));
        }
    }
}

#[tokio::test]
async fn a_world_is_shown_as_it_was_made_whatever_was_mined_since() {
    for mut map in [TestMap::in_memory_with(guarded()).await, TestMap::with(guarded()).await] {
        let world = world(&map).await;
        let made = chart(&map, &world, "").await;
        for planet in made.iter().filter(|planet| !planet["resource"].is_null()).take(3) {
            let body = json!({"mining": {"amount_requested": 10_000}});
            map.ask(post(format!("/planets/{}/minings", text(&planet["id"]))).json(&body)).await.is(201);
        }
        map.ask(post(format!("/gameworlds/{world}/replenishments")).bearer(TOKEN)).await.is(201);
        assert_ne!(chart(&map, &world, "?as_made=false").await, made);
        assert_eq!(chart(&map, &world, "?as_made=true").await, made);
        if !map.is_in_memory() {
            map.restart().await;
            assert_eq!(chart(&map, &world, "?as_made=true").await, made);
        }
        let path = format!("/gameworlds/{world}/planets?as_made=true");
        map.ask(get(&path)).await.refused(401, "unauthorized", None);
        map.ask_without_contract(get(format!("/gameworlds/{world}/planets?as_made=x")).bearer(TOKEN))
            .await
            .refused(422, "invalid-parameter", Some("as_made"));
    }
}
