//! Several replicas on one store: what the leader reads of the game service's events is known to all of them.

use futures::FutureExt as _;
use starkeep_contract::events::{Gap, GapReason};
use starkeep_http_client::Item;
use starkeep_test_harness::{EPOCH, Reply, TestRequest, get};
use uuid::Uuid;

use crate::harness::{Bench, GAME, batch, player, regenerate, spawning, tx};

fn of_round(request: TestRequest, round: u32) -> TestRequest {
    request.header("starkeep-game", &GAME.to_string()).header("starkeep-round", &round.to_string())
}

#[tokio::test]
async fn a_round_that_the_leader_has_read_is_known_to_every_replica() {
    let (leader, planets) = Bench::playing().await;
    let follower = leader.another_replica().await;
    let robot = follower.spawn(player(1), tx(1), &[planets.station]).await[0];
    let mut sent = follower.ask(of_round(batch(&[regenerate(robot, 2)]), 2)).boxed();
    let spawn = of_round(spawning(player(1), tx(3), &[planets.station]), 2);
    let mut spawned = follower.ask(spawn).boxed();
    assert!(futures::poll!(&mut sent).is_pending() && futures::poll!(&mut spawned).is_pending());
    leader.round(GAME, 2, "command input ended").await;
    let answered = |reply: Option<Reply>| reply.map(|reply| reply.status);
    assert_eq!(answered(sent.now_or_never()), Some(202), "it waits for a commit only");
    assert_eq!(answered(spawned.now_or_never()), Some(201));
}

/// What is told without a round is told with the last one, whichever replica is asked.
#[tokio::test]
async fn a_batch_without_a_round_is_told_with_the_last_one_on_every_replica() {
    let (leader, _) = Bench::playing().await;
    let follower = leader.another_replica().await;
    follower.memory().lag();
    leader.round(GAME, 4, "command input ended").await;
    follower.execute(&[regenerate(Uuid::nil(), 2)]).await;
    let page = follower.ask(get("/events?after=start").header("accept", "application/json")).await.is(200);
    let rounds: Vec<_> =
        page["events"].as_array().unwrap().iter().map(|event| &event["about"]["roundNumber"]).collect();
    assert_eq!(rounds, [4]);
}

/// Which game is meant where none is named follows from what every replica has committed.
#[tokio::test]
async fn the_only_running_game_is_the_same_on_every_replica() {
    let other = Uuid::from_u128(0x6b << 120);
    let (leader, _) = Bench::playing().await;
    let follower = leader.another_replica().await;
    follower.memory().lag();
    leader.roster(GAME, "ended").await;
    leader.start_game(other).await;
    follower.execute(&[regenerate(Uuid::nil(), 2)]).await;
    let told = leader.stored_events();
    assert_eq!(told.iter().map(|event| event.transaction).collect::<Vec<_>>(), [Some(tx(2))]);
}

/// The answer names a position up to which the results were told, also where another replica has executed the batch and this
/// one has not noticed yet.
#[tokio::test]
async fn the_position_of_an_answer_is_after_what_another_replica_has_executed() {
    let (leader, _) = Bench::playing().await;
    let follower = leader.another_replica().await;
    let executed = leader.send(&[regenerate(Uuid::nil(), 2)]).await;
    follower.memory().lag();
    let nothing = follower.ask(batch(&[])).await;
    leader.execute(&[regenerate(Uuid::nil(), 3)]).await;
    let newest = leader.send(&[]).await;
    let empty = follower.ask(batch(&[])).await;
    let position = |reply: &Reply| reply.header("starkeep-position").map(str::to_owned);
    assert_eq!((position(&nothing), position(&empty)), (position(&executed), position(&newest)));
}

/// A follower does not ask for the games, so that nothing it once missed as a leader is its fault any longer.
#[tokio::test]
async fn health_says_what_was_missed_only_while_the_replica_leads() {
    let (bench, _) = Bench::playing().await;
    bench.game_service.set_away(true);
    let gap = Item::Gap(Gap { reason: GapReason::Expired, resumes_after: "later".to_owned() });
    bench.service().game_stream().record(EPOCH, &[gap], "later".to_owned()).await.unwrap_err();
    let games = async || bench.ask(get("/health")).await.body["parts"]["games"]["status"].clone();
    assert_eq!(games().await, "degraded");
    bench.memory().take_lease_away();
    assert_eq!(games().await, "ok");
}
