//! Fields that nobody knows have no effect and are no error: the answers of `POST /games` and of the PATCHes list them.
//! Which known field is near is tested where the list is made.

use serde_json::{Value, json};
use starkeep_test_harness::{TestRequest, patch, post};

use crate::harness::{Bench, id_in};

const IGNORED: &str = "ignoredFields";

fn creation(extra: &Value) -> TestRequest {
    post("/games").json(&with(json!({"maxRounds": 5, "maxPlayers": 3}), extra))
}

fn with(mut body: Value, extra: &Value) -> Value {
    for (name, value) in extra.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

#[tokio::test]
async fn a_creation_lists_what_it_ignored_and_repeats_the_list() {
    let mut bench = Bench::new().await;
    let extra = json!({"roundDuration": 100, "players": [1], "colour": {"deep": [null]}});
    let first = bench.ask(creation(&extra).key("k")).await;
    let game = id_in(&first);
    let expected = json!([
        {"field": "colour", "didYouMean": null},
        {"field": "players", "didYouMean": "maxPlayers"},
        {"field": "roundDuration", "didYouMean": "duration"},
    ]);
    assert_eq!(first.json(), json!({"gameId": game, IGNORED: expected}));
    assert_eq!(bench.game(game).await["roundLengthInMillis"], 60_000, "it had no effect");
    assert_eq!(bench.ask(creation(&extra).key("k")).await.bytes, first.bytes);
    bench.restart().await;
    let again = bench.ask(creation(&extra).key("k")).await;
    assert_eq!((again.header("idempotency-replayed"), &again.bytes), (Some("true"), &first.bytes));
}

#[tokio::test]
async fn a_changed_game_comes_with_what_was_ignored_and_is_not_shown_with_it_later() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let cases = [
        ("maxRounds", json!(8), "rounds"),
        ("duration", json!(3_000), "roundDuration"),
        ("pace", json!("turbo"), "Pace"),
    ];
    for (field, value, mistaken) in cases {
        let set = patch(format!("/games/{game}/{field}"));
        let request = with(json!({ field: value }), &json!({ mistaken: 1, "why": 2 }));
        let changed = bench.ask(set.json(&request)).await.is(200);
        let mut expected =
            [json!({"field": mistaken, "didYouMean": field}), json!({"field": "why", "didYouMean": null})];
        expected.sort_by_key(|ignored| ignored["field"].to_string());
        assert_eq!(changed[IGNORED], json!(expected));
        assert_eq!(with(bench.game(game).await, &json!({ IGNORED: expected })), changed, "{field}");
    }
}

#[tokio::test]
async fn where_nothing_is_ignored_there_is_no_list() {
    let bench = Bench::in_memory().await;
    let created = bench.ask(creation(&json!({"duration": null, "style": "wild"}))).await;
    let game = id_in(&created);
    assert_eq!(created.json(), json!({ "gameId": game }));
    for body in [json!({"maxRounds": 8}), json!({"maxrounds": 9})] {
        let request = patch(format!("/games/{game}/maxRounds")).json(&body).undocumented();
        assert_eq!(bench.ask(request).await.is(200), bench.game(game).await, "{body}");
    }
}

#[tokio::test]
async fn a_refused_request_is_refused_as_if_the_unknown_field_were_not_there() {
    let bench = Bench::in_memory().await;
    let refused = bench.ask(creation(&json!({"rounds": 4, "maxRounds": 0}))).await;
    refused.refused(422, "invalid-field", Some("maxRounds"));
    assert_eq!(bench.games().await.len(), 0);
}
