//! Service time where two replicas share a store: the leader counts it, and the other one shows it. Time without a leader, or
//! in which no game needs it, does not count.

use starkeep_platform::clock::Clock as _;
use starkeep_platform::lease::Epoch;
use starkeep_platform::service::Service as _;
use starkeep_test_harness::{EPOCH, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup};

const NEXT_EPOCH: Epoch = Epoch(2);
const HOUR_MILLIS: u64 = 3_600_000;

async fn two() -> (Bench, Bench) {
    let first = Bench::with(Setup { replicas: true, ..Setup::in_memory() }).await;
    let second = first.another_replica().await;
    (first, second)
}

/// A game whose time the leader keeps.
async fn running(leader: &Bench) -> Uuid {
    let game = leader.running(9).await;
    leader.service().round_clock().step(EPOCH).await.expect("nothing is due");
    game
}

/// How long the game's round has lasted.
async fn passed(bench: &Bench, game: Uuid) -> u64 {
    bench.time(game).await["roundTimeInMillis"].as_u64().expect("a running game")
}

/// Lets time pass in small steps, each with a heartbeat.
async fn keep_time(bench: &Bench, millis: u64) {
    for _ in 0..millis / 50 {
        bench.advance(50).await;
        bench.beat().await;
    }
}

async fn leads_next(first: &Bench, second: &Bench) {
    first.memory().presume_dead();
    second.memory().give_lease(NEXT_EPOCH);
    second.service().take_over(NEXT_EPOCH).await.expect("it takes over");
}

#[tokio::test]
async fn who_does_not_lead_shows_the_last_heartbeat_and_at_most_a_little_more() {
    let (first, second) = two().await;
    let game = running(&first).await;
    keep_time(&first, 1_000).await;
    assert_eq!((passed(&first, game).await, passed(&second, game).await), (1_000, 1_000));
    first.advance(70).await;
    assert_eq!((passed(&first, game).await, passed(&second, game).await), (1_070, 1_070));
    first.advance(500).await;
    assert_eq!((passed(&first, game).await, passed(&second, game).await), (1_570, 1_100));
    first.beat().await;
    assert_eq!(passed(&second, game).await, 1_570);
}

#[tokio::test]
async fn time_without_a_leader_does_not_count() {
    let (first, second) = two().await;
    let game = running(&first).await;
    keep_time(&first, 2_000).await;
    first.memory().presume_dead();
    first.clock.advance(std::time::Duration::from_secs(2));
    let shown = passed(&second, game).await;
    assert!((2_000..=2_100).contains(&shown), "{shown}");
    leads_next(&first, &second).await;
    second.service().round_clock().step(NEXT_EPOCH).await.expect("nothing is due");
    assert_eq!(second.time(game).await["phase"], "collection");
    let shown = passed(&second, game).await;
    assert!((2_000..=2_100).contains(&shown), "{shown}");
    second.clock.advance(std::time::Duration::from_secs(1));
    second.service().round_clock().step(NEXT_EPOCH).await.expect("the input ends");
    assert_eq!(second.time(game).await["phase"], "execution");
}

#[tokio::test]
async fn a_game_that_is_started_by_who_does_not_lead_after_an_idle_hour_has_all_its_time() {
    let (first, second) = two().await;
    let earlier = running(&first).await;
    keep_time(&first, 500).await;
    first.end(earlier).await.is(201);
    first.advance(HOUR_MILLIS).await;
    let game = second.create(9, 3).await;
    second.start(game).await.is(201);
    first.service().round_clock().step(EPOCH).await.expect("nothing is due");
    assert_eq!((passed(&first, game).await, passed(&second, game).await), (0, 0));
    keep_time(&first, 2_950).await;
    assert_eq!(second.time(game).await["phase"], "collection");
    keep_time(&first, 50).await;
    assert_eq!(second.time(game).await["phase"], "execution");
}

#[tokio::test]
async fn who_was_frozen_and_does_not_know_that_it_lost_the_lease_moves_no_game() {
    let (first, second) = two().await;
    let game = running(&first).await;
    keep_time(&first, 500).await;
    // The second one leads, and the first one was told nothing: only its lease is over.
    let over = first.clock.monotonic();
    first.store().lease().hold_until(EPOCH, over);
    second.memory().give_lease(NEXT_EPOCH);
    first.clock.advance(std::time::Duration::from_mins(1));
    second.service().round_clock().step(NEXT_EPOCH).await.expect("nothing is due");
    first.ask(post(format!("/games/{game}/gameCommands/pause"))).await;
    let shown = second.time(game).await["gameTimeInMillis"].as_u64().expect("game time");
    assert!((500..=600).contains(&shown), "{shown}");
}
