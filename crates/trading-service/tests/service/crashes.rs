//! The process ends at every step of a purchase and of a sale: afterwards there is money and robot, or neither, and each
//! command has one event.

use std::sync::Arc;
use std::time::Duration;

use futures::poll;
use starkeep_test_harness::TestRequest;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, batch, buy, buy_robots, planet, sell, tx};

const ROBOT: Uuid = Uuid::from_u128(0xcafe);

/// Polls until so many calls were made; the last of them gets no answer.
async fn stalls(
    waiting: &mut (impl Future<Output = starkeep_test_harness::Reply> + Unpin),
    bench: &Bench,
    calls: usize,
) {
    while bench.robots.contexts().len() < calls {
        assert!(poll!(&mut *waiting).is_pending(), "it was to be broken off");
        tokio::task::yield_now().await;
    }
}

async fn until_done(bench: &Bench, request: TestRequest) {
    let mut waiting = Box::pin(bench.ask(request));
    loop {
        for _ in 0..100 {
            if let std::task::Poll::Ready(reply) = poll!(&mut waiting) {
                assert_eq!(reply.status, 200, "{reply:?}");
                return;
            }
            tokio::task::yield_now().await;
        }
        bench.clock.advance(Duration::from_millis(50));
    }
}

async fn finish(bench: &Bench) {
    let task = bench.service().open_trades();
    let mut finishing = Box::pin(task.step());
    loop {
        for _ in 0..100 {
            if let std::task::Poll::Ready(outcome) = poll!(&mut finishing) {
                return outcome.unwrap();
            }
            tokio::task::yield_now().await;
        }
        bench.clock.advance(Duration::from_millis(50));
    }
}

fn trades() -> TestRequest {
    let commands = [
        buy_robots(tx(1), A, 1),
        sell(tx(2), B, ROBOT, None),
        buy(tx(3), B, ROBOT, "HEALTH", Some(planet(1))),
        buy_robots(tx(4), A, 9),
    ];
    batch(&commands).header("starkeep-timeout-millis", "600000")
}

/// How far the batch comes before the process ends.
#[derive(Clone, Copy, Debug)]
enum Death {
    /// The n-th call has not arrived.
    BeforeCall(usize),
    /// The n-th call has taken effect, and its answer is lost.
    AfterCall(usize),
}

async fn dies(death: Death, is_sent_again: bool) {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    bench.robots.put(ROBOT, B, planet(1), [4, 0, 0, 0, 0]);
    let (Death::BeforeCall(number) | Death::AfterCall(number)) = death;
    for _ in 0..number {
        // An answered call; a script without a reaction ends here.
        bench.robots.then(Reaction::Waits(ready()));
    }
    bench.robots.then(match death {
        Death::BeforeCall(_) => Reaction::Fails,
        Death::AfterCall(_) => Reaction::LosesItsAnswer,
    });
    {
        let mut waiting = Box::pin(bench.ask(trades()));
        stalls(&mut waiting, &bench, number + 1).await;
    }
    assert!(bench.documents("wave") == 1, "{death:?}: it died with something open");
    bench.restart().await;
    assert_eq!(bench.read("/health").await["parts"]["books"]["status"], "ok", "{death:?}");
    if is_sent_again {
        until_done(&bench, trades()).await;
    } else {
        finish(&bench).await;
        // The game service sends it again all the same.
        until_done(&bench, trades()).await;
    }
    let transactions: Vec<_> = bench.published("trades").into_iter().map(|event| event.0.unwrap()).collect();
    assert_eq!(transactions, [1, 2, 3, 4].map(tx), "{death:?}");
    assert_eq!((bench.money(A).await, bench.robots.robots_of(A).len()), (100, 1), "{death:?}");
    assert_eq!((bench.money(B).await, bench.robots.load(ROBOT)[0]), (170, 0), "{death:?}");
    assert_eq!(bench.robots.done().len(), 3, "{death:?}");
    bench.assert_settled().await;
}

/// A reaction that waits for nothing: the call is carried out at once.
fn ready() -> Arc<Notify> {
    let notify = Arc::new(Notify::new());
    notify.notify_one();
    notify
}

#[tokio::test]
async fn whenever_the_process_ends_there_is_money_and_robot_or_neither() {
    for number in 0..3 {
        for death in [Death::BeforeCall(number), Death::AfterCall(number)] {
            for is_sent_again in [true, false] {
                dies(death, is_sent_again).await;
            }
        }
    }
}

#[tokio::test]
async fn a_robot_service_that_is_away_after_a_restart_may_have_delivered_before() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    bench.robots.then(Reaction::LosesItsAnswer);
    let request = batch(&[buy_robots(tx(1), A, 1)]).header("starkeep-timeout-millis", "600000");
    {
        let mut waiting = Box::pin(bench.ask(request.clone()));
        stalls(&mut waiting, &bench, 1).await;
    }
    bench.restart().await;
    bench.robots.set_away(true);
    {
        let mut waiting = Box::pin(bench.ask(request.clone()));
        let asked = bench.robots.probes();
        while bench.robots.probes() < asked + 3 {
            assert!(poll!(&mut waiting).is_pending(), "nobody knows yet what came of it");
            tokio::task::yield_now().await;
            if bench.robots.probes() > asked {
                bench.clock.advance(Duration::from_millis(50));
            }
        }
    }
    assert_eq!((bench.trades().len(), bench.money(A).await), (0, 100));
    bench.robots.set_away(false);
    until_done(&bench, request).await;
    assert_eq!((bench.trades().len(), bench.robots.robots_of(A).len(), bench.money(A).await), (1, 1, 100));
}

#[tokio::test]
async fn a_commit_that_fails_leaves_nothing_half_done() {
    use starkeep_platform::decision::StoreFault;
    for failing in 0..2 {
        let bench = Bench::game().await;
        let memory = bench.memory();
        let fault = StoreFault::Unavailable("the disk is full".to_owned());
        let request = batch(&[buy_robots(tx(1), A, 1)]);
        if failing == 0 {
            memory.fail_next(fault);
            bench.ask(request.clone()).await.refused(503, "storage-unavailable", None);
            assert_eq!((bench.money(A).await, bench.robots.done().len()), (200, 0));
        } else {
            let go = Arc::new(Notify::new());
            bench.robots.then(Reaction::Waits(go.clone()));
            let mut waiting = Box::pin(bench.ask(request.clone()));
            assert!(poll!(&mut waiting).is_pending());
            memory.fail_next(fault);
            go.notify_one();
            waiting.await.refused(503, "storage-unavailable", None);
            assert_eq!((bench.money(A).await, bench.trades().len()), (100, 0));
        }
        assert_eq!(bench.ask(request).await.status, 200);
        assert_eq!(
            (bench.money(A).await, bench.robots.robots_of(A).len(), bench.trades().len()),
            (100, 1, 1)
        );
        bench.assert_settled().await;
    }
}
