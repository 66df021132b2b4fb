//! Batches: which game they are for, how long they wait, that a command is executed once, and in what order.

use std::sync::Arc;

use futures::poll;
use serde_json::json;
use starkeep_test_harness::StoreKind;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, GAME, WORLD, batch, buy, buy_robots, planet, sell, tx};

const OTHER: Uuid = Uuid::from_u128(0x9b);

#[tokio::test]
async fn a_batch_that_is_sent_again_is_executed_once() {
    let bench = Bench::game().await;
    let batch = [
        buy_robots(tx(1), A, 1),
        buy_robots(tx(2), A, 9),
        json!({"transactionId": "no id", "playerId": A, "payload": null}),
        buy_robots(tx(1), A, 1),
    ];
    let first = bench.send(&batch).await;
    assert_eq!((first.status, bench.trades().len()), (200, 3), "the same id twice is one command");
    let second = bench.send(&batch).await;
    assert_eq!((second.status, second.bytes.len()), (200, 0));
    assert_eq!(second.header("starkeep-position"), first.header("starkeep-position"));
    assert_eq!((bench.trades().len(), bench.money(A).await), (3, 100));
    assert_eq!(bench.robots.done().len(), 1);
    // Also as a part of another batch.
    assert_eq!(bench.execute(&[buy_robots(tx(3), B, 1), buy_robots(tx(1), A, 1)]).await.len(), 1);
    bench.assert_settled().await;
}

/// It has nothing by which it could be known again. It never does anything, so that only its event comes twice.
#[tokio::test]
async fn a_command_without_an_id_fails_each_time_and_the_others_are_executed_once() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    let without_id = |id: Option<serde_json::Value>| {
        let mut command = buy_robots(tx(9), A, 1);
        command["transactionId"] = id.unwrap_or_default();
        command
    };
    let mut missing = without_id(None);
    missing.as_object_mut().unwrap().remove("transactionId");
    let batch = [missing, without_id(None), without_id(Some(json!(""))), buy_robots(tx(1), A, 1)];
    for expected in [4, 3, 3] {
        let trades = bench.execute(&batch).await;
        assert_eq!(trades.len(), expected);
        for trade in &trades[..3] {
            let refused = json!({
                "data": null, "success": false, "message": "The command has no transactionId.", "moneyChangedBy": 0,
            });
            assert_eq!(*trade, refused);
        }
        bench.restart().await;
    }
    let shown = bench.shown_events("trades").await;
    assert_eq!(shown[0]["headers"]["transactionId"], "", "nobody can mistake it for another one's");
    assert_eq!((bench.money(A).await, bench.robots.done().len()), (100, 1));
    bench.assert_settled().await;
}

#[tokio::test]
async fn an_id_is_known_in_any_spelling_and_after_a_restart() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    let id = Uuid::from_u128(0xabc_def0);
    bench.execute(&[buy_robots(id, A, 1)]).await;
    bench.restart().await;
    let mut again = buy_robots(id, A, 1);
    again["transactionId"] = json!(id.to_string().to_uppercase());
    assert_eq!(bench.execute(&[again]).await, Vec::<serde_json::Value>::new());
    assert_eq!(bench.money(A).await, 100);
}

#[tokio::test]
async fn commands_are_executed_in_list_order_and_see_the_money_left() {
    let bench = Bench::game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    let robot = bench.robots.robots_of(A)[0];
    bench.robots.put(robot, A, planet(1), [20, 0, 0, 0, 0]);
    // 100 are left, 100 come from the sale, so that both robots can be paid, and a third cannot.
    let trades = bench
        .execute(&[
            buy_robots(tx(2), A, 1),
            sell(tx(3), A, robot, None),
            buy_robots(tx(4), A, 1),
            buy(tx(5), A, robot, "HEALTH", None),
        ])
        .await;
    let changes: Vec<_> = trades.iter().map(|trade| trade["moneyChangedBy"].as_i64().unwrap()).collect();
    assert_eq!(changes, [-100, 100, -100, 0]);
    assert_eq!(bench.money(A).await, 0);
    let transactions: Vec<_> = bench.published("trades").into_iter().map(|event| event.0.unwrap()).collect();
    assert_eq!(transactions, [1, 2, 3, 4, 5].map(tx));
}

#[tokio::test]
async fn money_of_a_purchase_that_is_refused_is_there_for_the_next_command() {
    let bench = Bench::game().await;
    bench.robots.then(Reaction::Refuses("no"));
    let trades = bench.execute(&[buy_robots(tx(1), A, 2), buy_robots(tx(2), A, 2)]).await;
    assert_eq!((&trades[0]["success"], &trades[1]["success"]), (&json!(false), &json!(true)));
    assert_eq!((bench.money(A).await, bench.robots.robots_of(A).len()), (0, 2));
}

#[tokio::test]
async fn sales_of_many_robots_are_one_wave() {
    let bench = Bench::on_file().await;
    bench.start_game().await;
    let robots: Vec<_> = (0..50).map(|number| Uuid::from_u128(0xe000 + number)).collect();
    for robot in &robots {
        bench.robots.put(*robot, A, planet(1), [1, 0, 0, 0, 0]);
    }
    let commits = bench.store().counts().commits;
    let batch: Vec<_> = (1..).zip(&robots).map(|(number, robot)| sell(tx(number), A, *robot, None)).collect();
    let trades = bench.execute(&batch).await;
    assert!(trades.iter().all(|trade| trade["moneyChangedBy"] == 5), "{trades:?}");
    assert_eq!(bench.store().counts().commits - commits, 2, "one to begin, one to settle");
    assert_eq!(bench.money(A).await, 450);
}

#[tokio::test]
async fn the_answer_names_the_position_after_the_batch() {
    let bench = Bench::game().await;
    let reply = bench.send(&[buy_robots(tx(1), A, 1)]).await;
    let position = reply.header("starkeep-position").unwrap().to_owned();
    let newest = bench.shown_events("trades").await.pop().unwrap();
    assert_eq!(newest["id"], position);
}

#[tokio::test]
async fn a_batch_without_a_game_is_for_the_only_one_that_runs() {
    let bench = Bench::in_memory().await;
    let batch = || batch(&[buy_robots(tx(1), A, 1)]);
    bench.waiting_in_vain(batch()).await.refused(409, "not-one-running-game", None);
    bench.start_game().await;
    bench.create(OTHER).await;
    bench.start(OTHER, Uuid::from_u128(5)).await;
    bench.ask(batch()).await.refused(409, "not-one-running-game", None);
    bench.end(OTHER).await;
    assert_eq!(bench.ask(batch()).await.status, 200);
    let unknown = batch().header("starkeep-game", &Uuid::nil().to_string());
    bench.waiting_in_vain(unknown).await.refused(404, "unknown-game", None);
    let unreadable = batch().header("starkeep-round", "x");
    bench.ask(unreadable).await.refused(422, "invalid-parameter", Some("starkeep-round"));
}

#[tokio::test]
async fn a_game_that_has_ended_takes_no_batch() {
    let bench = Bench::game().await;
    bench.end(GAME).await;
    let batch = batch(&[buy_robots(tx(1), A, 1)]).header("starkeep-game", &GAME.to_string());
    for batch in [batch.clone(), batch.header("starkeep-round", "1")] {
        bench.ask(batch).await.refused(409, "game-ended", None);
    }
    assert_eq!((bench.trades().len(), bench.money(A).await), (0, 200));
}

#[tokio::test]
async fn a_batch_waits_for_its_round_and_its_world() {
    let bench = Bench::on_file().await;
    let batch = batch(&[buy_robots(tx(1), A, 1)])
        .header("starkeep-game", &GAME.to_string())
        .header("starkeep-round", "2")
        .header("starkeep-timeout-millis", "1000");
    let mut waiting = Box::pin(bench.ask(batch.clone()));
    assert!(poll!(&mut waiting).is_pending(), "the game is not known");
    bench.create(GAME).await;
    bench.join(GAME, A).await;
    bench.start(GAME, WORLD).await;
    bench.round(2, "started").await;
    assert!(poll!(&mut waiting).is_pending(), "the round is not known");
    bench.round(2, "command input ended").await;
    assert!(poll!(&mut waiting).is_pending(), "the world is not known");
    bench.world(WORLD, &[planet(1)]).await;
    assert_eq!(waiting.await.status, 200);
    assert_eq!(bench.trades()[0]["success"], true);
    let shown = bench.shown_events("trades").await;
    assert_eq!(shown[0]["about"]["roundNumber"], 2);

    let late = bench.ask(batch.header("starkeep-round", "3"));
    let mut late = Box::pin(late);
    assert!(poll!(&mut late).is_pending());
    bench.clock.advance(std::time::Duration::from_millis(1001));
    late.await.refused(503, "round-not-reached", None);
    assert_eq!(bench.trades().len(), 1);
}

#[tokio::test]
async fn a_key_is_no_part_of_what_makes_a_batch_and_has_its_form() {
    let bench = Bench::game().await;
    let keyed = |key| batch(&[buy_robots(tx(1), A, 1)]).header("idempotency-key", key);
    let refused = bench.ask(keyed("two words")).await;
    refused.refused(422, "invalid-idempotency-key", Some("Idempotency-Key"));
    assert_eq!(bench.trades().len(), 0);
    for key in ["one", "one", "another"] {
        assert_eq!(bench.ask(keyed(key)).await.status, 200);
    }
    assert_eq!(bench.trades().len(), 1);
}

#[tokio::test]
async fn an_empty_batch_needs_no_game() {
    let bench = Bench::in_memory().await;
    assert_eq!(bench.execute(&[]).await.len(), 0);
    let of_nobody = batch(&[]).header("starkeep-game", &OTHER.to_string()).header("starkeep-round", "3");
    assert_eq!(bench.ask(of_nobody).await.status, 200);
}

#[tokio::test]
async fn one_batch_of_a_game_at_a_time() {
    let bench = Bench::on_file().await;
    bench.start_game().await;
    let go = Arc::new(Notify::new());
    bench.robots.then(Reaction::Waits(go.clone()));
    let first = tokio::spawn(bench.ask(batch(&[buy_robots(tx(1), A, 1)])));
    while bench.robots.contexts().is_empty() {
        tokio::task::yield_now().await;
    }
    let mut second = Box::pin(bench.ask(batch(&[buy_robots(tx(2), B, 1)])));
    assert!(poll!(&mut second).is_pending());
    assert_eq!(bench.robots.done().len(), 0, "the second waits for the first");
    go.notify_one();
    assert_eq!((first.await.unwrap().status, second.await.status), (200, 200));
    let transactions: Vec<_> = bench.published("trades").into_iter().map(|event| event.0.unwrap()).collect();
    assert_eq!(transactions, [tx(1), tx(2)]);
}

#[tokio::test]
async fn headers_are_passed_on_to_the_robot_service() {
    let bench = Bench::game().await;
    let batch = batch(&[buy_robots(tx(1), A, 1)])
        .header("starkeep-game", &GAME.to_string())
        .header("starkeep-round", "1")
        .header("starkeep-seed", "77");
    assert_eq!(bench.ask(batch).await.status, 200);
    let headers = bench.robots.contexts()[0].headers;
    assert_eq!((headers.game.unwrap().0, headers.round, headers.seed), (GAME, Some(1), Some(77)));
}

/// A robot service that was told of a round would wait until its input has ended.
#[tokio::test]
async fn a_batch_without_a_round_is_executed_at_once_by_the_robot_service_too() {
    let bench = Bench::game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    bench.round(1, "ended").await;
    bench.round(2, "started").await;
    bench.execute(&[buy_robots(tx(2), A, 1)]).await;
    let rounds: Vec<_> = bench.robots.contexts().iter().map(|context| context.headers.round).collect();
    assert_eq!(rounds, [Some(1), None]);
    let shown = bench.shown_events("trades").await;
    assert_eq!(shown[1]["about"]["roundNumber"], 2);
}

#[tokio::test]
async fn the_same_seed_and_commands_give_the_same_stations() {
    let mut drawn = Vec::new();
    for seed in ["5", "5", "6"] {
        let bench = Bench::in_memory().await;
        bench.create(GAME).await;
        bench.join_with(GAME, A, 10_000).await;
        bench.world(WORLD, &(0..20).map(planet).collect::<Vec<_>>()).await;
        bench.start(GAME, WORLD).await;
        for number in 1..=5 {
            let batch = batch(&[buy_robots(tx(number), A, 4)]).header("starkeep-seed", seed);
            assert_eq!(bench.ask(batch).await.status, 200);
        }
        let robots = bench.robots.robots_of(A);
        drawn.push(robots.into_iter().map(|robot| bench.robots.planet_of(robot)).collect::<Vec<_>>());
    }
    assert_eq!(drawn[0], drawn[1]);
    assert_ne!(drawn[0], drawn[2]);
    let distinct: std::collections::BTreeSet<_> = drawn[0].iter().collect();
    assert!(distinct.len() > 8, "not all on the same few: {distinct:?}");
}

#[tokio::test]
async fn only_services_may_send_batches_where_there_is_a_token() {
    let bench = Bench::with(StoreKind::Memory, true, Some("s3cret")).await;
    bench.start_game().await;
    let batch = || batch(&[buy_robots(tx(1), A, 1)]);
    bench.ask(batch()).await.refused(401, "unauthorized", None);
    bench.ask(batch().bearer("wrong")).await.refused(401, "unauthorized", None);
    assert_eq!(bench.trades().len(), 0);
    assert_eq!(bench.ask(batch().bearer("s3cret")).await.status, 200);
    assert_eq!(bench.read("/balances").await[0]["balance"], 100, "everybody may read");
}
