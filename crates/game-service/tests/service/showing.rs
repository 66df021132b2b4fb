//! Reading games: one, all, in their order; and `HEAD` wherever there is `GET`.
//! Pages of a long list have their own file.

use http::Method;
use serde_json::json;
use starkeep_test_harness::{get, request, uuid_in};

use crate::harness::Bench;

#[tokio::test]
async fn active_games_come_first_and_the_newest_first_of_both_kinds() {
    let bench = Bench::in_memory().await;
    let mut games = Vec::new();
    for _ in 0..5 {
        games.push(bench.create(5, 2).await);
        bench.advance(1_000).await;
    }
    bench.end(games[3]).await.is(201);
    bench.end(games[1]).await.is(201);
    bench.start(games[0]).await.is(201);
    let listed: Vec<_> = bench.games().await.iter().map(|game| uuid_in(game, "gameId")).collect();
    assert_eq!(listed, [games[4], games[2], games[0], games[3], games[1]]);
}

#[tokio::test]
async fn a_game_in_the_list_is_the_game_as_it_is_shown_alone() {
    let bench = Bench::in_memory().await;
    let ended = bench.running(5).await;
    bench.advance(3_500).await;
    bench.end(ended).await.is(201);
    let created = bench.create(5, 2).await;
    bench.join(created).await;
    for listed in bench.games().await {
        assert_eq!(bench.game(uuid_in(&listed, "gameId")).await, listed);
    }
}

#[tokio::test]
async fn a_status_filters_and_a_running_game_goes_by_either_word() {
    let bench = Bench::in_memory().await;
    let running = bench.running(5).await;
    let created = bench.create(5, 2).await;
    let ended = bench.create(5, 2).await;
    bench.end(ended).await.is(201);
    for (word, game) in [("created", created), ("running", running), ("started", running), ("ended", ended)] {
        let list = bench.ask(get(format!("/games?status={word}"))).await.is(200);
        assert_eq!(list, json!([bench.game(game).await]), "{word}");
    }
    bench.ask(get("/games?status=lost")).await.refused(422, "invalid-parameter", Some("status"));
}

#[tokio::test]
async fn an_id_may_be_written_in_capitals() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 2).await;
    let shown = bench.ask(get(format!("/games/{}", game.to_string().to_uppercase()))).await.is(200);
    assert_eq!(uuid_in(&shown, "gameId"), game);
}

#[tokio::test]
async fn head_answers_as_get_does_without_the_body() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 2).await;
    for path in ["/games".to_owned(), format!("/games/{game}"), format!("/games/{game}/time")] {
        let whole = bench.ask(get(&path)).await;
        let head = bench.ask(request(Method::HEAD, &path)).await;
        assert_eq!((head.status, head.bytes.len()), (200, 0), "{path}");
        assert_eq!(head.header("content-type"), whole.header("content-type"));
        let length = head.header("content-length").map(|length| length.parse().unwrap());
        assert!(length.is_none_or(|length: usize| length == whole.bytes.len()), "{head:?}");
    }
    let unknown = bench.ask(request(Method::HEAD, format!("/games/{}", uuid::Uuid::nil()))).await;
    assert_eq!((unknown.status, unknown.bytes.len()), (404, 0));
}

#[tokio::test]
async fn reading_changes_nothing() {
    let bench = Bench::in_memory().await;
    let game = bench.running(5).await;
    let before = bench.whole_state().await;
    for path in ["/games".to_owned(), format!("/games/{game}"), format!("/games/{game}/time")] {
        bench.ask(get(path)).await.is(200);
    }
    assert_eq!(bench.whole_state().await, before);
}
