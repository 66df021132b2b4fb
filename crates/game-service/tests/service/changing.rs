//! `PATCH …/maxRounds` and `PATCH …/duration`: what they answer, from when they apply, and what follows at once.
//! Values that are not allowed are in `refusals`.

use serde_json::json;
use starkeep_test_harness::{START, patch};

use crate::harness::Bench;
use crate::log::rounds;

#[tokio::test]
async fn a_changed_game_comes_back_whole_and_nobody_is_told() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let world = bench.map.last_order().id.0;
    let expected = json!({
        "gameId": game, "name": "Game 1", "gameStatus": "created", "maxPlayers": 3, "maxRounds": 9, "currentRoundNumber": 0,
        "roundLengthInMillis": 4000, "participatingPlayers": [], "paused": false, "pace": "clock", "gameworldId": world,
        "createdAt": START, "startedAt": null, "endedAt": null,
    });
    assert_eq!(bench.set_rounds(game, 9).await.is(200), expected);
    assert_eq!(bench.game(game).await, expected);
    let changed = bench.set_duration(game, 100).await.is(200);
    assert_eq!(changed["roundLengthInMillis"], 100);
    assert_eq!(bench.game(game).await, changed);
    assert_eq!(bench.history(game), ["created"]);
}

#[tokio::test]
async fn the_number_of_rounds_may_be_spelled_in_lower_case() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let request = patch(format!("/games/{game}/maxRounds")).json(&json!({"maxrounds": 8, "why": "fun"}));
    assert_eq!(bench.ask(request.undocumented()).await.is(200)["maxRounds"], 8);
}

#[tokio::test]
async fn both_ends_of_every_bound_are_allowed() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    for (rounds, duration) in [(1, 100), (1_000_000, 86_400_000)] {
        assert_eq!(bench.set_rounds(game, rounds).await.is(200)["maxRounds"], rounds);
        assert_eq!(bench.set_duration(game, duration).await.is(200)["roundLengthInMillis"], duration);
    }
}

#[tokio::test]
async fn a_new_duration_applies_from_the_next_round_on() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    assert_eq!(bench.set_duration(game, 2_000).await.is(200)["roundLengthInMillis"], 2_000);
    assert_eq!(bench.time(game).await["phaseEndsInMillis"], 2_000, "this round keeps its 4 s");
    bench.advance(2_000).await;
    bench.advance(999).await;
    assert_eq!(bench.time(game).await["roundCount"], 1);
    bench.advance(1).await;
    assert_eq!(bench.time(game).await["roundCount"], 2);
    assert_eq!(bench.time(game).await["phaseEndsInMillis"], 1_500, "three quarters of 2 s");
    bench.advance(1_999).await;
    assert_eq!(bench.time(game).await["roundCount"], 2);
    bench.advance(1).await;
    assert_eq!(bench.time(game).await["roundCount"], 3);
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 6_000);
}

#[tokio::test]
async fn of_two_new_durations_in_a_round_the_last_one_counts() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.set_duration(game, 86_400_000).await.is(200);
    bench.set_duration(game, 400).await.is(200);
    bench.advance(4_000).await;
    assert_eq!(bench.time(game).await["phaseEndsInMillis"], 300);
}

#[tokio::test]
async fn fewer_rounds_than_the_current_one_end_the_game_at_once() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(4_000).await;
    bench.advance(4_000).await;
    let ended = bench.set_rounds(game, 2).await.is(200);
    assert_eq!(
        (&ended["gameStatus"], &ended["maxRounds"], &ended["currentRoundNumber"]),
        (&json!("ended"), &json!(2), &json!(3))
    );
    assert_eq!(bench.game(game).await, ended);
    let history = bench.history(game);
    assert_eq!(history[3], "started");
    assert_eq!(history[4..], [rounds(1..=3), vec!["ended".to_owned()]].concat());
}

#[tokio::test]
async fn in_execution_an_end_by_fewer_rounds_does_not_end_the_input_twice() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(3_500).await;
    let ended = bench.set_rounds(game, 0).await.is(200);
    assert_eq!((&ended["gameStatus"], &ended["maxRounds"]), (&json!("ended"), &json!(0)));
    assert_eq!(bench.history(game)[4..], [rounds(1..=1), vec!["ended".to_owned()]].concat());
    bench.advance(10_000).await;
    assert_eq!(bench.history(game).last().unwrap(), "ended", "nothing follows");
}

#[tokio::test]
async fn the_current_round_as_the_number_of_rounds_makes_it_the_last() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(4_000).await;
    let changed = bench.set_rounds(game, 2).await.is(200);
    assert_eq!((&changed["gameStatus"], &changed["currentRoundNumber"]), (&json!("running"), &json!(2)));
    bench.advance(3_999).await;
    assert_eq!(bench.game(game).await["gameStatus"], "running");
    bench.advance(1).await;
    assert_eq!(bench.game(game).await["gameStatus"], "ended");
    assert_eq!(bench.history(game)[4..], [rounds(1..=2), vec!["ended".to_owned()]].concat());
}

#[tokio::test]
async fn more_rounds_make_a_running_game_longer() {
    let bench = Bench::in_memory().await;
    let game = bench.running(1).await;
    bench.advance(3_999).await;
    bench.set_rounds(game, 2).await.is(200);
    bench.advance(1).await;
    assert_eq!(bench.game(game).await["currentRoundNumber"], 2);
    bench.advance(4_000).await;
    assert_eq!(bench.game(game).await["gameStatus"], "ended");
}

#[tokio::test]
async fn what_was_changed_outlives_the_process() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.set_rounds(game, 12).await.is(200);
    bench.set_duration(game, 700).await.is(200);
    let before = bench.game(game).await;
    bench.restart().await;
    assert_eq!(bench.game(game).await, before);
    bench.advance(4_000).await;
    assert_eq!(bench.time(game).await["phaseEndsInMillis"], 525);
}
