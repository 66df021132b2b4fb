//! A process that is frozen, or cannot write, for longer than a round: no burst of rounds follows, and everybody can see
//! what happened. Less than a round is caught up.

use std::time::Duration;

use serde_json::json;
use starkeep_test_harness::{EPOCH, get};

use crate::harness::{Bench, Setup};

async fn decisions(bench: &Bench) -> u64 {
    let text = bench.metrics().await;
    let line = text.lines().find_map(|line| line.strip_prefix("starkeep_store_decisions_total "));
    line.expect("a figure").parse().expect("a number")
}

#[tokio::test]
async fn a_freeze_that_is_longer_than_a_round_counts_as_downtime() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    let before = (bench.time(game).await, bench.events());
    bench.advance(60_000).await;
    assert_eq!((bench.time(game).await, bench.events()), before, "as if no time had passed");
    bench.advance(2_000).await;
    assert_eq!(bench.time(game).await["phase"], "execution");
    let health = bench.ask(get("/health")).await.is(200);
    let detail = health["parts"]["clock"]["detail"].as_str().expect("a text");
    assert_eq!(detail, "at 2026-01-01T00:01:01Z the schedules of games were shifted by 60.0 s");
    let text = bench.metrics().await;
    for line in [
        "starkeep_schedule_shifts_total{cause=\"freeze\"} 1",
        "starkeep_schedule_shifted_seconds_total{cause=\"freeze\"} 60.0",
        "starkeep_schedule_last_shift_timestamp_seconds 1767225661",
    ] {
        assert!(text.lines().any(|known| known == line), "no `{line}` in {text}");
    }
}

#[tokio::test]
async fn less_than_a_round_is_caught_up() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(2_500).await;
    bench.beat().await;
    bench.advance(3_900).await;
    let time = bench.time(game).await;
    assert_eq!((&time["roundCount"], &time["gameTimeInMillis"]), (&json!(2), &json!(6_400)));
}

#[tokio::test]
async fn whether_it_was_long_is_measured_by_each_games_own_rounds() {
    let bench = Bench::with(Setup { running_games: 2, ..Setup::in_memory() }).await;
    let slow = bench.running(9).await;
    let quick = bench.create(9, 1).await;
    bench.set_duration(quick, 1_000).await.is(200);
    bench.start(quick).await.is(201);
    bench.advance(500).await;
    bench.beat().await;
    bench.advance(2_000).await;
    assert_eq!(bench.time(quick).await["gameTimeInMillis"], 500);
    assert_eq!(bench.time(slow).await["gameTimeInMillis"], 2_500);
}

#[tokio::test]
async fn a_heartbeat_that_notices_the_freeze_first_comes_to_the_same() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    bench.clock.advance(Duration::from_mins(1));
    bench.beat().await;
    bench.tick().await;
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000);
}

#[tokio::test]
async fn a_request_that_comes_before_the_heartbeat_hides_no_freeze() {
    let bench = Bench::with(Setup { running_games: 3, ..Setup::in_memory() }).await;
    let (game, other) = (bench.running(9).await, bench.running(9).await);
    bench.advance(1_000).await;
    bench.beat().await;
    bench.clock.advance(Duration::from_mins(1));
    bench.running(9).await;
    bench.order(other, "pause").await.is(201);
    bench.tick().await;
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000);
}

#[tokio::test]
async fn a_kill_after_the_freeze_does_not_bring_it_back() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    bench.clock.advance(Duration::from_mins(1));
    bench.restart().await;
    bench.tick().await;
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000);

    bench.advance(60_000).await;
    bench.restart().await;
    bench.tick().await;
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000, "nor is it counted twice");
}

#[tokio::test]
async fn a_store_that_could_not_be_written_for_longer_than_a_round_is_followed_by_no_burst() {
    let bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    bench.plant("no_boundary", "BEFORE UPDATE ON game");
    bench.plant("no_heartbeat", "BEFORE UPDATE ON service_time");
    for _ in 0..3 {
        bench.clock.advance(Duration::from_secs(4));
        assert!(bench.service().round_clock().step(EPOCH).await.is_err());
    }
    bench.mend("no_boundary");
    bench.mend("no_heartbeat");
    bench.tick().await;
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000);
    assert_eq!(bench.history(game).last().expect("events"), "1 started");
}

#[tokio::test]
async fn one_heartbeat_shifts_every_frozen_game_and_the_longest_shift_is_shown() {
    let bench = Bench::with(Setup { running_games: 3, ..Setup::in_memory() }).await;
    bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    bench.advance(400).await;
    bench.running(9).await;
    bench.running(9).await;
    let before = decisions(&bench).await;
    bench.advance(60_000).await;
    assert_eq!(decisions(&bench).await - before, 1);
    let health = bench.ask(get("/health")).await.is(200);
    let detail = health["parts"]["clock"]["detail"].as_str().expect("a text");
    assert!(detail.ends_with("the schedules of games were shifted by 60.4 s"), "{detail}");
}

#[tokio::test]
async fn a_request_for_a_frozen_game_that_comes_before_the_heartbeat_finds_it_where_it_was() {
    for command in ["pause", "end"] {
        let bench = Bench::in_memory().await;
        let game = bench.running(9).await;
        bench.advance(1_000).await;
        bench.beat().await;
        let before = bench.time(game).await;
        bench.clock.advance(Duration::from_mins(1));
        assert_eq!(bench.time(game).await, before, "nothing is shown that is taken back");
        bench.order(game, command).await.is(201);
        assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000, "{command}");
        let text = bench.metrics().await;
        assert!(text.contains("starkeep_schedule_shifts_total{cause=\"freeze\"} 1"), "{text}");
    }
}

#[tokio::test]
async fn a_store_that_takes_heartbeats_and_no_boundaries_is_followed_by_no_burst() {
    let bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(3_000).await;
    bench.plant("no_new_round", "BEFORE INSERT ON round");
    for _ in 0..16 {
        bench.clock.advance(Duration::from_secs(4));
        assert!(bench.service().round_clock().step(EPOCH).await.is_err());
        bench.beat().await;
    }
    bench.mend("no_new_round");
    bench.tick().await;
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 4_000);
    assert_eq!(bench.history(game).last().expect("events"), "2 started");
}

#[tokio::test]
async fn a_boundary_that_waits_for_a_store_longer_than_a_round_is_not_taken() {
    let bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.beat().await;
    let database = bench.database();
    database.execute_batch("BEGIN IMMEDIATE").expect("another process holds the file");
    bench.clock.advance(Duration::from_secs(2));
    let clock = bench.service().round_clock();
    let mut waiting = std::pin::pin!(clock.step(EPOCH));
    assert!(futures::poll!(&mut waiting).is_pending());
    bench.clock.advance(Duration::from_secs(4));
    database.execute_batch("ROLLBACK").expect("and lets it go");
    waiting.await.expect("the store can be written again");
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 1_000);
    assert_eq!(bench.history(game).last().expect("events"), "1 started");
}

#[tokio::test]
async fn downtime_is_shown_and_decides_nothing() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.beat().await;
    bench.advance(1_000).await;
    bench.beat().await;
    let before = bench.time(game).await;
    bench.clock.shift_wall(jiff::SignedDuration::from_secs(90));
    bench.restart().await;
    bench.tick().await;
    assert_eq!(bench.time(game).await, before);
    let text = bench.metrics().await;
    assert!(text.contains("starkeep_schedule_shifted_seconds_total{cause=\"downtime\"} 90.0"), "{text}");
    // A wall clock that was set back is ignored.
    bench.clock.shift_wall(jiff::SignedDuration::from_hours(-7));
    bench.restart().await;
    assert_eq!(bench.time(game).await, before);
    let text = bench.metrics().await;
    assert!(text.contains("starkeep_schedule_shifted_seconds_total{cause=\"downtime\"} 0.0"), "{text}");
}

#[tokio::test]
async fn before_the_first_heartbeat_downtime_counts_from_the_start() {
    let mut bench = Bench::new().await;
    bench.running(9).await;
    bench.clock.shift_wall(jiff::SignedDuration::from_secs(90));
    bench.restart().await;
    let text = bench.metrics().await;
    assert!(text.contains("starkeep_schedule_shifted_seconds_total{cause=\"downtime\"} 90.0"), "{text}");
}

#[tokio::test]
async fn a_game_whose_time_stands_loses_none_and_needs_no_heartbeat() {
    let mut bench = Bench::new().await;
    let game = bench.running(9).await;
    bench.order(game, "pause").await.is(201);
    bench.create(3, 2).await;
    let before = bench.commits().await;
    bench.beat().await;
    assert_eq!(bench.commits().await, before);
    bench.clock.shift_wall(jiff::SignedDuration::from_secs(90));
    bench.restart().await;
    let health = bench.ask(get("/health")).await.is(200);
    assert_eq!(health["parts"]["clock"]["detail"], "all rounds on schedule");
}

#[tokio::test]
async fn lateness_is_shown_by_kind_of_boundary() {
    let bench = Bench::in_memory().await;
    bench.running(9).await;
    bench.advance(3_002).await;
    bench.advance(1_003).await;
    let health = bench.ask(get("/health")).await.is(200);
    let of =
        |millis: f64| json!({"boundaries": 1, "p50Millis": millis, "p99Millis": millis, "maxMillis": millis});
    assert_eq!(health["lateness"], json!({"inputEnded": of(2.0), "roundEnded": of(5.0)}));
    let text = bench.metrics().await;
    for line in [
        "starkeep_boundary_lateness_seconds_count{boundary=\"inputEnded\"} 1",
        "starkeep_boundary_lateness_seconds_bucket{le=\"0.0032\",boundary=\"inputEnded\"} 1",
        "starkeep_boundary_lateness_seconds_bucket{le=\"0.0016\",boundary=\"inputEnded\"} 0",
    ] {
        assert!(text.lines().any(|known| known == line), "no `{line}` in {text}");
    }
}
