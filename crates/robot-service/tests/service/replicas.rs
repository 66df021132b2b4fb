//! Several replicas on one store: what the leader reads of the game service's events is known to all of them.

use futures::FutureExt as _;
use starkeep_test_harness::{Reply, TestRequest, get};
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
