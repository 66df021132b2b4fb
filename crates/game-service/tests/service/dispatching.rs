//! The execution phase: what is sent to whom, in which order and how often, and what each receipt says in the end.
//! That kills change nothing about it is shown from outside, on the real program.

use std::time::Duration;

use futures::future::join;
use serde_json::json;
use starkeep_game_core::Kind;
use starkeep_game_service::ports::BatchFault;
use starkeep_platform::tasks::Stop;
use starkeep_test_harness::{EPOCH, get};
use uuid::Uuid;

use crate::fake_executor::Reaction;
use crate::harness::Setup;
use crate::playing::Match;

const PLANET: Uuid = Uuid::from_u128(0x80);

/// A command of every kind, each for a robot of its own, in no special order; their ids in the order of execution.
pub(crate) async fn one_of_each(it: &Match) -> [Uuid; 6] {
    let mut ids = [Uuid::nil(); 6];
    for (place, kind, object) in [
        (5, "regeneration", json!({})),
        (1, "buying", json!({"itemName": "ROBOT"})),
        (3, "battle", json!({"targetId": PLANET})),
        (0, "selling", json!({})),
        (4, "mining", json!({})),
        (2, "movement", json!({"planetId": PLANET})),
    ] {
        let robot = Uuid::from_u128(0x100 + place as u128);
        it.bench.spawn(robot, it.ada.0).await;
        ids[place] = it.send_for(robot, kind, object).await;
    }
    ids
}

fn not_reached() -> Reaction {
    Reaction::Fail(BatchFault::NotReached("refused".into()))
}

#[tokio::test]
async fn batches_go_out_in_the_order_of_execution_each_to_its_service() {
    let it = Match::in_memory().await;
    let ids = one_of_each(&it).await;
    let bought = it.ada_sends("buying", json!({"itemName": "HEALTH"})).await;
    it.bench.advance(2_999).await;
    assert_eq!((it.bench.trading.sent(), it.bench.robots.sent()), (vec![], vec![]));
    it.bench.advance(1).await;
    let [sell, buy, go, fight, mine, rest] = ids;
    assert_eq!(it.bench.trading.sent(), [(Kind::Selling, vec![sell]), (Kind::Buying, vec![buy, bought])]);
    assert_eq!(
        it.bench.robots.sent(),
        [
            (Kind::Movement, vec![go]),
            (Kind::Battle, vec![fight]),
            (Kind::Mining, vec![mine]),
            (Kind::Regeneration, vec![rest]),
        ]
    );
    assert_eq!(it.states(&ids).await, ["dispatched"; 6]);
    it.bench.advance(1_000).await;
    it.bench.advance(3_000).await;
    assert_eq!((it.bench.trading.sent().len(), it.bench.robots.sent().len()), (2, 4), "and never again");
}

#[tokio::test]
async fn only_the_last_command_for_a_robot_is_sent() {
    let it = Match::in_memory().await;
    let replaced = it.ada_sends("movement", json!({"planetId": PLANET})).await;
    let last = it.ada_sends("mining", json!({})).await;
    it.bench.advance(3_000).await;
    assert_eq!(it.bench.robots.sent(), [(Kind::Mining, vec![last])]);
    assert_eq!(it.states(&[replaced, last]).await, ["replaced", "dispatched"]);
}

#[tokio::test]
async fn what_nobody_carries_out_is_undelivered() {
    let it = Match::with(Setup { executors: false, ..Setup::in_memory() }).await;
    let ids = one_of_each(&it).await;
    it.bench.advance(3_000).await;
    assert_eq!(it.states(&ids).await, ["undelivered"; 6]);
}

#[tokio::test]
async fn a_batch_that_may_have_arrived_is_not_sent_again_and_its_receipts_say_so() {
    let it = Match::in_memory().await;
    let ids = one_of_each(&it).await;
    it.bench.trading.then(Reaction::Fail(BatchFault::Unclear("500".into())));
    it.bench.robots.then(Reaction::Fail(BatchFault::TurnedDown("400".into())));
    it.bench.advance(3_000).await;
    it.bench.dispatch().await;
    let expected = ["unknown", "dispatched", "undelivered", "dispatched", "dispatched", "dispatched"];
    assert_eq!(it.states(&ids).await, expected);
    assert_eq!((it.bench.trading.sent().len(), it.bench.robots.sent().len()), (2, 3));
    let health = it.bench.ask(get("/health")).await.is(200);
    assert_eq!(health["parts"]["robot"]["detail"], "no fault in the last batch or probe");
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_while_the_phase_lasts() {
    let it = Match::in_memory().await;
    let id = it.ada_sends("mining", json!({})).await;
    it.bench.robots.then(not_reached());
    it.bench.robots.then(not_reached());
    it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(it.bench.dispatch());
    for _ in 0..2 {
        assert!(futures::poll!(&mut sending).is_pending());
        it.settle(&mut sending).await;
        assert_eq!(it.bench.robots.sent(), []);
        it.bench.clock.advance(Duration::from_millis(50));
    }
    sending.await;
    assert_eq!(it.bench.robots.sent(), [(Kind::Mining, vec![id])]);
    assert_eq!(it.states(&[id]).await, ["dispatched"]);
}

#[tokio::test]
async fn a_service_that_is_down_for_the_whole_phase_gets_nothing() {
    let it = Match::in_memory().await;
    let id = it.ada_sends("mining", json!({})).await;
    (0..200).for_each(|_| it.bench.robots.then(not_reached()));
    it.bench.advance_alone(3_000).await;
    it.execute().await;
    assert_eq!(it.states(&[id]).await, ["undelivered"]);
    let health = it.bench.ask(get("/health")).await.is(200);
    let said = health["parts"]["robot"]["detail"].as_str().expect("a text").to_owned();
    assert_eq!(
        (health["status"].as_str(), said.contains("no connection: refused")),
        (Some("degraded"), true)
    );
    assert_eq!(it.bench.robots.sent(), []);
}

#[tokio::test]
async fn a_service_that_hangs_uses_up_half_of_the_time_and_its_batch_is_unknown() {
    let it = Match::in_memory().await;
    let ids = one_of_each(&it).await;
    it.bench.trading.then(Reaction::Hang);
    it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    it.bench.clock.advance(Duration::from_millis(499));
    it.settle(&mut sending).await;
    assert_eq!(it.bench.robots.sent(), []);
    it.bench.clock.advance(Duration::from_millis(1));
    sending.await;
    assert_eq!(
        it.states(&ids).await,
        ["unknown", "dispatched", "dispatched", "dispatched", "dispatched", "dispatched"]
    );
}

#[tokio::test]
async fn nobody_who_hangs_holds_up_the_round() {
    let it = Match::in_memory().await;
    let ids = one_of_each(&it).await;
    it.bench.robots.then(Reaction::Hang);
    it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    it.bench.advance_alone(1_000).await;
    assert_eq!(it.bench.time(it.game).await["roundCount"], 2);
    let expected = ["dispatched", "dispatched", "unknown", "undelivered", "undelivered", "undelivered"];
    assert_eq!(it.states(&ids).await, expected, "with the round's end every state is final");
    sending.await;
    assert_eq!(it.states(&ids).await, expected);
    assert_eq!(it.bench.robots.sent().len(), 1);
}

#[tokio::test]
async fn an_end_in_the_collection_phase_sends_nothing() {
    let mut it = Match::new().await;
    let ids = one_of_each(&it).await;
    it.bench.end(it.game).await.is(201);
    it.bench.dispatch().await;
    assert_eq!(it.states(&ids).await, ["dropped"; 6]);
    it.bench.restart().await;
    it.bench.dispatch().await;
    assert_eq!(it.states(&ids).await, ["dropped"; 6]);
    assert_eq!((it.bench.trading.sent(), it.bench.robots.sent()), (vec![], vec![]));
}

#[tokio::test]
async fn an_end_in_the_execution_phase_drops_what_was_not_sent_and_waits_for_what_was() {
    let it = Match::in_memory().await;
    let ids = one_of_each(&it).await;
    it.bench.trading.then(Reaction::Hang);
    it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    it.bench.end(it.game).await.is(201);
    let dropped = |first| [first, "dropped", "dropped", "dropped", "dropped", "dropped"];
    assert_eq!(it.states(&ids).await, dropped("pending"));
    it.bench.clock.advance(Duration::from_millis(500));
    sending.await;
    assert_eq!(it.states(&ids).await, dropped("unknown"));
    assert_eq!((it.bench.trading.sent().len(), it.bench.robots.sent().len()), (1, 0));
}

#[tokio::test]
async fn a_batch_that_was_being_sent_when_the_process_died_is_unknown_and_the_rest_is_sent() {
    let mut it = Match::new().await;
    let ids = one_of_each(&it).await;
    it.bench.trading.then(Reaction::Hang);
    it.bench.advance_alone(3_000).await;
    {
        let mut sending = Box::pin(it.bench.dispatch());
        it.settle(&mut sending).await;
        it.bench.beat().await;
    }
    it.bench.restart().await;
    it.bench.dispatch().await;
    let expected = ["unknown", "dispatched", "dispatched", "dispatched", "dispatched", "dispatched"];
    assert_eq!(it.states(&ids).await, expected);
    assert_eq!(it.bench.trading.sent().len(), 2, "the first of them once");
}

#[tokio::test]
async fn a_stop_waits_for_the_answer_a_little_and_begins_nothing_new() {
    let it = Match::in_memory().await;
    let ids = one_of_each(&it).await;
    it.bench.trading.then(Reaction::Hang);
    it.bench.advance_alone(3_000).await;
    let stop = Stop::new();
    let dispatcher = it.bench.service().dispatcher(stop.clone());
    let mut sending = Box::pin(async { dispatcher.step(EPOCH).await.expect("carried out") });
    it.settle(&mut sending).await;
    stop.cancel();
    it.settle(&mut sending).await;
    it.bench.clock.advance(Duration::from_millis(500));
    sending.await;
    assert_eq!(it.states(&ids).await, ["unknown", "pending", "pending", "pending", "pending", "pending"]);
    it.bench.dispatch().await;
    assert_eq!(it.states(&ids).await[1..], ["dispatched"; 5], "what is left is for the next process");
}

#[tokio::test]
async fn between_two_batches_for_the_robot_service_there_is_a_pause() {
    // Together never more than half of the phase, which here has a second.
    for (gap, pause) in [(60, 60), (100, 100), (5_000, 167)] {
        let it =
            Match::with(Setup { batch_gap: Some(Duration::from_millis(gap)), ..Setup::in_memory() }).await;
        one_of_each(&it).await;
        it.bench.advance_alone(3_000).await;
        let mut sending = Box::pin(it.bench.dispatch());
        for sent in 1..4 {
            it.settle(&mut sending).await;
            assert_eq!((it.bench.trading.sent().len(), it.bench.robots.sent().len()), (2, sent));
            it.bench.clock.advance(Duration::from_millis(pause - 1));
            it.settle(&mut sending).await;
            assert_eq!(it.bench.robots.sent().len(), sent);
            it.bench.clock.advance(Duration::from_millis(1));
        }
        sending.await;
        assert_eq!(it.bench.robots.sent().len(), 4);
    }
}

#[tokio::test]
async fn a_game_in_a_hurry_goes_on_when_everything_was_carried_out() {
    let it = Match::in_memory().await;
    it.bench.set_pace(it.game, "turbo").await.is(200);
    let id = it.ada_sends("mining", json!({})).await;
    it.bench.robots.then(Reaction::Hang);
    it.bench.ready(it.game, it.ada.1).await.is(200);
    it.bench.ready(it.game, it.bob.1).await.is(200);
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    assert_eq!(it.bench.time(it.game).await["phase"], "execution");
    it.bench.clock.advance(Duration::from_millis(999));
    it.settle(&mut sending).await;
    assert_eq!(it.bench.time(it.game).await["roundCount"], 1);
    it.bench.clock.advance(Duration::from_millis(1));
    join(sending, it.bench.advance_alone(0)).await;
    assert_eq!(it.bench.time(it.game).await["roundCount"], 2);
    assert_eq!(it.states(&[id]).await, ["unknown"]);

    let quick = it.ada_sends("mining", json!({})).await;
    it.bench.ready(it.game, it.ada.1).await.is(200);
    it.bench.ready(it.game, it.bob.1).await.is(200);
    it.bench.dispatch().await;
    let time = it.bench.time(it.game).await;
    assert_eq!((&time["roundCount"], &time["gameTimeInMillis"]), (&json!(3), &json!(1000)));
    assert_eq!(it.states(&[quick]).await, ["dispatched"]);
}

#[tokio::test]
async fn a_step_is_answered_when_its_commands_were_carried_out() {
    let it = Match::new().await;
    it.bench.order(it.game, "pause").await.is(201);
    let ids = one_of_each(&it).await;
    let mut step = Box::pin(it.bench.order(it.game, "step"));
    it.settle(&mut step).await;
    assert_eq!(it.bench.time(it.game).await["phase"], "execution");
    let (stepped, ()) = join(step, it.bench.dispatch()).await;
    assert_eq!(stepped.is(201)["currentRoundNumber"], 2);
    assert_eq!(it.states(&ids).await, ["dispatched"; 6]);
    assert_eq!(it.bench.time(it.game).await["gameTimeInMillis"], 0);
    // Nothing is left to carry out in the next round, so its step takes one commit.
    let before = it.bench.commits().await;
    it.bench.order(it.game, "step").await.is(201);
    assert_eq!(it.bench.commits().await, before + 1);
}

#[tokio::test]
async fn a_step_that_is_overtaken_says_so() {
    let it = Match::in_memory().await;
    it.bench.order(it.game, "pause").await.is(201);
    it.ada_sends("mining", json!({})).await;
    let mut step = Box::pin(it.bench.order(it.game, "step"));
    it.settle(&mut step).await;
    it.bench.end(it.game).await.is(201);
    step.await.refused(409, "step-overtaken", None);
}
