//! Two replicas on one store: minings are finished by the replica that began them, as long as it lives, whoever leads. When
//! it counts as dead the leader takes them over, and what the old owner then concludes is not booked; only what the map said
//! to it is true.

use std::pin::Pin;
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::json;
use starkeep_test_harness::Reply;
use uuid::Uuid;

use crate::fake_map::Behaviour;
use crate::harness::{Bench, GAME, batch, mine, player, regenerate, tx};

type Sent = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// The leader, and a follower with a batch of which it is asking the map.
struct Pair {
    leader: Bench,
    follower: Bench,
    robot: Uuid,
    sent: Sent,
}

impl Pair {
    /// The map reacts like this to the first requests, of which it answers none before the release.
    async fn mining(reactions: impl IntoIterator<Item = Behaviour>) -> Self {
        let (leader, planets) = Bench::playing().await;
        let follower = leader.another_replica().await;
        let robot = leader.spawn(player(1), tx(1), &[planets.coal]).await[0];
        leader.map.behave_next(reactions);
        leader.map.hold_calls();
        let mut sent = follower.ask(batch(&[mine(robot, 2)])).boxed();
        assert!(futures::poll!(&mut sent).is_pending());
        assert_eq!(leader.map.calls().len(), 1);
        Self { leader, follower, robot, sent }
    }

    fn calls(&self) -> usize {
        self.leader.map.calls().len()
    }

    /// Whoever was asked, the robot has what the map gave, and its player was told of it once.
    async fn assert_mined(&self) {
        for replica in [&self.leader, &self.follower] {
            assert_eq!(replica.result_of(tx(2))["updatedInventory"], 2);
            assert_eq!(replica.robot(self.robot).await["inventory"]["storedCoal"], 2);
            replica.assert_books_balance().await;
        }
        assert_eq!(self.leader.map.given(), 2);
    }
}

#[tokio::test]
async fn minings_of_a_replica_that_lives_are_left_to_it() {
    let mut pair = Pair::mining([]).await;
    pair.leader.service().mining_settler().step().await.unwrap();
    // The same batch, and the next one of the game.
    let mut again = pair.leader.ask(batch(&[mine(pair.robot, 2)])).boxed();
    assert!(futures::poll!(&mut again).is_pending());
    assert_eq!(pair.calls(), 1, "only its owner asks the map");
    pair.leader.map.release();
    assert_eq!((&mut pair.sent).await.status, 202);
    assert_eq!(again.now_or_never().expect("it waits for a commit only").status, 202);
    assert_eq!(pair.calls(), 1);
    pair.assert_mined().await;
}

#[tokio::test]
async fn who_waits_for_the_minings_of_another_replica_waits_no_longer_than_its_time() {
    let pair = Pair::mining([]).await;
    let waiting = |command: &str| {
        let sent = batch(&[command.to_owned()]).header("starkeep-timeout-millis", "700");
        pair.leader.ask(sent).boxed()
    };
    for (command, code) in
        [(regenerate(pair.robot, 3), "round-not-reached"), (mine(pair.robot, 2), "map-unavailable")]
    {
        let mut sent = waiting(&command);
        assert!(futures::poll!(&mut sent).is_pending());
        pair.leader.clock.advance(Duration::from_millis(700));
        sent.await.refused(503, code, None);
    }
    assert_eq!((pair.calls(), pair.leader.results_of(tx(3)).len()), (1, 0));
}

/// A batch comes again, to another replica, while the first sending of it is being executed. Its answer says that everything
/// is done, and names the position after the results.
#[tokio::test]
async fn a_repeated_batch_is_answered_when_its_minings_are_booked_whoever_asks_the_map() {
    let (leader, planets) = Bench::playing().await;
    let follower = leader.another_replica().await;
    let robot = leader.spawn(player(1), tx(1), &[planets.coal]).await[0];
    let sent = || batch(&[mine(robot, 2)]).header("starkeep-timeout-millis", "700");
    leader.map.hold_planets();
    let mut again = leader.ask(sent()).boxed();
    // Nothing is open yet when it gets its turn.
    assert!(futures::poll!(&mut again).is_pending());
    leader.map.release();
    leader.map.hold_calls();
    let mut first = follower.ask(batch(&[mine(robot, 2)])).boxed();
    assert!(futures::poll!(&mut first).is_pending());
    assert!(futures::poll!(&mut again).is_pending(), "the map has not answered");
    leader.clock.advance(Duration::from_millis(700));
    again.await.refused(503, "map-unavailable", None);
    let mut again = leader.ask(sent()).boxed();
    assert!(futures::poll!(&mut again).is_pending());
    leader.map.release();
    let (first, again) = (first.await, again.await);
    assert_eq!((first.status, again.status), (202, 202));
    assert_eq!(first.header("starkeep-position"), again.header("starkeep-position"));
    assert_eq!(leader.map.calls().len(), 1);
}

#[tokio::test]
async fn minings_of_a_replica_that_is_gone_are_finished_by_the_leader() {
    for finished_by_batch in [true, false] {
        let mut pair = Pair::mining([]).await;
        let third = pair.follower.another_replica().await;
        pair.follower.memory().presume_dead();
        third.service().mining_settler().step().await.unwrap();
        assert_eq!(pair.calls(), 1, "a replica that does not lead takes nothing over");
        pair.leader.map.release();
        if finished_by_batch {
            assert_eq!(pair.leader.send(&[mine(pair.robot, 2)]).await.status, 202);
        } else {
            pair.leader.service().mining_settler().step().await.unwrap();
        }
        assert_eq!(pair.calls(), 2);
        // It lives all the same, and what the map has told it is true.
        assert_eq!((&mut pair.sent).await.status, 202);
        pair.assert_mined().await;
    }
}

/// The replica that was thought dead finds that its request has not arrived; that of the leader has.
#[tokio::test]
async fn who_is_not_the_owner_any_longer_books_no_failure() {
    let mut pair = Pair::mining([Behaviour::Away, Behaviour::Answers]).await;
    pair.follower.memory().presume_dead();
    let settler = pair.leader.service().mining_settler();
    let mut finishing = settler.step().boxed();
    assert!(futures::poll!(&mut finishing).is_pending());
    assert_eq!(pair.calls(), 2);
    pair.leader.map.release();
    pair.leader.map.behave(Behaviour::Away);
    for _ in 0..10 {
        assert!(futures::poll!(&mut pair.sent).is_pending(), "it waits for the new owner");
        pair.leader.clock.advance(Duration::from_millis(200));
    }
    assert_eq!(pair.leader.results_of(tx(2)), Vec::<serde_json::Value>::new());
    finishing.await.unwrap();
    assert_eq!((&mut pair.sent).await.status, 202);
    pair.assert_mined().await;
}

/// Minings that another replica began meanwhile may have arrived: only what a batch began itself is new to the map.
#[tokio::test]
async fn a_batch_concludes_nothing_about_minings_that_it_did_not_begin() {
    let (bench, planets) = Bench::playing().await;
    let robots = bench.spawn(player(1), tx(1), &[planets.coal, planets.coal]).await;
    bench.map.behave(Behaviour::LosesItsAnswer);
    let sent = batch(&[mine(robots[0], 2)]).header("starkeep-timeout-millis", "100");
    bench.ask(sent).await.refused(503, "map-unavailable", None);
    bench.map.repair();
    bench.map.behave(Behaviour::Away);
    let sent = batch(&[mine(robots[1], 3)]).header("starkeep-timeout-millis", "100");
    bench.ask(sent).await.refused(503, "round-not-reached", None);
    assert_eq!(bench.results_of(tx(2)).len(), 0, "the map has given it");
}

#[tokio::test]
async fn the_leaders_task_looks_when_a_replica_is_gone() {
    let mut pair = Pair::mining([]).await;
    pair.leader.start_tasks();
    pair.leader.map.release();
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(pair.calls(), 1, "its owner lives");
    pair.follower.memory().presume_dead();
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
        if !pair.leader.results_of(tx(2)).is_empty() {
            break;
        }
    }
    let told = pair.leader.result_of(tx(2));
    assert_eq!((told["success"].clone(), pair.calls()), (json!(true), 2));
    assert_eq!((&mut pair.sent).await.status, 202);
    pair.assert_mined().await;
    pair.leader.stop_tasks().await;
}

/// A new leader finds what the one before it has left.
#[tokio::test]
async fn the_task_looks_when_the_lease_is_gained() {
    let (first, planets) = Bench::playing().await;
    let second = first.another_replica().await;
    let robot = first.spawn(player(1), tx(1), &[planets.coal]).await[0];
    first.map.hold_calls();
    let mut sent = first.ask(batch(&[mine(robot, 2)])).boxed();
    assert!(futures::poll!(&mut sent).is_pending());
    second.start_tasks();
    first.map.release();
    first.memory().presume_dead();
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(first.map.calls().len(), 1, "nobody leads");
    second.memory().give_lease(starkeep_platform::lease::Epoch(2));
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
        if !second.results_of(tx(2)).is_empty() {
            break;
        }
    }
    assert_eq!(second.result_of(tx(2))["updatedInventory"], 2, "of game {GAME}");
    second.stop_tasks().await;
}
