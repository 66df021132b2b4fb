//! The dispatcher when something goes wrong: a phase that ends while a batch is sent, a store that fails in a step, an
//! executor that does not answer while another game goes on.

use std::time::Duration;

use serde_json::json;
use starkeep_game_core::Kind;
use starkeep_game_service::ports::BatchFault;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::post;
use uuid::Uuid;

use crate::fake_executor::Reaction;
use crate::harness::Setup;
use crate::playing::Match;

fn not_reached() -> Reaction {
    Reaction::Fail(BatchFault::NotReached("refused".into()))
}

/// A match that was paused 100 ms before the end of its first execution phase, in which something is to be carried out.
async fn paused_late() -> (Match, Uuid) {
    let it = Match::in_memory().await;
    let id = it.ada_sends("mining", json!({})).await;
    it.bench.advance_alone(3_000).await;
    it.bench.advance_alone(900).await;
    it.bench.order(it.game, "pause").await.is(201);
    (it, id)
}

#[tokio::test]
async fn a_refused_connection_is_not_tried_again_after_the_games_end() {
    let it = Match::in_memory().await;
    let id = it.ada_sends("mining", json!({})).await;
    it.bench.robots.then(not_reached());
    it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    it.bench.end(it.game).await.is(201);
    it.bench.clock.advance(Duration::from_millis(50));
    sending.await;
    assert_eq!(it.bench.robots.sent(), []);
    assert_eq!(it.states(&[id]).await, ["undelivered"]);
}

#[tokio::test]
async fn a_refused_connection_is_not_tried_again_in_the_next_round() {
    let (it, id) = paused_late().await;
    it.bench.robots.then(not_reached());
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    it.bench.order(it.game, "resume").await.is(201);
    it.bench.advance_alone(100).await;
    assert_eq!(it.bench.time(it.game).await["roundCount"], 2);
    it.bench.clock.advance(Duration::from_millis(50));
    sending.await;
    assert_eq!(it.bench.robots.sent(), []);
    assert_eq!(it.states(&[id]).await, ["undelivered"], "its sender knows, although the round was over");
}

#[tokio::test]
async fn an_answer_is_not_waited_for_when_the_next_round_has_begun() {
    let (it, id) = paused_late().await;
    it.bench.robots.then(Reaction::Hang);
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    it.bench.order(it.game, "resume").await.is(201);
    it.bench.advance_alone(100).await;
    let mut over = false;
    for _ in 0..16 {
        over = over || futures::poll!(&mut sending).is_ready();
        it.ping().await;
    }
    assert!(over, "the commands of the next round have to wait");
    assert_eq!(it.bench.robots.sent(), [(Kind::Mining, vec![id])]);
    assert_eq!(it.states(&[id]).await, ["unknown"]);
}

#[tokio::test]
async fn a_step_goes_on_by_itself_when_the_store_can_be_written_again() {
    let it = Match::new().await;
    it.bench.order(it.game, "pause").await.is(201);
    let id = it.ada_sends("mining", json!({})).await;
    it.bench.plant("fault", "BEFORE INSERT ON batch");
    let halt = Stop::new();
    let leader = Leader::always(it.bench.clock.clone(), halt.clone());
    it.bench.service().dispatcher(halt.clone()).start(&leader);
    // No commit wakes anybody up from here on: a paused game has no heartbeat.
    let mut step = Box::pin(it.bench.order(it.game, "step"));
    let mut stepped = None;
    let mut mended = false;
    for _ in 0..200_000 {
        if let std::task::Poll::Ready(reply) = futures::poll!(&mut step) {
            stepped = Some(reply);
            break;
        }
        if !mended && leader.states()["dispatcher"].last_error.is_some() {
            it.bench.mend("fault");
            mended = true;
        }
        it.bench.clock.advance(Duration::from_millis(1));
        tokio::task::yield_now().await;
    }
    halt.cancel();
    drop(step);
    assert!(mended, "the store has failed");
    assert_eq!(stepped.expect("the step is answered").is(201)["currentRoundNumber"], 2);
    assert_eq!(it.states(&[id]).await, ["dispatched"]);
    leader.finished().await;
}

#[tokio::test]
async fn a_game_that_waits_for_an_answer_keeps_nobody_busy_with_another() {
    let it = Match::with(Setup { running_games: 2, ..Setup::in_memory() }).await;
    let second = it.bench.create(9, 1).await;
    it.bench.put_in(second, it.bob.1).await.is(200);
    it.bench.start(second).await.is(201);
    it.bench.robots.then(Reaction::Hang);
    let hanging = it.ada_sends("mining", json!({})).await;
    let buy =
        json!({"gameId": second, "playerToken": it.bob.1, "type": "buying", "data": {"itemName": "ROBOT"}});
    it.bench.ask(post("/commands").json(&buy)).await.is(201);
    let halt = Stop::new();
    let leader = Leader::always(it.bench.clock.clone(), halt.clone());
    it.bench.service().dispatcher(halt.clone()).start(&leader);
    // On one thread a task that never rests would keep everybody else from going on.
    it.bench.advance_alone(3_000).await;
    while it.bench.trading.sent().is_empty() {
        it.ping().await;
    }
    it.bench.advance_alone(1_000).await;
    assert_eq!(it.states(&[hanging]).await, ["unknown"]);
    halt.cancel();
    leader.finished().await;
}
