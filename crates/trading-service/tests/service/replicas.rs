//! Several replicas on one store: each answers as if it had executed everything itself.

use starkeep_test_harness::{Reply, get};
use uuid::Uuid;

use crate::harness::{A, Bench, GAME, batch, buy_robots, tx};

#[tokio::test]
async fn the_only_running_game_is_the_same_on_every_replica() {
    let leader = Bench::game().await;
    let follower = leader.another_replica().await;
    follower.memory().lag();
    leader.create(Uuid::from_u128(0x9b)).await;
    leader.start(Uuid::from_u128(0x9b), Uuid::from_u128(5)).await;
    let sent = follower.ask(batch(&[buy_robots(tx(1), A, 1)])).await;
    sent.refused(409, "not-one-running-game", None);
    assert_eq!(leader.money(A).await, 200, "of game {GAME}");
}

#[tokio::test]
async fn the_position_of_an_answer_is_after_what_another_replica_has_executed() {
    let leader = Bench::game().await;
    let follower = leader.another_replica().await;
    follower.memory().lag();
    let executed = leader.send(&[buy_robots(tx(1), A, 1)]).await;
    let empty = follower.send(&[]).await;
    let position = |reply: &Reply| reply.header("starkeep-position").map(str::to_owned);
    assert_eq!(position(&empty), position(&executed));
}

#[tokio::test]
async fn health_says_what_was_missed_only_while_the_replica_leads() {
    let bench = Bench::game().await;
    bench.miss_events(false).await.unwrap_err();
    let games = async || bench.ask(get("/health")).await.body["parts"]["games"]["status"].clone();
    assert_eq!(games().await, "degraded");
    bench.memory().take_lease_away();
    assert_eq!(games().await, "ok");
}
