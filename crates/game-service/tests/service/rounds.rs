//! The rounds of a game as the clock plays them: every boundary at its instant, every event in its order.
//! What `…/time` shows meanwhile is in `time`, what a restart does in `restarts`.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::json;
use starkeep_game_core::GameId;
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::{EPOCH, get, uuid_in};

use crate::harness::{Bench, Setup};
use crate::log::rounds;

#[tokio::test]
async fn a_game_plays_its_rounds_and_ends_by_itself() {
    let bench = Bench::new().await;
    let game = bench.running(5).await;
    for _ in 0..20 {
        bench.advance(1_000).await;
    }
    let before = ["created", "joined", "joined", "started"].map(str::to_owned).to_vec();
    assert_eq!(bench.history(game), [before, rounds(1..=5), vec!["ended".to_owned()]].concat());
    let ended = bench.game(game).await;
    assert_eq!((&ended["gameStatus"], &ended["currentRoundNumber"]), (&json!("ended"), &json!(5)));
    assert_eq!(ended["endedAt"], "2026-01-01T00:00:20Z");
    bench.advance(60_000).await;
    assert_eq!(bench.game(game).await, ended);
    assert_eq!(bench.history(game).last().unwrap(), "ended");
}

#[tokio::test]
async fn every_event_of_a_round_names_its_one_id() {
    let bench = Bench::in_memory().await;
    let game = bench.running(3).await;
    for _ in 0..3 {
        bench.advance(4_000).await;
    }
    let events = bench.events();
    let of_rounds: Vec<_> = events.iter().filter(|event| event.channel == "roundStatus").collect();
    assert_eq!(of_rounds.len(), 9);
    let mut ids: Vec<_> = of_rounds.iter().map(|event| uuid_in(&event.payload, "roundId")).collect();
    assert!(ids.chunks(3).all(|round| round.iter().all(|id| *id == round[0])), "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), 3);
    for event in of_rounds {
        assert_eq!(event.payload.as_object().unwrap().len(), 4, "{event:?}");
        assert_eq!(event.payload["gameId"], json!(game));
    }
    let mut event_ids: Vec<_> = events.iter().map(|event| event.event_id).collect();
    event_ids.sort_unstable();
    event_ids.dedup();
    assert_eq!(event_ids.len(), events.len());
}

#[tokio::test]
async fn the_input_ends_at_three_quarters_to_the_nanosecond() {
    let bench = Bench::in_memory().await;
    let game = bench.create(2, 1).await;
    bench.set_duration(game, 101).await.is(200);
    bench.start(game).await.is(201);
    let word = || bench.history(game).pop().unwrap();
    // Three quarters of 101 ms are 75.75 ms.
    bench.clock.advance(Duration::from_nanos(75_749_999));
    bench.tick().await;
    assert_eq!(word(), "1 started");
    bench.clock.advance(Duration::from_nanos(1));
    bench.tick().await;
    assert_eq!(word(), "1 command input ended");
    bench.clock.advance(Duration::from_nanos(25_249_999));
    bench.tick().await;
    assert_eq!(word(), "1 command input ended");
    bench.clock.advance(Duration::from_nanos(1));
    bench.tick().await;
    assert_eq!(word(), "2 started");
}

#[tokio::test]
async fn the_next_deadline_is_told_to_who_waits_for_it() {
    let bench = Bench::in_memory().await;
    let clock = bench.service().round_clock();
    assert_eq!(clock.step(EPOCH).await.unwrap(), None);
    bench.advance(500).await;
    let game = bench.running(1).await;
    for deadline in [3_500, 4_500] {
        let next = clock.step(EPOCH).await.unwrap().expect("a game runs");
        assert_eq!(next.0, deadline * 1_000_000);
        let wait = next.0 - bench.service().app().service_clock().now().0;
        bench.clock.advance(Duration::from_nanos(wait));
    }
    assert_eq!(clock.step(EPOCH).await.unwrap(), None);
    assert_eq!(bench.game(game).await["gameStatus"], "ended");
}

#[tokio::test]
async fn of_several_deadlines_the_earliest_is_told() {
    let bench = Bench::with(Setup { running_games: 3, ..Setup::in_memory() }).await;
    for length in [5_000, 2_000, 4_000] {
        let game = bench.create(3, 1).await;
        bench.set_duration(game, length).await.is(200);
        bench.start(game).await.is(201);
    }
    let next = bench.service().round_clock().step(EPOCH).await.unwrap();
    assert_eq!(next.expect("games run").0, 1_500_000_000);
}

#[tokio::test]
async fn a_boundary_that_was_overtaken_is_not_late() {
    let bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.clock.advance(Duration::from_millis(3_100));
    let database = bench.database();
    database.execute_batch("BEGIN IMMEDIATE").expect("both have to wait");
    let (app, clock) = (bench.service().app(), bench.service().round_clock());
    let mut ended = std::pin::pin!(app.end(GameId(game), AnswerRecorder::none()));
    let mut stepped = std::pin::pin!(clock.step(EPOCH));
    assert!(futures::poll!(&mut ended).is_pending() && futures::poll!(&mut stepped).is_pending());
    database.execute_batch("ROLLBACK").expect("they go on");
    ended.await.expect("the end comes first");
    stepped.await.expect("there is nothing left to take");
    let health = bench.ask(get("/health")).await.is(200);
    assert_eq!(health.get("lateness"), None);
}

#[tokio::test]
async fn the_clock_hears_of_a_start_and_the_heart_beats_twice_in_what_is_promised() {
    let mut bench = Bench::new().await;
    let lived = "UPDATE service_time SET nanos = 7000000000";
    bench.reopen_after(|database| database.execute_batch(lived).expect("an earlier process")).await;
    let stop = Stop::new();
    let leader = Leader::always(bench.clock.clone(), stop.clone());
    bench.service().round_clock().start(&leader);
    let state = |task: &str| leader.states()[task].clone();
    let next_run = |task: &str| state(task).next_run.map(|next| next.duration_since(bench.wall()));
    // The tasks run at a time of their own choosing, so they are let run until they have.
    while state("round-clock").runs == 0 || state("heartbeat").runs == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(next_run("round-clock"), None);
    assert_eq!(next_run("heartbeat"), Some(SignedDuration::from_millis(50)));
    bench.running(9).await;
    while next_run("round-clock").is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(next_run("round-clock"), Some(SignedDuration::from_secs(3)));
    // Too short for a heartbeat; a stop that is announced loses nothing of it.
    bench.clock.advance(Duration::from_millis(30));
    stop.cancel();
    leader.finished().await;
    assert_eq!(bench.count("service_time WHERE nanos = 7030000000"), 1);
}

#[tokio::test]
async fn rounds_do_not_drift_however_late_a_boundary_is_noticed() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    // Late by 0.9 s, then by 0.7 s; the fourth round begins at 12 s all the same.
    for millis in [3_900, 3_800, 4_000] {
        bench.advance(millis).await;
        bench.beat().await;
    }
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 11_700);
    bench.advance(299).await;
    assert_eq!(bench.time(game).await["roundCount"], 3);
    bench.advance(1).await;
    let time = bench.time(game).await;
    assert_eq!((&time["roundCount"], &time["roundTimeInMillis"]), (&json!(4), &json!(0)));
}

#[tokio::test]
async fn a_step_that_comes_too_early_or_twice_does_nothing() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(3_000).await;
    let before = bench.history(game);
    for _ in 0..5 {
        bench.tick().await;
    }
    assert_eq!(bench.history(game), before);
    let clock = bench.service().round_clock();
    bench.clock.advance(Duration::from_secs(1));
    let steps = futures::future::join_all((0..8).map(|_| clock.step(EPOCH))).await;
    assert!(steps.iter().all(Result::is_ok));
    assert_eq!(bench.history(game)[before.len()..], ["1 ended".to_owned(), "2 started".to_owned()]);
}

#[tokio::test]
async fn a_wall_clock_that_is_set_changes_no_round() {
    let bench = Bench::in_memory().await;
    let game = bench.running(3).await;
    bench.advance(1_000).await;
    let before = bench.time(game).await;
    for hours in [5, -11, 6] {
        bench.clock.shift_wall(SignedDuration::from_hours(hours));
        bench.tick().await;
        assert_eq!(bench.time(game).await, before);
    }
    bench.clock.shift_wall(SignedDuration::from_hours(-48));
    for _ in 0..11 {
        bench.advance(1_000).await;
    }
    assert_eq!(bench.history(game)[4..], [rounds(1..=3), vec!["ended".to_owned()]].concat());
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 12_000);
}

#[tokio::test]
async fn an_end_at_the_instant_of_a_boundary_leaves_a_legal_history() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.clock.advance(Duration::from_secs(3));
    let clock = bench.service().round_clock();
    let (ended, stepped) = futures::join!(bench.end(game), clock.step(EPOCH));
    ended.is(201);
    stepped.unwrap();
    assert_eq!(bench.history(game)[4..], [rounds(1..=1), vec!["ended".to_owned()]].concat());
}

#[tokio::test]
async fn several_running_games_keep_their_own_time() {
    let bench = Bench::with(Setup { running_games: 2, ..Setup::in_memory() }).await;
    let slow = bench.running(2).await;
    bench.advance(1_000).await;
    let quick = bench.create(6, 1).await;
    bench.set_duration(quick, 1_000).await.is(200);
    bench.start(quick).await.is(201);
    for _ in 0..7 {
        bench.advance(1_000).await;
    }
    assert_eq!(bench.history(slow)[4..], [rounds(1..=2), vec!["ended".to_owned()]].concat());
    assert_eq!(bench.history(quick)[2..], [rounds(1..=6), vec!["ended".to_owned()]].concat());
    assert_eq!(bench.time(slow).await["gameTimeInMillis"], 8_000);
    assert_eq!(bench.time(quick).await["gameTimeInMillis"], 6_000);
}
