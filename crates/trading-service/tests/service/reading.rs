//! What everybody may read: of the game that is named, or of the one that is meant. Nothing can be written.

use http::Method;
use serde_json::json;
use starkeep_test_harness::{StoreKind, get, request};
use uuid::Uuid;

use crate::harness::{A, B, Bench, GAME, batch, buy_robots, tx};

const OTHER: Uuid = Uuid::from_u128(0x9b);

#[tokio::test]
async fn without_a_game_everything_is_empty_or_as_at_the_start() {
    let bench = Bench::in_memory().await;
    for path in ["/balances", "/players", "/stations", "/games", "/balances/0"] {
        assert_eq!(bench.read(path).await, json!([]), "{path}");
    }
    assert_eq!(bench.read("/items").await.as_array().unwrap().len(), 44);
    assert_eq!(bench.read("/items").await[0], json!({"price": 40, "name": "ROCKET"}));
    assert_eq!(bench.read("/resources").await[0], json!({"price": 5, "name": "coal"}));
    assert_eq!(bench.read("/items/history/buy").await[0], json!({"name": "ROCKET", "history": {}}));
    assert_eq!(bench.read("/items/history/price").await[0], json!({"name": "ROCKET", "history": {"0": 40}}));
}

#[tokio::test]
async fn an_item_is_shown_by_its_name() {
    let bench = Bench::in_memory().await;
    for (name, price, kind) in [
        ("HEALTH_1", 50, "upgrade"),
        ("MAX_ENERGY_2", 300, "upgrade"),
        ("ROBOT", 100, "robot"),
        ("HEALTH", 50, "health"),
        ("ENERGY", 75, "energy"),
        ("NUKE", 210, "item"),
        ("MINING_5", 15000, "upgrade"),
    ] {
        let shown = bench.read(&format!("/items/{name}")).await;
        assert_eq!(shown, json!({"itemName": name, "price": price, "type": kind}));
    }
    let detail = bench.ask(get("/items/FOO")).await.refused(404, "unknown-item", None);
    assert_eq!(detail, "The item/upgrade 'FOO' does not exist.");
}

#[tokio::test]
async fn where_no_game_is_named_the_one_that_started_last_is_meant() {
    let bench = Bench::game().await;
    bench.create(OTHER).await;
    bench.join_with(OTHER, A, 500).await;
    assert_eq!(
        bench.read("/balances").await.as_array().unwrap().len(),
        2,
        "a running one goes before a new one"
    );
    bench.start(OTHER, Uuid::from_u128(4)).await;
    assert_eq!(bench.read("/balances").await, json!([{"balance": 500, "playerId": A}]));
    let named = bench.read(&format!("/balances?gameId={GAME}")).await;
    assert_eq!(named, json!([{"balance": 200, "playerId": A}, {"balance": 200, "playerId": B}]));
    let games = bench.read("/games").await;
    assert_eq!(
        games,
        json!([
            {"gameId": GAME, "currentRound": 1, "isCurrentGame": false, "roundStatus": "command input ended"},
            {"gameId": OTHER, "currentRound": 0, "isCurrentGame": true, "roundStatus": "init"},
        ])
    );
    bench.ask(get(format!("/players?gameId={}", Uuid::nil()))).await.refused(404, "unknown-game", None);
    bench.ask(get("/players?gameId=x")).await.refused(422, "invalid-parameter", Some("gameId"));
}

#[tokio::test]
async fn balances_of_a_round_are_there_once_it_has_ended() {
    let bench = Bench::game().await;
    let detail = bench.ask(get("/balances/1")).await.refused(404, "unknown-round", None);
    assert_eq!(detail, "There are no balanceHistories for round 1 saved.");
    for no_number in ["x", "1.5", "-", "%F0%9F", "%F0%9F%9A%80"] {
        bench.ask(get(format!("/balances/{no_number}"))).await.refused(400, "not-a-round", None);
    }
    for no_round in ["-1", "4294967295", "4294967296", "99999999999999999999999"] {
        let detail =
            bench.ask(get(format!("/balances/{no_round}"))).await.refused(404, "unknown-round", None);
        assert_eq!(detail, format!("There are no balanceHistories for round {no_round} saved."));
    }
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    bench.round(1, "ended").await;
    let shown = bench.read("/balances/1").await;
    assert_eq!(shown[0], json!({"round": 1, "balance": 100, "playerId": A}));
    let players = bench.read("/players").await;
    assert_eq!(
        players[0],
        json!({"playerId": A, "moneyAmount": 100, "balanceHistory": {"0": 200, "1": 100}})
    );
}

#[tokio::test]
async fn an_item_that_does_not_exist_is_named_in_short_with_what_was_probably_meant() {
    let bench = Bench::in_memory().await;
    let long = "x".repeat(5000);
    for (path, meant) in [("robot", "ROBOT"), ("Max-Energy-2", "MAX_ENERGY_2"), ("nukes", "NUKE")] {
        let detail = bench.ask(get(format!("/items/{path}"))).await.refused(404, "unknown-item", None);
        assert_eq!(detail, format!("The item/upgrade '{path}' does not exist. Did you mean `{meant}`?"));
    }
    for (path, named) in [("FOO", "FOO"), ("%FF", "\u{fffd}"), ("%00", "\0"), (&long, &long[..100])] {
        let detail = bench.ask(get(format!("/items/{path}"))).await.refused(404, "unknown-item", None);
        assert_eq!(detail, format!("The item/upgrade '{named}' does not exist."));
    }
}

#[tokio::test]
async fn nothing_that_the_existing_service_has_open_by_accident_exists() {
    let bench = Bench::game().await;
    for path in ["/domainevents", "/kafkaerrors", "/actuator/logs"] {
        bench.ask(get(path)).await.refused(404, "no-such-route", None);
    }
    for path in [format!("/players/{A}"), format!("/games/{GAME}"), "/stations/1".to_owned()] {
        for method in [Method::PUT, Method::PATCH, Method::DELETE] {
            let asked = request(method, path.clone()).json(&json!({"moneyAmount": 99999}));
            bench.ask(asked).await.refused(404, "no-such-route", None);
        }
    }
    for path in ["/items", "/balances", "/players"] {
        let asked = request(Method::PUT, path).json(&json!({}));
        bench.ask(asked).await.refused(405, "method-not-allowed", None);
    }
    assert_eq!(bench.money(A).await, 200);
}

#[tokio::test]
async fn who_trades_is_shown_to_the_host_and_after_the_end_to_everybody() {
    let bench = Bench::with(StoreKind::Memory, true, Some("s3cret")).await;
    bench.start_game().await;
    let batch = batch(&[buy_robots(tx(1), A, 1)]).bearer("s3cret");
    assert_eq!(bench.ask(batch).await.status, 200);
    let page = get("/events?channels=trades&after=start").header("accept", "application/json");
    let hidden = json!({"gameId": GAME, "roundNumber": 1});
    let shown = json!({"gameId": GAME, "roundNumber": 1, "playerId": A});
    for (request, has_ended, about) in
        [(page.clone(), false, &hidden), (page.clone().bearer("s3cret"), false, &shown), (page, true, &shown)]
    {
        if has_ended {
            bench.end(GAME).await;
        }
        assert_eq!(&bench.ask(request).await.is(200)["events"][0]["about"], about);
    }
}
