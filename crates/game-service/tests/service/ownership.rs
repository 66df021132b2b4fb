//! Two replicas on one store: what one of them has under way is its own as long as it lives, whoever leads. When it counts
//! as dead, the new leader takes it back, and the old owner can no longer settle it; only what it knows of a batch is true.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use starkeep_game_service::testing;
use starkeep_platform::lease::Epoch;
use starkeep_platform::service::Service;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::{Reply, TestRequest, post, uuid_in};
use tokio::sync::Notify;

use crate::fake_executor::Reaction;
use crate::fake_map::World;
use crate::harness::{Bench, Setup, id_in};
use crate::playing::Match;

const NEXT_EPOCH: Epoch = Epoch(2);

/// What happens to the first replica while it waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lot {
    /// It lives on, and no longer leads.
    LosesLease,
    /// It lives on, but nobody has seen it for so long that it counts as dead.
    CountsAsDead,
}

impl Bench {
    /// The second replica becomes the leader.
    async fn hand_over(&self, second: &Self, lot: Lot) {
        match lot {
            Lot::LosesLease => self.memory().take_lease_away(),
            Lot::CountsAsDead => self.memory().presume_dead(),
        }
        second.memory().give_lease(NEXT_EPOCH);
        second.service().take_over(NEXT_EPOCH).await.expect("it takes over");
        second.service().reconciler().step(NEXT_EPOCH).await.expect("the map answers");
    }

    /// The answer to what the first replica was asked, while which the second one becomes the leader.
    async fn asked_while_leader_changes(
        &self,
        request: TestRequest,
        orders: usize,
        lot: Lot,
    ) -> (Reply, Self) {
        let second = self.another_replica().await;
        self.map.hold_answers();
        let asked = tokio::spawn(self.ask(request));
        self.map.orders_received(orders).await;
        self.hand_over(&second, lot).await;
        self.map.release();
        let reply = asked.await.expect("an answer");
        assert_eq!(testing::pending(second.service()).0, 0, "no intent is left");
        second.service().reconciler().step(NEXT_EPOCH).await.expect("the map answers");
        (reply, second)
    }
}

fn creation() -> TestRequest {
    post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))
}

#[tokio::test]
async fn a_creation_is_finished_by_its_owner_although_another_leads() {
    let bench = Bench::in_memory().await;
    let (reply, second) = bench.asked_while_leader_changes(creation(), 1, Lot::LosesLease).await;
    let game = second.game(id_in(&reply)).await;
    assert_eq!(bench.map.world(uuid_in(&game, "gameworldId")), Some(World::Active));
}

#[tokio::test]
async fn a_creation_whose_owner_counts_as_dead_is_withdrawn_and_not_finished() {
    let bench = Bench::in_memory().await;
    let (reply, second) = bench.asked_while_leader_changes(creation(), 1, Lot::CountsAsDead).await;
    reply.refused(503, "storage-unavailable", None);
    assert!(second.games().await.is_empty());
    assert_eq!(bench.map.worlds().into_values().collect::<Vec<_>>(), [World::Deleted]);
}

#[tokio::test]
async fn a_start_is_finished_by_its_owner_although_another_leads() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let start = post(format!("/games/{game}/gameCommands/start"));
    let (reply, second) = bench.asked_while_leader_changes(start, 2, Lot::LosesLease).await;
    assert_eq!(reply.is(201), second.game(game).await);
}

#[tokio::test]
async fn a_start_whose_owner_counts_as_dead_is_withdrawn_and_not_finished() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let before = bench.game(game).await;
    let start = post(format!("/games/{game}/gameCommands/start"));
    let (reply, second) = bench.asked_while_leader_changes(start, 2, Lot::CountsAsDead).await;
    assert_eq!(reply.status, 409);
    assert_eq!(second.game(game).await, before);
    assert_eq!(bench.map.world(bench.map.last_order().id.0), Some(World::Deleted));
    second.start(game).await.is(201);
}

#[tokio::test]
async fn a_batch_is_settled_by_its_sender_also_after_it_lost_the_lease() {
    for (lot, meanwhile, afterwards) in
        [(Lot::LosesLease, "pending", "dispatched"), (Lot::CountsAsDead, "unknown", "dispatched")]
    {
        let it = Match::in_memory().await;
        let second = it.bench.another_replica().await;
        let id = it.ada_sends("mining", json!({})).await;
        let answer = Arc::new(Notify::new());
        it.bench.robots.then(Reaction::Hold(answer.clone()));
        it.bench.advance_alone(3_000).await;
        let mut sending = Box::pin(it.bench.dispatch());
        it.settle(&mut sending).await;
        it.bench.hand_over(&second, lot).await;
        let dispatcher = second.service().dispatcher(Stop::new());
        dispatcher.step(NEXT_EPOCH).await.expect("there is nothing to send");
        assert_eq!(it.states(&[id]).await, [meanwhile], "{lot:?}");
        answer.notify_one();
        sending.await;
        assert_eq!(it.states(&[id]).await, [afterwards], "{lot:?}");
        assert_eq!(it.bench.robots.sent().len(), 1, "nobody sends it again");
    }
}

#[tokio::test]
async fn the_next_kind_waits_until_the_answer_to_the_one_before_is_written_or_its_sender_is_gone() {
    for lot in [Lot::LosesLease, Lot::CountsAsDead] {
        let it = Match::with(Setup { batch_gap: Some(Duration::ZERO), ..Setup::in_memory() }).await;
        let second = it.bench.another_replica().await;
        it.ada_sends("mining", json!({})).await;
        let robot = uuid::Uuid::from_u128(0x71);
        it.bench.spawn(robot, it.ada.0).await;
        it.send_for(robot, "regeneration", json!({})).await;
        let answer = Arc::new(Notify::new());
        it.bench.robots.then(Reaction::Hold(answer.clone()));
        it.bench.advance_alone(3_000).await;
        let mut sending = Box::pin(it.bench.dispatch());
        it.settle(&mut sending).await;
        it.bench.hand_over(&second, lot).await;
        let dispatcher = second.service().dispatcher(Stop::new());
        dispatcher.step(NEXT_EPOCH).await.expect("it may send");
        let is_gone = lot == Lot::CountsAsDead;
        assert_eq!(it.bench.robots.sent().len(), if is_gone { 2 } else { 1 }, "{lot:?}");
        answer.notify_one();
        sending.await;
        dispatcher.step(NEXT_EPOCH).await.expect("it sends the rest");
        assert_eq!(it.bench.robots.sent().len(), 2, "{lot:?}");
    }
}

#[tokio::test]
async fn a_dispatcher_that_lost_its_lease_leaves_the_rest_to_the_next_one() {
    let it = Match::with(Setup { batch_gap: Some(Duration::ZERO), ..Setup::in_memory() }).await;
    let mining = it.ada_sends("mining", json!({})).await;
    let robot = uuid::Uuid::from_u128(0x71);
    it.bench.spawn(robot, it.ada.0).await;
    let regeneration = it.send_for(robot, "regeneration", json!({})).await;
    let answer = Arc::new(Notify::new());
    it.bench.robots.then(Reaction::Hold(answer.clone()));
    let halt = Stop::new();
    let leader = Leader::new(it.bench.clock.clone(), halt.clone());
    let store = it.bench.store();
    leader.follow("game", store.lease(), Some(Epoch(1)), |_| async { Ok(()) });
    it.bench.service().dispatcher(halt.clone()).start(&leader);
    it.bench.advance_alone(3_000).await;
    while it.bench.robots.sent().is_empty() {
        it.ping().await;
    }
    it.bench.memory().take_lease_away();
    it.ping().await;
    answer.notify_one();
    it.bench.memory().give_lease(NEXT_EPOCH);
    // The new dispatcher starts when the old one has ended.
    for _ in 0..10_000 {
        if it.bench.robots.sent().len() == 2 {
            break;
        }
        it.bench.clock.advance(Duration::from_micros(50));
        it.ping().await;
    }
    assert_eq!(it.states(&[mining, regeneration]).await, ["dispatched", "dispatched"]);
    halt.cancel();
    leader.finished().await;
}
