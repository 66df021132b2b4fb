//! Batches of one game wait for each other, and what is answered where one of them waited in vain: that nothing of it was
//! executed is said only where it is true.

use std::sync::Arc;
use std::time::Duration;

use futures::poll;
use serde_json::{Value, json};
use starkeep_test_harness::{Reply, TestRequest};
use tokio::sync::Notify;

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, batch, buy_robots, tx};

fn timed(commands: &[Value]) -> TestRequest {
    batch(commands).header("starkeep-timeout-millis", "900")
}

/// Sends the request, and moves the clock until it is answered.
async fn answered(bench: &Bench, request: TestRequest) -> Reply {
    let mut waiting = Box::pin(bench.ask(request));
    loop {
        for _ in 0..100 {
            if let std::task::Poll::Ready(reply) = poll!(&mut waiting) {
                return reply;
            }
            tokio::task::yield_now().await;
        }
        bench.clock.advance(Duration::from_millis(50));
    }
}

#[tokio::test]
async fn a_batch_that_never_got_its_turn_says_that_nothing_was_executed() {
    let bench = Bench::in_memory().await;
    bench.start_game().await;
    bench.execute(&[buy_robots(tx(1), B, 1)]).await;
    let go = Arc::new(Notify::new());
    bench.robots.then(Reaction::Waits(go.clone()));
    let first = batch(&[buy_robots(tx(2), A, 1)]).header("starkeep-timeout-millis", "60000");
    let first = tokio::spawn(bench.ask(first));
    while bench.robots.contexts().len() < 2 {
        tokio::task::yield_now().await;
    }

    let later = [buy_robots(tx(3), B, 1), json!({"playerId": B})];
    answered(&bench, timed(&later)).await.refused(503, "round-not-reached", None);
    // The same commands as those that are being executed, and a batch of which a part was executed before.
    for commands in
        [[buy_robots(tx(2), A, 1), buy_robots(tx(4), B, 1)], [later[0].clone(), buy_robots(tx(1), B, 1)]]
    {
        answered(&bench, timed(&commands)).await.refused(503, "robot-unavailable", None);
    }
    assert_eq!((bench.trades().len(), bench.robots.done().len()), (1, 1));

    go.notify_one();
    assert_eq!(first.await.unwrap().status, 200);
    assert_eq!(answered(&bench, timed(&later)).await.status, 200);
    assert_eq!((bench.money(A).await, bench.money(B).await), (100, 0));
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_batch_that_waited_for_the_trades_of_another_says_that_nothing_was_executed() {
    let bench = Bench::in_memory().await;
    bench.start_game().await;
    for _ in 0..60 {
        bench.robots.then(Reaction::Fails);
    }
    let (first, later) = ([buy_robots(tx(1), A, 1)], [buy_robots(tx(2), B, 1)]);
    answered(&bench, timed(&first)).await.refused(503, "robot-unavailable", None);
    answered(&bench, timed(&later)).await.refused(503, "round-not-reached", None);
    answered(&bench, timed(&first)).await.refused(503, "robot-unavailable", None);
    assert_eq!((bench.trades().len(), bench.money(A).await, bench.money(B).await), (0, 100, 200));
}

/// A store that is busy keeps a decision waiting: when its time is over it is not made, at the prices of another round.
#[tokio::test]
async fn a_batch_whose_time_is_over_while_the_store_is_busy_is_not_executed() {
    let bench = Bench::on_file().await;
    bench.start_game().await;
    let database = bench.database();
    database.execute_batch("BEGIN IMMEDIATE").expect("another process holds the file");
    let mut other = Box::pin(bench.round(1, "ended"));
    assert!(poll!(&mut other).is_pending());
    let mut sent = Box::pin(bench.ask(timed(&[buy_robots(tx(1), A, 1)])));
    assert!(poll!(&mut sent).is_pending());
    bench.clock.advance(Duration::from_millis(901));
    database.execute_batch("ROLLBACK").expect("they go on");
    other.await;
    sent.await.refused(503, "round-not-reached", None);
    assert_eq!((bench.trades().len(), bench.money(A).await, bench.robots.done().len()), (0, 200, 0));
}
