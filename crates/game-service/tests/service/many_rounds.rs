//! Many rounds and many games: no nanosecond is lost over ten thousand rounds, and a thousand games share a commit.
//! A tenth of it in the short run, which the number of cases of the properties decides.

use starkeep_test_harness::EPOCH;
use std::collections::HashMap;
use std::time::Duration;

use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::log::rounds;

/// Ten times as many in the long run.
fn scaled(short: u32) -> u32 {
    short * proptest::test_runner::Config::default().cases.div_ceil(64).min(10)
}

#[tokio::test]
async fn the_last_boundary_of_many_rounds_is_where_it_was_meant_to_the_nanosecond() {
    let bench = Bench::in_memory().await;
    bench.clock.advance(Duration::from_nanos(123_456_789));
    let (count, length) = (scaled(1_000), 100);
    let game = bench.create(count, 1).await;
    bench.set_duration(game, length).await.is(200);
    bench.start(game).await.is(201);
    let app = bench.service().app();
    let start = app.service_clock().now();
    let clock = bench.service().round_clock();
    let mut boundary = start;
    // Each is noticed late, by another part of a phase.
    for late in (0..20_000_000).step_by(7_654_321).cycle() {
        match clock.step(EPOCH).await.expect("boundaries are taken") {
            None => break,
            Some(next) => boundary = next,
        }
        bench.clock.advance((boundary - app.service_clock().now()) + Duration::from_nanos(late));
    }
    assert_eq!(boundary, start + Duration::from_millis(100) * count);
    assert_eq!(bench.time(game).await["gameTimeInMillis"], 100 * count);
    assert_eq!(bench.history(game)[2..], [rounds(1..=count), vec!["ended".to_owned()]].concat());
}

#[tokio::test]
async fn boundaries_of_many_games_that_are_due_at_once_share_a_commit() {
    let games = scaled(100);
    let bench = Bench::with(Setup { running_games: games, ..Setup::default() }).await;
    let mut running = Vec::new();
    for _ in 0..games {
        let game = bench.create(2, 1).await;
        bench.set_duration(game, 500).await.is(200);
        running.push(game);
    }
    for game in &running {
        bench.start(*game).await.is(201);
    }
    for millis in [375, 125, 375, 125] {
        let before = bench.commits().await;
        bench.advance(millis).await;
        let commits = bench.commits().await - before;
        assert_eq!(commits, 1, "for {games} boundaries");
    }
    let mut histories: HashMap<Uuid, Vec<String>> = HashMap::new();
    for event in bench.events_but_roster() {
        histories.entry(event.game).or_default().push(event.words());
    }
    for game in running {
        assert_eq!(histories[&game][2..], [rounds(1..=2), vec!["ended".to_owned()]].concat());
    }
}
