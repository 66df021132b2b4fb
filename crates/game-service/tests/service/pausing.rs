//! Pausing, resuming and stepping over HTTP: what is answered and published, and that a pause outlives the process.
//! What they do to a schedule is tested in the core.

use serde_json::json;
use starkeep_test_harness::{get, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::log::rounds;

#[tokio::test]
async fn a_paused_game_stands_and_goes_on_with_the_time_it_had_left() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    let paused = bench.order(game, "pause").await.is(201);
    assert_eq!((&paused["paused"], &paused["gameStatus"]), (&json!(true), &json!("running")));
    assert_eq!(bench.game(game).await, paused);
    bench.advance(60_000).await;
    let time = bench.time(game).await;
    let shown = ["paused", "phase", "phaseEndsInMillis", "gameTimeInMillis", "roundTimeInMillis"];
    let standing = [json!(true), json!("collection"), json!(2_000), json!(1_000), json!(1_000)];
    assert_eq!(shown.map(|field| time[field].clone()), standing);
    assert_eq!(bench.order(game, "resume").await.is(201)["paused"], false);
    bench.advance(1_999).await;
    assert_eq!(bench.time(game).await["phase"], "collection");
    bench.advance(1).await;
    assert_eq!(bench.time(game).await["phase"], "execution");
}

#[tokio::test]
async fn a_step_answers_with_the_next_round_begun_and_paused_until_the_game_is_over() {
    let bench = Bench::in_memory().await;
    let game = bench.running(3).await;
    bench.order(game, "pause").await.is(201);
    for round in [2, 3] {
        let stepped = bench.order(game, "step").await.is(201);
        assert_eq!((&stepped["currentRoundNumber"], &stepped["paused"]), (&json!(round), &json!(true)));
    }
    let over = bench.order(game, "step").await.is(201);
    assert_eq!((&over["gameStatus"], &over["paused"]), (&json!("ended"), &json!(false)));
    let history: Vec<_> =
        bench.history(game).into_iter().filter(|word| !word.starts_with("clock")).skip(4).collect();
    assert_eq!(history, [rounds(1..=3), vec!["ended".to_owned()]].concat());
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 0, "what was left out does not count");
}

#[tokio::test]
async fn each_order_is_told_on_a_channel_of_its_own_with_exactly_the_agreed_fields() {
    let bench = Bench::in_memory().await;
    let game = bench.running(2).await;
    bench.advance(1_000).await;
    bench.order(game, "pause").await.is(201);
    bench.order(game, "step").await.is(201);
    bench.order(game, "resume").await.is(201);
    bench.set_pace(game, "turbo").await.is(200);
    bench.set_pace(game, "turbo").await.is(200);
    bench.order(game, "pause").await.is(201);
    bench.order(game, "step").await.is(201);
    let payloads: Vec<_> = bench
        .events()
        .into_iter()
        .filter(|event| event.channel == "gameClock")
        .map(|event| event.payload)
        .collect();
    let event = |change: &str, round: u32, phase: Option<&str>, left: Option<u64>| json!({"gameId": game, "change": change, "roundNumber": round, "phase": phase, "remainingMillis": left});
    assert_eq!(
        payloads,
        [
            event("paused", 1, Some("collection"), Some(2_000)),
            event("stepped", 2, Some("collection"), Some(3_000)),
            event("resumed", 2, Some("collection"), Some(3_000)),
            event("pace", 2, Some("collection"), Some(3_000)),
            event("paused", 2, Some("collection"), Some(3_000)),
            event("stepped", 2, None, None),
        ]
    );
    let stream =
        bench.ask(get("/events?channels=gameClock&limit=1").header("accept", "application/json")).await;
    let headers = &stream.is(200)["events"][0]["headers"];
    assert_eq!((&headers["type"], &headers["version"]), (&json!("gameClock"), &json!("1")));
}

#[tokio::test]
async fn orders_are_refused_where_they_make_no_sense_and_nothing_changes() {
    for (setup, status) in [
        (Setup::in_memory(), 409),
        (Setup { dialect: starkeep_contract::Dialect::Msd, ..Setup::in_memory() }, 403),
    ] {
        let bench = Bench::with(setup).await;
        let game = bench.create(5, 2).await;
        for command in ["pause", "resume", "step"] {
            bench.order(game, command).await.refused(status, "game-not-running", None);
        }
        bench.start(game).await.is(201);
        bench.order(game, "resume").await.refused(status, "game-not-paused", None);
        bench.order(game, "step").await.refused(status, "game-not-paused", None);
        bench.order(game, "pause").await.is(201);
        let before = (bench.game(game).await, bench.events());
        bench.order(game, "pause").await.refused(status, "game-paused", None);
        assert_eq!((bench.game(game).await, bench.events()), before);
        bench.end(game).await.is(201);
        for command in ["pause", "resume", "step"] {
            bench.order(game, command).await.refused(status, "game-ended", None);
        }
        bench.order(Uuid::from_u128(7), "pause").await.refused(404, "unknown-game", None);
    }
}

#[tokio::test]
async fn a_pause_and_where_it_stands_outlive_the_process() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(3_200).await;
    bench.order(game, "pause").await.is(201);
    let (shown, time) = (bench.game(game).await, bench.time(game).await);
    assert_eq!((&time["phase"], &time["phaseEndsInMillis"]), (&json!("execution"), &json!(800)));
    bench.restart().await;
    bench.advance(50_000).await;
    assert_eq!((bench.game(game).await, bench.time(game).await), (shown, time));
    bench.order(game, "resume").await.is(201);
    bench.restart().await;
    bench.advance(800).await;
    assert_eq!(bench.time(game).await["roundCount"], 2);
}

#[tokio::test]
async fn a_paused_game_that_is_resumed_right_after_a_restart_goes_on_at_once() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(3_200).await;
    bench.order(game, "pause").await.is(201);
    bench.restart().await;
    bench.order(game, "resume").await.is(201);
    bench.advance(800).await;
    assert_eq!(bench.time(game).await["roundCount"], 2);
}

#[tokio::test]
async fn an_order_that_is_repeated_under_its_key_is_taken_once() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    for command in ["pause", "step", "resume"] {
        let order = || post(format!("/games/{game}/gameCommands/{command}")).key(command);
        let (first, again) = (bench.ask(order()).await, bench.ask(order()).await);
        assert_eq!(first.is(201), again.is(201));
        assert_eq!(again.header("idempotency-replayed"), Some("true"), "{command}");
    }
    assert_eq!(bench.game(game).await["currentRoundNumber"], 2);
}

#[tokio::test]
async fn settings_of_a_paused_game_may_change_and_lowering_its_rounds_ends_it() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.order(game, "pause").await.is(201);
    bench.set_duration(game, 8_000).await.is(200);
    bench.order(game, "step").await.is(201);
    assert_eq!(bench.time(game).await["phaseEndsInMillis"], 6_000);
    let over = bench.set_rounds(game, 1).await.is(200);
    assert_eq!((&over["gameStatus"], &over["paused"]), (&json!("ended"), &json!(false)));
}

#[tokio::test]
async fn what_a_host_does_to_the_clock_needs_the_hosts_token() {
    let bench = Bench::with(Setup { token: Some("secret"), ..Setup::in_memory() }).await;
    let game = Uuid::from_u128(7);
    for command in ["pause", "resume", "step"] {
        bench.order(game, command).await.refused(401, "unauthorized", None);
    }
    bench.set_pace(game, "turbo").await.refused(401, "unauthorized", None);
}
