//! Two replicas on one store: trades are settled by the replica that began them, as long as it lives, whoever leads. When it
//! counts as dead the leader takes them over, and what the old owner then concludes is not booked.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use starkeep_test_harness::Reply;
use tokio::sync::Notify;

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, GAME, batch, buy_robots, tx};

type Sent = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// The leader, and a follower with a batch of which it is calling the robot service.
struct Pair {
    leader: Bench,
    follower: Bench,
    sent: Sent,
    /// Lets the first call go on.
    go: Arc<Notify>,
}

impl Pair {
    async fn buying() -> Self {
        Self::buying_from(Bench::game().await).await
    }

    async fn buying_from(leader: Bench) -> Self {
        let follower = leader.another_replica().await;
        let go = Arc::new(Notify::new());
        leader.robots.then(Reaction::Waits(go.clone()));
        let mut sent = follower.ask(batch(&[buy_robots(tx(1), A, 1)])).boxed();
        assert!(futures::poll!(&mut sent).is_pending());
        assert_eq!(leader.robots.contexts().len(), 1);
        Self { leader, follower, sent, go }
    }

    fn calls(&self) -> usize {
        self.leader.robots.contexts().len()
    }

    /// Paid and delivered once, and told once.
    async fn assert_bought(&self) {
        for replica in [&self.leader, &self.follower] {
            assert_eq!((replica.money(A).await, replica.trades().len()), (100, 1));
            assert_eq!(replica.trades()[0]["success"], true);
            replica.assert_settled().await;
        }
        assert_eq!(self.leader.robots.robots_of(A).len(), 1);
    }
}

#[tokio::test]
async fn trades_of_a_replica_that_lives_are_left_to_it() {
    for executes_once in [true, false] {
        let leader = Bench::game().await;
        if !executes_once {
            leader.robots.forget_keys();
        }
        let mut pair = Pair::buying_from(leader).await;
        pair.leader.service().open_trades().step().await.unwrap();
        // The same batch, and the next one of the game.
        let mut again = pair.leader.ask(batch(&[buy_robots(tx(1), A, 1)])).boxed();
        assert!(futures::poll!(&mut again).is_pending());
        assert_eq!((pair.calls(), pair.leader.trades().len()), (1, 0), "only its owner settles it");
        pair.go.notify_one();
        assert_eq!((&mut pair.sent).await.status, 200);
        assert_eq!(again.now_or_never().expect("it waits for a commit only").status, 200);
        assert_eq!(pair.calls(), 1);
        pair.assert_bought().await;
    }
}

#[tokio::test]
async fn who_waits_for_the_trades_of_another_replica_waits_no_longer_than_its_time() {
    let pair = Pair::buying().await;
    for (command, code) in
        [(buy_robots(tx(2), B, 1), "round-not-reached"), (buy_robots(tx(1), A, 1), "robot-unavailable")]
    {
        let sent = batch(&[command]).header("starkeep-timeout-millis", "700");
        let mut sent = pair.leader.ask(sent).boxed();
        assert!(futures::poll!(&mut sent).is_pending());
        pair.leader.clock.advance(Duration::from_millis(700));
        sent.await.refused(503, code, None);
    }
    assert_eq!(pair.calls(), 1);
}

#[tokio::test]
async fn trades_of_a_replica_that_is_gone_are_settled_by_the_leader() {
    for finished_by_batch in [true, false] {
        let mut pair = Pair::buying().await;
        let third = pair.follower.another_replica().await;
        pair.follower.memory().presume_dead();
        third.service().open_trades().step().await.unwrap();
        assert_eq!(pair.calls(), 1, "a replica that does not lead takes nothing over");
        if finished_by_batch {
            assert_eq!(pair.leader.send(&[buy_robots(tx(1), A, 1)]).await.status, 200);
        } else {
            pair.leader.service().open_trades().step().await.unwrap();
        }
        assert_eq!(pair.calls(), 2);
        // It lives all the same.
        pair.go.notify_one();
        assert_eq!((&mut pair.sent).await.status, 200);
        pair.assert_bought().await;
    }
}

/// The replica that was thought dead finds that its call has not arrived; that of the leader has.
#[tokio::test]
async fn who_is_not_the_owner_any_longer_gives_no_money_back() {
    let leader = Bench::game().await;
    let follower = leader.another_replica().await;
    let (go, late) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    leader.robots.then(Reaction::WaitsAndIsAway(late.clone()));
    leader.robots.then(Reaction::Waits(go.clone()));
    let mut sent = follower.ask(batch(&[buy_robots(tx(1), A, 1)])).boxed();
    assert!(futures::poll!(&mut sent).is_pending());
    follower.memory().presume_dead();
    let task = leader.service().open_trades();
    let mut finishing = task.step().boxed();
    assert!(futures::poll!(&mut finishing).is_pending());
    late.notify_one();
    leader.robots.set_away(true);
    for _ in 0..15 {
        assert!(futures::poll!(&mut sent).is_pending(), "it waits for the new owner");
        leader.clock.advance(Duration::from_millis(100));
    }
    assert_eq!((leader.trades().len(), leader.money(A).await), (0, 100));
    go.notify_one();
    finishing.await.unwrap();
    assert_eq!(sent.await.status, 200);
    assert_eq!((leader.trades().len(), leader.money(A).await), (1, 100));
    assert_eq!(leader.robots.robots_of(A).len(), 1);
}

/// A service that does not know keys carries a call out whoever makes it, so that it is made by the owner only.
#[tokio::test]
async fn calls_that_take_effect_each_time_are_made_by_the_owner_only() {
    let leader = Bench::game().await;
    leader.robots.forget_keys();
    let follower = leader.another_replica().await;
    let go = Arc::new(Notify::new());
    leader.robots.then(Reaction::Waits(go.clone()));
    let commands = [buy_robots(tx(1), A, 1), buy_robots(tx(2), B, 1)];
    let mut sent = follower.ask(batch(&commands)).boxed();
    assert!(futures::poll!(&mut sent).is_pending());
    follower.memory().presume_dead();
    leader.service().open_trades().step().await.unwrap();
    let told = leader.trades();
    assert_eq!((told.len(), &told[1]["message"]), (2, &"The robot service did not answer.".into()));
    go.notify_one();
    assert_eq!(sent.await.status, 200);
    assert_eq!(leader.robots.done().len(), 1, "the second call was not made yet, and is not any more");
    assert_eq!((leader.money(B).await, leader.robots.robots_of(B).len()), (200, 0));
}

/// When its last trades are settled, the market of an ended game is evicted. Whatever is begun afterwards would be counted
/// twice by who loads the market later.
#[tokio::test]
async fn a_game_that_ended_meanwhile_takes_no_further_trades() {
    let leader = Bench::game().await;
    let follower = leader.another_replica().await;
    let go = Arc::new(Notify::new());
    leader.robots.then(Reaction::Waits(go.clone()));
    // The second has to wait for what comes of the first.
    let commands = [buy_robots(tx(1), A, 1), buy_robots(tx(2), A, 1)];
    let mut sent = follower.ask(batch(&commands)).boxed();
    assert!(futures::poll!(&mut sent).is_pending());
    leader.round(1, "ended").await;
    leader.end(GAME).await;
    follower.memory().presume_dead();
    leader.service().open_trades().step().await.unwrap();
    go.notify_one();
    sent.await.refused(409, "game-ended", None);
    for replica in [&leader, &follower] {
        replica.memory().verify().unwrap();
        assert_eq!((replica.money(A).await, replica.trades().len()), (100, 1));
    }
    assert_eq!(leader.robots.done().len(), 1);
}

/// What goes on with the settlement of what came before it is not late: its market is still in memory.
#[tokio::test]
async fn a_batch_that_is_under_way_when_its_game_ends_is_executed_to_its_end() {
    let leader = Bench::game().await;
    let follower = leader.another_replica().await;
    let go = Arc::new(Notify::new());
    leader.robots.then(Reaction::Waits(go.clone()));
    let commands = [buy_robots(tx(1), A, 1), buy_robots(tx(2), A, 1)];
    let mut sent = follower.ask(batch(&commands)).boxed();
    assert!(futures::poll!(&mut sent).is_pending());
    leader.round(1, "ended").await;
    leader.end(GAME).await;
    go.notify_one();
    assert_eq!(sent.await.status, 200);
    for replica in [&leader, &follower] {
        replica.memory().verify().unwrap();
        assert_eq!((replica.money(A).await, replica.trades().len()), (0, 2));
    }
}

#[tokio::test]
async fn the_leaders_task_looks_when_a_replica_is_gone() {
    let mut pair = Pair::buying().await;
    pair.leader.start_tasks();
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(pair.calls(), 1, "its owner lives");
    pair.follower.memory().presume_dead();
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
        if !pair.leader.trades().is_empty() {
            break;
        }
    }
    assert_eq!((pair.calls(), pair.leader.trades().len()), (2, 1));
    pair.go.notify_one();
    assert_eq!((&mut pair.sent).await.status, 200);
    pair.assert_bought().await;
    pair.leader.stop_tasks().await;
}
