//! What the robot service can do wrong: refuse, be away, fail, or lose its answer. Money and robot, or neither.

use std::time::Duration;

use serde_json::json;
use starkeep_test_harness::{Reply, StoreKind, TestRequest};

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, GAME, batch, buy_robots, planet, sell, tx};

const ROBOT: uuid::Uuid = uuid::Uuid::from_u128(0xcafe);

/// Sends the request, and moves the clock until it is answered. The store is in memory: where another thread commits, the time of the
/// batch could run out before that thread does.
async fn answered(bench: &Bench, request: TestRequest) -> Reply {
    let mut waiting = Box::pin(bench.ask(request));
    loop {
        for _ in 0..100 {
            if let std::task::Poll::Ready(reply) = futures::poll!(&mut waiting) {
                return reply;
            }
            tokio::task::yield_now().await;
        }
        bench.clock.advance(Duration::from_millis(50));
    }
}

#[tokio::test]
async fn a_robot_service_that_is_away_costs_nothing() {
    let bench = Bench::game().await;
    bench.robots.put(ROBOT, A, planet(1), [4, 0, 0, 0, 0]);
    bench.robots.set_away(true);
    let batch = [buy_robots(tx(1), A, 1), sell(tx(2), A, ROBOT, None), buy_robots(tx(3), B, 9)];
    let began = bench.wall();
    assert_eq!(answered(&bench, crate::harness::batch(&batch)).await.status, 200);
    assert!(bench.wall().duration_since(began).as_millis() <= 1_200, "it ends in time");
    let messages = |trades: Vec<serde_json::Value>| -> Vec<_> {
        trades.iter().map(|trade| trade["message"].as_str().unwrap().to_owned()).collect()
    };
    let away = "The robot service cannot be reached.";
    let poor = format!("Player '{B}' does not have the needed 900 money-units.");
    assert_eq!(messages(bench.trades()), [away, away, &poor]);
    // Once that is known it costs no time.
    assert_eq!(bench.messages(&[buy_robots(tx(5), A, 1)]).await, [away]);
    assert_eq!((bench.money(A).await, bench.robots.load(ROBOT)[0]), (200, 4));
    let health = bench.read("/health").await;
    assert_eq!(health["parts"]["robot"]["status"], "degraded");
    bench.robots.set_away(false);
    // Executed is executed: another command is needed.
    assert_eq!(bench.execute(&batch).await.len(), 0);
    assert_eq!(bench.messages(&[buy_robots(tx(4), A, 1)]).await, ["robot-buy successful"]);
    bench.assert_settled().await;
}

/// One replica of the robot service may be gone while another one serves.
#[tokio::test]
async fn a_call_that_does_not_get_through_is_made_again() {
    let bench = Bench::game().await;
    bench.robots.then(Reaction::Away);
    bench.robots.then(Reaction::Away);
    let request = batch(&[buy_robots(tx(1), A, 1), buy_robots(tx(2), B, 1)]);
    assert_eq!(answered(&bench, request).await.status, 200);
    let trades = bench.trades();
    assert_eq!((&trades[0]["success"], &trades[1]["success"]), (&json!(true), &json!(true)));
    assert_eq!((bench.money(A).await, bench.robots.done().len()), (100, 2));
    bench.assert_settled().await;
}

/// Where there is no time to try again, what has certainly not arrived is a failure at once.
#[tokio::test]
async fn one_call_that_does_not_get_through_in_time_fails_alone() {
    let bench = Bench::game().await;
    bench.robots.then(Reaction::Away);
    let request = batch(&[buy_robots(tx(1), A, 1), buy_robots(tx(2), B, 1)]);
    assert_eq!(bench.ask(request.header("starkeep-timeout-millis", "80")).await.status, 200);
    let trades = bench.trades();
    assert_eq!((&trades[0]["success"], &trades[1]["success"]), (&json!(false), &json!(true)));
    assert_eq!((bench.money(A).await, bench.money(B).await), (200, 100));
}

/// One replica of the robot service may be frozen: an answer is not waited for during all of the batch's time.
#[tokio::test]
async fn an_attempt_takes_no_longer_than_a_second_where_it_may_be_repeated() {
    for (executes_once, millis) in [(true, 1_000), (false, 2_000)] {
        let bench = Bench::game().await;
        if !executes_once {
            bench.robots.forget_keys();
        }
        bench.execute(&[buy_robots(tx(1), A, 1)]).await;
        let patience: Vec<_> = bench.robots.contexts().iter().map(|context| context.within).collect();
        assert_eq!(patience, [Duration::from_millis(millis)]);
    }
}

#[tokio::test]
async fn without_a_robot_service_nothing_can_be_bought() {
    let bench = Bench::with(StoreKind::Memory, false, None).await;
    bench.start_game().await;
    let batch = [buy_robots(tx(1), A, 1), sell(tx(2), A, ROBOT, None)];
    assert_eq!(bench.messages(&batch).await, ["There is no robot service."; 2]);
    assert_eq!(bench.read("/health").await["parts"]["robot"]["status"], "degraded");
}

#[tokio::test]
async fn an_answer_that_is_lost_is_asked_for_again() {
    for reaction in [Reaction::Fails, Reaction::LosesItsAnswer] {
        let bench = Bench::game().await;
        bench.robots.put(ROBOT, B, planet(1), [4, 0, 0, 0, 0]);
        bench.robots.then(reaction.clone());
        let batch = batch(&[buy_robots(tx(1), A, 1), sell(tx(2), B, ROBOT, None)]);
        assert_eq!(answered(&bench, batch).await.status, 200);
        assert_eq!((bench.money(A).await, bench.robots.robots_of(A).len()), (100, 1));
        assert_eq!((bench.money(B).await, bench.robots.load(ROBOT)[0]), (220, 0));
        bench.assert_settled().await;
    }
}

#[tokio::test]
async fn what_gets_no_answer_in_time_stays_open_and_is_finished_by_the_next_batch() {
    let bench = Bench::in_memory().await;
    bench.start_game().await;
    bench.robots.then(Reaction::LosesItsAnswer);
    for _ in 0..40 {
        bench.robots.then(Reaction::Fails);
    }
    let bought = buy_robots(tx(1), A, 1);
    let request = batch(std::slice::from_ref(&bought)).header("starkeep-timeout-millis", "900");
    answered(&bench, request).await.refused(503, "robot-unavailable", None);
    assert_eq!((bench.trades().len(), bench.money(A).await), (0, 100), "the money is reserved");
    let health = bench.read("/health").await;
    assert_eq!(health["parts"]["robot"]["detail"], "trades of 1 games are under way");
    assert_eq!(health["parts"]["books"]["status"], "ok");

    // The same batch again, and another one with it.
    let request = batch(&[bought, buy_robots(tx(2), B, 1)]);
    let request = request.header("starkeep-timeout-millis", "60000");
    assert_eq!(answered(&bench, request).await.status, 200);
    let transactions: Vec<_> = bench.published("trades").into_iter().map(|event| event.0.unwrap()).collect();
    assert_eq!(transactions, [tx(1), tx(2)]);
    assert_eq!((bench.robots.robots_of(A).len(), bench.robots.robots_of(B).len()), (1, 1));
    bench.assert_settled().await;
}

#[tokio::test]
async fn what_is_left_open_is_finished_by_the_task_also_after_the_game_has_ended() {
    let bench = Bench::in_memory().await;
    bench.start_game().await;
    for _ in 0..20 {
        bench.robots.then(Reaction::LosesItsAnswer);
    }
    let request = batch(&[buy_robots(tx(1), A, 1)]).header("starkeep-timeout-millis", "500");
    answered(&bench, request).await.refused(503, "robot-unavailable", None);
    bench.round(1, "ended").await;
    bench.end(GAME).await;
    let task = bench.service().open_trades();
    let mut finishing = Box::pin(task.step());
    loop {
        if let std::task::Poll::Ready(outcome) = futures::poll!(&mut finishing) {
            outcome.unwrap();
            break;
        }
        bench.clock.advance(Duration::from_millis(50));
        tokio::task::yield_now().await;
    }
    assert_eq!((bench.trades().len(), bench.money(A).await, bench.robots.robots_of(A).len()), (1, 100, 1));
    bench.assert_settled().await;
}

#[tokio::test]
async fn a_service_that_does_not_know_keys_is_asked_once() {
    let bench = Bench::game().await;
    bench.robots.forget_keys();
    bench.robots.then(Reaction::Fails);
    let trades = bench.execute(&[buy_robots(tx(1), A, 1), buy_robots(tx(2), B, 1)]).await;
    assert_eq!(trades[0]["message"], "The robot service did not answer.");
    assert_eq!(trades[1]["success"], true);
    assert_eq!((bench.money(A).await, bench.robots.done().len()), (200, 1));
    bench.assert_settled().await;
}

#[tokio::test]
async fn robots_are_looked_up_once_a_batch() {
    let bench = Bench::game().await;
    bench.robots.put(ROBOT, A, planet(1), [4, 0, 0, 0, 0]);
    let batch: Vec<_> = (1..=3).map(|number| sell(tx(number), A, ROBOT, None)).collect();
    let trades = bench.execute(&batch).await;
    let changes: Vec<_> = trades.iter().map(|trade| trade["moneyChangedBy"].as_i64().unwrap()).collect();
    assert_eq!((changes, bench.robots.lookups()), (vec![20, 0, 0], 1));
}
