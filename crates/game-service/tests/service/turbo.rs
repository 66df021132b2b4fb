//! Turbo over HTTP: who may say to be ready, what is answered, and that rounds follow one another without waiting.
//! When a phase ends early is tested in the core.

use serde_json::json;
use starkeep_contract::Dialect;
use starkeep_test_harness::patch;
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::log::rounds;

/// A running turbo game of three rounds of 4 s with two players, by their tokens.
async fn turbo(bench: &Bench) -> (Uuid, [Uuid; 2]) {
    let game = bench.create(3, 2).await;
    assert_eq!(bench.set_pace(game, "turbo").await.is(200)["pace"], "turbo");
    let tokens = [bench.register("ada").await.1, bench.register("bob").await.1];
    for token in tokens {
        bench.put_in(game, token).await.is(200);
    }
    bench.start(game).await.is(201);
    (game, tokens)
}

#[tokio::test]
async fn a_round_is_over_as_soon_as_everybody_is_ready() {
    let bench = Bench::in_memory().await;
    let (game, [ada, bob]) = turbo(&bench).await;
    for round in 1..=3 {
        bench.advance(100).await;
        assert_eq!(bench.ready(game, ada).await.is(200), json!({"ready": 1, "players": 2}));
        assert_eq!(bench.ready(game, ada).await.is(200), json!({"ready": 1, "players": 2}), "again");
        assert_eq!(bench.time(game).await["roundCount"], round);
        assert_eq!(bench.ready(game, bob).await.is(200), json!({"ready": 2, "players": 2}));
        bench.tick().await;
    }
    let history: Vec<_> =
        bench.history(game).into_iter().filter(|word| !word.starts_with("clock")).skip(4).collect();
    assert_eq!(history, [rounds(1..=3), vec!["ended".to_owned()]].concat());
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 300);
}

#[tokio::test]
async fn readiness_outlives_the_process_and_is_of_its_round() {
    let mut bench = Bench::msd().await;
    let (game, [ada, bob]) = turbo(&bench).await;
    bench.ready(game, ada).await.is(200);
    bench.restart().await;
    assert_eq!(bench.ready(game, bob).await.is(200), json!({"ready": 2, "players": 2}));
    bench.restart().await;
    bench.tick().await;
    assert_eq!(bench.game(game).await["currentRoundNumber"], 2);
    bench.restart().await;
    assert_eq!(bench.ready(game, bob).await.is(200), json!({"ready": 1, "players": 2}));
}

#[tokio::test]
async fn at_clock_pace_readiness_is_counted_and_changes_nothing() {
    let bench = Bench::msd_in_memory().await;
    let game = bench.create(3, 1).await;
    let (player, token) = bench.register("ada").await;
    bench.put_in(game, token).await.is(200);
    bench.start(game).await.is(201);
    assert_eq!(bench.ready(game, player).await.is(200), json!({"ready": 1, "players": 1}));
    bench.advance(2_999).await;
    assert_eq!(bench.time(game).await["phase"], "collection");
    bench.advance(1).await;
    bench.ready(game, player).await.refused(403, "input-ended", None);
}

#[tokio::test]
async fn who_is_ready_has_to_be_somebody_of_the_game() {
    for (bench, conflict) in [(Bench::in_memory().await, 409), (Bench::msd_in_memory().await, 403)] {
        let (game, [ada, _]) = turbo(&bench).await;
        let (_, stranger) = bench.register("eve").await;
        bench.ready(game, "nobody").await.refused(404, "unknown-player", None);
        bench.ready(game, Uuid::from_u128(9)).await.refused(404, "unknown-player", None);
        bench.ready(game, stranger).await.refused(conflict, "not-participating", None);
        bench.ready(Uuid::from_u128(9), ada).await.refused(404, "unknown-game", None);
        bench.end(game).await.is(201);
        let created = bench.create(3, 2).await;
        bench.put_in(created, stranger).await.is(200);
        bench.ready(created, stranger).await.refused(conflict, "game-not-running", None);
    }
}

#[tokio::test]
async fn a_pace_is_one_of_two_words() {
    let bench = Bench::with(Setup { dialect: Dialect::Standard, ..Setup::in_memory() }).await;
    let game = bench.create(3, 2).await;
    for body in [json!({"pace": "fast"}), json!({"pace": null}), json!({}), json!({"pace": 1})] {
        let reply = bench.ask(patch(format!("/games/{game}/pace")).json(&body)).await;
        reply.refused(422, "invalid-field", Some("pace"));
    }
    bench.end(game).await.is(201);
    bench.set_pace(game, "turbo").await.refused(409, "game-ended", None);
    assert_eq!(bench.history(game), ["created", "ended"]);
}
