//! A process that ends and another that takes over: the game goes on where it was, and time while nobody is up does not count.
//! What is under way between two services when a process dies is in `crashes`.

use jiff::SignedDuration;
use serde_json::json;
use starkeep_test_harness::in_one_process;

use crate::harness::Bench;
use crate::log::rounds;

#[tokio::test]
async fn a_game_goes_on_in_the_same_round_and_phase_with_the_same_time_left() {
    for (step, phase, left) in
        [(1_300, "collection", 1_700), (3_100, "execution", 900), (4_000, "collection", 3_000)]
    {
        let mut bench = Bench::new().await;
        bench.advance(5_000).await;
        let game = bench.running(9).await;
        bench.advance(step).await;
        let (shown, time, events) = (bench.game(game).await, bench.time(game).await, bench.events());
        assert_eq!((&time["phase"], &time["phaseEndsInMillis"]), (&json!(phase), &json!(left)));
        bench.beat().await;
        bench.restart().await;
        assert_eq!(bench.game(game).await, shown);
        assert_eq!(bench.time(game).await, time);
        assert_eq!(bench.events(), events);
        bench.advance(left - 1).await;
        assert_eq!(bench.events(), events, "not before its time");
        bench.advance(1).await;
        assert!(bench.events().len() > events.len(), "and not after it");
    }
}

#[tokio::test]
async fn parts_of_a_second_and_the_length_of_the_open_round_outlive_the_process() {
    let mut bench = Bench::new().await;
    let game = bench.create(9, 1).await;
    bench.set_duration(game, 4_102).await.is(200);
    bench.start(game).await.is(201);
    bench.set_duration(game, 5_306).await.is(200);
    // Input ends at 3,076.5 and at 8,081.5 ms, rounds at 4,102 and at 9,408 ms.
    for millis in [1_003, 2_101, 1_007, 3_971, 1_301] {
        bench.advance(millis).await;
        bench.beat().await;
        let before = bench.time(game).await;
        bench.restart().await;
        assert_eq!(bench.time(game).await, before);
    }
    let time = bench.time(game).await;
    let shown = ["roundCount", "phase", "gameTimeInMillis", "roundTimeInMillis", "phaseEndsInMillis"];
    let meant = [json!(2), json!("execution"), json!(9_383), json!(5_281), json!(25)];
    assert_eq!(shown.map(|field| time[field].clone()), meant);
}

#[tokio::test]
async fn every_state_reads_the_same_after_a_restart() {
    let mut bench = Bench::new().await;
    let cancelled = bench.create(5, 3).await;
    bench.end(cancelled).await.is(201);
    let played = bench.running(1).await;
    bench.advance(3_000).await;
    bench.advance(1_000).await;
    let running = bench.running(7).await;
    let created = bench.create(5, 3).await;
    bench.join(created).await;
    let before = bench.games().await;
    assert_eq!(before.len(), 4);
    bench.restart().await;
    assert_eq!(bench.games().await, before);
    bench.join(created).await;
    bench.end(running).await.is(201);
    bench.start(created).await.is(201);
    assert_eq!(bench.game(played).await["gameStatus"], "ended");
}

#[tokio::test]
async fn downtime_does_not_count() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    let before = bench.time(game).await;
    bench.clock.shift_wall(SignedDuration::from_hours(30));
    bench.restart().await;
    bench.tick().await;
    assert_eq!(bench.time(game).await, before);
    assert_eq!(bench.history(game).last().unwrap(), "1 started");
}

#[tokio::test]
async fn many_restarts_skip_no_round_and_tell_nothing_twice() {
    let mut bench = Bench::new().await;
    let game = bench.running(3).await;
    for _ in 0..16 {
        bench.advance(750).await;
        bench.beat().await;
        bench.restart().await;
    }
    assert_eq!(bench.history(game)[4..], [rounds(1..=3), vec!["ended".to_owned()]].concat());
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 12_000);
}

#[tokio::test]
async fn after_a_kill_what_the_heart_has_not_beaten_is_played_again_and_never_more() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    bench.advance(90).await;
    bench.restart().await;
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000);
    bench.advance(1_999).await;
    assert_eq!(bench.time(game).await["phase"], "collection");
    bench.advance(1).await;
    assert_eq!(bench.time(game).await["phase"], "execution");
}

#[tokio::test]
async fn a_boundary_that_was_taken_after_the_last_heartbeat_is_the_least_that_has_passed() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(2_950).await;
    bench.beat().await;
    bench.advance(80).await;
    assert_eq!(bench.time(game).await["phase"], "execution");
    bench.restart().await;
    let time = bench.time(game).await;
    assert_eq!((&time["phase"], &time["phaseEndsInMillis"]), (&json!("execution"), &json!(1_000)));
    bench.advance(1_000).await;
    assert_eq!(bench.time(game).await["roundCount"], 2);
}

#[tokio::test]
async fn a_kill_right_after_the_start_does_not_bring_back_the_time_before_it() {
    let mut bench = Bench::new().await;
    // No game runs, so no heartbeat is written.
    bench.advance(3_600_000).await;
    bench.beat().await;
    let game = bench.running(9).await;
    bench.restart().await;
    assert_eq!(bench.time(game).await["phaseEndsInMillis"], 3_000);
    bench.advance(3_000).await;
    assert_eq!(bench.time(game).await["phase"], "execution");
    bench.advance(1_000).await;
    assert_eq!(bench.time(game).await["roundCount"], 2);
}

#[tokio::test]
async fn service_time_goes_on_over_processes() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    let mut passed = 0;
    for _ in 0..4 {
        bench.advance(500).await;
        bench.beat().await;
        passed += 500_000_000;
        assert_eq!(bench.service().app().service_clock().now().0, passed);
        bench.restart().await;
        assert_eq!(bench.service().app().service_clock().now().0, passed);
    }
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 2_000);
}

#[tokio::test]
async fn a_heartbeat_that_comes_late_does_not_set_the_durable_time_back() {
    let bench = Bench::new().await;
    bench.running(9).await;
    bench.advance(500).await;
    bench.database().execute_batch("UPDATE service_time SET nanos = 700000000").expect("a later one");
    bench.beat().await;
    assert_eq!(bench.count("service_time WHERE nanos = 700000000"), 1);
}

#[test]
fn a_process_that_is_killed_between_two_requests_loses_nothing() {
    let (mut bench, games, events) = in_one_process(async {
        let bench = Bench::new().await;
        let running = bench.running(5).await;
        bench.create(5, 3).await;
        bench.join(bench.create(5, 3).await).await;
        let (games, events) = (bench.games().await, bench.events());
        assert!(events.iter().any(|event| event.game == running));
        (bench, games, events)
    });
    in_one_process(async {
        bench.restart().await;
        assert_eq!(bench.games().await, games);
        assert_eq!(bench.events(), events);
    });
}
