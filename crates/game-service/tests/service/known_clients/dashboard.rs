//! The dashboard, a page in a browser: what it may ask is for the browser to find out first.
//! It shows the one game there is, and sends an empty object where it has nothing to say.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use starkeep_test_harness::{Reply, TestRequest, get, patch, post, request};

use super::read;
use crate::harness::Bench;

const PAGE: &str = "http://localhost:4200";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    game_id: String,
    game_status: String,
    round_length_in_millis: u32,
    participating_players: Vec<String>,
}

/// As the browser lets a page have it.
async fn ask_from_page(bench: &Bench, ask: TestRequest) -> Reply {
    let reply = bench.ask(ask.header("origin", PAGE)).await;
    assert!(["*", PAGE].contains(&reply.header("access-control-allow-origin").expect("a permission")));
    reply
}

async fn games(bench: &Bench) -> Vec<Listed> {
    read(&ask_from_page(bench, get("/games")).await, 200)
}

#[tokio::test]
async fn it_makes_changes_starts_and_ends_the_one_game() {
    let bench = Bench::msd_in_memory().await;
    assert!(games(&bench).await.is_empty());
    let create = post("/games").json(&json!({"maxRounds": 20, "maxPlayers": 4}));
    let made: Value = read(&ask_from_page(&bench, create).await, 201);
    let path = format!("/games/{}", made["gameId"].as_str().expect("an id"));
    let faster = patch(format!("{path}/duration")).json(&json!({"duration": 15_000}));
    let _: Value = read(&ask_from_page(&bench, faster).await, 200);
    let (id, _) = bench.register("somebody").await;
    let [game] = &games(&bench).await[..] else { panic!("one game") };
    bench.put_in(game.game_id.parse().expect("an id"), id).await.is(200);

    for (order, status) in [("start", "created"), ("end", "started")] {
        let [game] = &games(&bench).await[..] else { panic!("one game") };
        assert_eq!((&*game.game_status, game.round_length_in_millis), (status, 15_000));
        assert_eq!(game.participating_players, [id.to_string()]);
        let order = post(format!("{path}/gameCommands/{order}")).json(&json!({}));
        let _: Value = read(&ask_from_page(&bench, order).await, 201);
    }
    assert!(games(&bench).await.is_empty());
}

#[tokio::test]
async fn its_browser_is_told_that_it_may() {
    let bench = Bench::msd_in_memory().await;
    for method in ["POST", "PATCH", "PUT"] {
        let preflight = request(Method::OPTIONS, "/games")
            .header("access-control-request-method", method)
            .header("access-control-request-headers", "content-type");
        let reply = ask_from_page(&bench, preflight).await;
        assert_eq!(reply.status, 200);
        let allowed = |name: &str, wanted: &str| {
            let list = reply.header(name).expect("a list");
            list.split(',').any(|one| one.trim() == "*" || one.trim().eq_ignore_ascii_case(wanted))
        };
        assert!(allowed("access-control-allow-methods", method), "{reply:?}");
        assert!(allowed("access-control-allow-headers", "content-type"), "{reply:?}");
    }
}
