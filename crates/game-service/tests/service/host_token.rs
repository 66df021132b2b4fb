//! The admin token: what a host does needs it where one is set, and reading stays open.
//! That tokens are compared whole is tested where they are compared.

use serde_json::json;
use starkeep_test_harness::{TestRequest, delete, get, patch, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup, id_in};

async fn guarded() -> Bench {
    Bench::with(Setup { token: Some("s3cret"), ..Setup::in_memory() }).await
}

fn creation() -> TestRequest {
    post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))
}

fn host_requests(game: Uuid) -> [TestRequest; 6] {
    [
        creation(),
        patch(format!("/games/{game}/maxRounds")).json(&json!({"maxRounds": 6})),
        patch(format!("/games/{game}/duration")).json(&json!({"duration": 6000})),
        post(format!("/games/{game}/gameCommands/start")),
        post(format!("/games/{game}/gameCommands/end")),
        delete(format!("/games/{game}")),
    ]
}

#[tokio::test]
async fn a_host_shows_the_token_and_is_served() {
    let bench = guarded().await;
    let game = id_in(&bench.ask(creation().bearer("s3cret")).await);
    for request in host_requests(game) {
        let reply = bench.ask(request.bearer("s3cret")).await;
        assert!(reply.status < 300, "{reply:?}");
    }
}

#[tokio::test]
async fn without_the_token_or_with_a_wrong_one_nothing_that_a_host_does_is_done() {
    let bench = guarded().await;
    let game = id_in(&bench.ask(creation().bearer("s3cret")).await);
    let before = bench.whole_state().await;
    for request in host_requests(game) {
        let reply = bench.ask(request).await;
        reply.refused(401, "unauthorized", None);
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    }
    for wrong in ["", "s3cre", "s3cret0", "S3CRET"] {
        for request in host_requests(game) {
            bench.ask(request.bearer(wrong)).await.refused(401, "unauthorized", None);
        }
    }
    let basic = creation().header("authorization", "Basic s3cret");
    bench.ask(basic).await.refused(401, "unauthorized", None);
    assert_eq!(bench.whole_state().await, before);
}

#[tokio::test]
async fn the_token_is_asked_for_before_anything_else() {
    let bench = guarded().await;
    let unknown = Uuid::from_u128(3);
    for request in [
        post("/games").text("{"),
        post("/games").key("two words"),
        post(format!("/games/{unknown}/gameCommands/start")),
        delete("/games/mine"),
    ] {
        bench.ask(request).await.refused(401, "unauthorized", None);
    }
}

#[tokio::test]
async fn a_kept_answer_is_shown_to_nobody_without_the_token() {
    let bench = guarded().await;
    let first = bench.ask(creation().key("k1").bearer("s3cret")).await;
    let reply = bench.ask(creation().key("k1")).await;
    reply.refused(401, "unauthorized", None);
    assert_eq!(reply.header("idempotency-replayed"), None);
    let shown = bench.ask(creation().key("k1").bearer("s3cret")).await;
    assert_eq!((shown.header("idempotency-replayed"), &shown.bytes), (Some("true"), &first.bytes));
}

#[tokio::test]
async fn reading_stays_open() {
    let bench = guarded().await;
    let game = id_in(&bench.ask(creation().bearer("s3cret")).await);
    for path in ["/games".to_owned(), format!("/games/{game}"), format!("/games/{game}/time")] {
        bench.ask(get(&path)).await.is(200);
        bench.ask(get(&path).bearer("wrong")).await.is(200);
    }
    for path in ["/health", "/metrics", "/openapi.json", "/docs"] {
        assert_eq!(bench.ask(get(path)).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn where_no_token_is_set_one_that_is_shown_is_ignored() {
    let bench = Bench::in_memory().await;
    id_in(&bench.ask(creation().bearer("anything")).await);
}
