//! `GET /games/{gameId}/time` at several instants: before, during and after a game.
//! Where the dialects differ is in `dialects`.

use serde_json::{Value, json};
use starkeep_test_harness::{Reply, get};

use crate::harness::Bench;

fn clock(game: u64, round: u32, of_round: u64, phase: Option<&str>, left: Option<u64>) -> Value {
    json!({
        "gameTime": game / 1000, "roundCount": round, "roundTime": of_round / 1000,
        "gameTimeInMillis": game, "roundTimeInMillis": of_round,
        "phase": phase, "phaseEndsInMillis": left, "paused": false,
    })
}

#[tokio::test]
async fn the_time_of_a_running_game_is_exact_and_whole_seconds_are_rounded_down() {
    for bench in [Bench::in_memory().await, Bench::msd_in_memory().await] {
        bench.advance(777_777).await;
        let game = bench.running(9).await;
        for (step, expected) in [
            (0, clock(0, 1, 0, Some("collection"), Some(3_000))),
            (999, clock(999, 1, 999, Some("collection"), Some(2_001))),
            (1, clock(1_000, 1, 1_000, Some("collection"), Some(2_000))),
            (1_999, clock(2_999, 1, 2_999, Some("collection"), Some(1))),
            (1, clock(3_000, 1, 3_000, Some("execution"), Some(1_000))),
            (999, clock(3_999, 1, 3_999, Some("execution"), Some(1))),
            (1, clock(4_000, 2, 0, Some("collection"), Some(3_000))),
            (3_500, clock(7_500, 2, 3_500, Some("execution"), Some(500))),
            (500, clock(8_000, 3, 0, Some("collection"), Some(3_000))),
        ] {
            bench.advance(step).await;
            assert_eq!(bench.time(game).await, expected);
        }
    }
}

#[tokio::test]
async fn what_is_answered_from_memory_is_what_the_route_answers() {
    for bench in [Bench::in_memory().await, Bench::msd_in_memory().await] {
        let game = bench.running(9).await.to_string();
        // Written like this it is the same id, and only the route can read it.
        let encoded = format!("%{:02x}{}", game.as_bytes()[0], &game[1..]);
        for step in [0, 1, 2_998, 1, 1_000] {
            bench.advance(step).await;
            let memory = bench.ask(get(format!("/games/{game}/time"))).await;
            let route = bench.ask(get(format!("/games/{encoded}/time"))).await;
            assert_eq!(memory.without_length(), route.without_length());
        }
        // Asked twice: first the route answers, then memory. With a query it is always the route.
        for path in ["/games", "/games", "/games?limit=1000"] {
            let list = [bench.ask(get(path)).await, bench.ask(get("/games?limit=1000")).await];
            let [list, route] = list.map(Reply::without_length);
            assert_eq!(list, route);
        }
    }
}

#[tokio::test]
async fn a_boundary_that_nobody_has_taken_holds_the_time() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.clock.advance(std::time::Duration::from_millis(3_200));
    assert_eq!(bench.time(game).await, clock(3_000, 1, 3_000, Some("collection"), Some(0)));
    bench.tick().await;
    assert_eq!(bench.time(game).await, clock(3_200, 1, 3_200, Some("execution"), Some(800)));
}

#[tokio::test]
async fn after_the_end_the_time_stands_still() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(4_000).await;
    bench.advance(1_234).await;
    bench.end(game).await.is(201);
    let frozen = clock(5_234, 2, 1_234, None, None);
    assert_eq!(bench.time(game).await, frozen);
    bench.advance(99_999).await;
    assert_eq!(bench.time(game).await, frozen);
    bench.restart().await;
    assert_eq!(bench.time(game).await, frozen);
}

#[tokio::test]
async fn a_game_that_played_all_its_rounds_stands_at_their_sum() {
    let bench = Bench::in_memory().await;
    let game = bench.running(2).await;
    bench.advance(4_000).await;
    bench.advance(3_999).await;
    // Noticed half a second late, which counts for nothing.
    bench.advance(501).await;
    assert_eq!(bench.time(game).await, clock(8_000, 2, 4_000, None, None));
}

#[tokio::test]
async fn a_cancelled_game_has_no_time() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 2).await;
    bench.advance(5_000).await;
    bench.end(game).await.is(201);
    let time = bench.time(game).await;
    assert_eq!(
        (&time["gameTimeInMillis"], &time["roundCount"], &time["phase"]),
        (&json!(0), &json!(0), &json!(null))
    );
}

#[tokio::test]
async fn a_game_of_the_longest_bounds_keeps_exact_time() {
    let mut bench = Bench::new().await;
    let game = bench.create(1_000_000, 1).await;
    bench.set_duration(game, 86_400_000).await.is(200);
    bench.start(game).await.is(201);
    bench.advance(64_799_999).await;
    assert_eq!(bench.time(game).await["phase"], "collection");
    bench.advance(1).await;
    assert_eq!(bench.time(game).await["phase"], "execution");
    bench.beat().await;
    bench.restart().await;
    bench.advance(21_600_000).await;
    assert_eq!(bench.time(game).await, clock(86_400_000, 2, 0, Some("collection"), Some(64_800_000)));
}
