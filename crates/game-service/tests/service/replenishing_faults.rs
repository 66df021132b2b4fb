//! Replenishments and what goes wrong: a map that is away, refuses or loses its answer, and processes that die in between.
//! Each that was written down is done once, in its order, as long as the game runs.

use std::time::Duration;

use starkeep_game_service::ports::MapFault;
use starkeep_game_service::testing;
use starkeep_platform::lease::Epoch;
use starkeep_platform::service::Service as _;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::{EPOCH, StoreKind, in_one_process};

use crate::fake_map::{Behaviour, World, away, refused};
use crate::harness::Setup;
use crate::playing::Match;
use crate::replenishing::after_every;

fn on_file(rounds: u32) -> Setup {
    Setup { store: StoreKind::Sqlite, ..after_every(rounds) }
}

#[tokio::test]
async fn after_rounds_without_a_map_everything_is_done_in_its_order() {
    let mut it = Match::with(on_file(1)).await;
    it.bench.map.set_behaviour(Behaviour::Away);
    for round in 1..=4 {
        it.pass_round().await;
        assert!(it.bench.replenish().await.is_err());
        assert_eq!((it.open_replenishments(), it.bench.map.asked_to_replenish().len()), (round, round));
    }
    let first = it.bench.map.asked_to_replenish()[0];
    assert!(
        it.bench.map.asked_to_replenish().iter().all(|key| *key == first),
        "the first one holds up the others"
    );
    let rounds: Vec<_> = (2..=5).map(|number| it.round_id(number)).collect();
    assert_eq!(rounds[0], first, "the key is the id of the round that follows");
    it.bench.compare_replica().await;
    it.bench.restart().await;
    it.bench.map.set_behaviour(Behaviour::Answers);
    it.bench.replenish().await.unwrap();
    assert_eq!(it.bench.map.asked_to_replenish()[4..], rounds);
    assert_eq!(it.bench.map.replenished(it.world().await), 4);
    it.bench.compare_replica().await;
}

impl Match {
    fn round_id(&self, number: u32) -> uuid::Uuid {
        let asked = format!("SELECT id FROM round WHERE number = {number}");
        let id = self.bench.database().query_row(&asked, [], |row| row.get::<_, [u8; 16]>(0));
        uuid::Uuid::from_bytes(id.expect("a round"))
    }
}

#[test]
fn a_process_that_dies_between_the_rounds_end_and_the_answer_leaves_it_to_the_next() {
    // Nothing was sent yet; the answer was lost; the process is killed while it waits for the answer.
    for (fault, sent_before) in
        [(None, 0), (Some(Behaviour::LosesItsAnswer), 1), (Some(Behaviour::Answers), 1)]
    {
        let (mut it, world) = in_one_process(async {
            let it = Match::with(on_file(1)).await;
            it.pass_round().await;
            if let Some(behaviour) = fault {
                it.bench.map.set_behaviour(behaviour);
                it.bench.map.hold_replenishments();
                let replenishing = it.bench.service().replenishments();
                tokio::spawn(async move { replenishing.step(EPOCH).await });
                it.bench.map.replenishments_received(1).await;
            }
            let world = it.world().await;
            (it, world)
        });
        it.bench.map.set_behaviour(Behaviour::Answers);
        it.bench.map.release();
        in_one_process(async {
            it.bench.restart().await;
            it.bench.care().await.unwrap();
            assert_eq!(it.open_replenishments(), 1, "it is not withdrawn");
            it.bench.replenish().await.unwrap();
            let asked = it.bench.map.asked_to_replenish();
            assert_eq!(asked.len(), sent_before + 1);
            assert!(asked.iter().all(|key| *key == asked[0]), "with the same key");
            assert_eq!((it.bench.map.replenished(world), it.open_replenishments()), (1, 0));
            assert_eq!(it.bench.map.world(world), Some(World::Active));
        });
    }
}

#[tokio::test]
async fn what_is_refused_for_good_is_given_up_and_the_game_goes_on() {
    let in_msd = refused(403, "it is inactive");
    for fault in [refused(404, ""), refused(405, ""), refused(409, ""), refused(422, ""), in_msd] {
        let it = Match::with(after_every(1)).await;
        it.bench.map.refuse_replenishments(Some(fault.clone()));
        for round in 1..=3 {
            it.pass_round().await;
            it.bench.replenish().await.unwrap();
            assert_eq!(
                (it.open_replenishments(), it.bench.map.asked_to_replenish().len()),
                (0, round),
                "{fault}"
            );
        }
        // Nobody waits for it.
        let (_, dispatch) = it.executing().await;
        it.done(dispatch).await;
        it.bench.map.refuse_replenishments(None);
        it.bench.advance_alone(1_000).await;
        it.bench.replenish().await.unwrap();
        assert_eq!(it.bench.map.replenished(it.world().await), 1, "what comes later is asked for");
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    for fault in [away(), refused(503, "storage"), refused(500, ""), refused(408, ""), refused(429, "")] {
        let it = Match::with(after_every(1)).await;
        it.bench.map.refuse_replenishments(Some(fault.clone()));
        it.pass_round().await;
        for _ in 0..2 {
            assert_eq!(it.bench.replenish().await, Err(fault.to_string()));
            assert_eq!(it.open_replenishments(), 1);
        }
        it.bench.map.refuse_replenishments(None);
        it.bench.replenish().await.unwrap();
        assert_eq!((it.bench.map.replenished(it.world().await), it.open_replenishments()), (1, 0));
    }
}

#[tokio::test]
async fn the_task_tries_again_by_itself_until_the_map_is_back() {
    let it = Match::with(after_every(1)).await;
    let stop = Stop::new();
    let leader = Leader::always(it.bench.clock.clone(), stop.clone());
    it.bench.service().replenishments().start(&leader);
    it.bench.map.set_behaviour(Behaviour::Away);
    it.pass_round().await;
    for (attempts, delay) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1_600), (6, 2_000), (7, 2_000)] {
        it.bench.map.replenishments_received(attempts).await;
        it.rest().await;
        it.bench.clock.advance(Duration::from_millis(delay - 1));
        it.rest().await;
        assert_eq!(it.bench.map.asked_to_replenish().len(), attempts);
        it.bench.clock.advance(Duration::from_millis(1));
    }
    it.bench.map.set_behaviour(Behaviour::Answers);
    it.rest().await;
    it.bench.clock.advance(Duration::from_secs(2));
    it.rest().await;
    assert_eq!((it.bench.map.replenished(it.world().await), it.open_replenishments()), (1, 0));
    stop.cancel();
    leader.finished().await;
}

#[tokio::test]
async fn one_games_replenishment_does_not_hold_up_another_games() {
    let it = Match::with(Setup { running_games: 2, ..after_every(1) }).await;
    let other = it.bench.running(9).await;
    it.bench.map.set_world(it.world().await, World::Inactive);
    it.pass_round().await;
    assert_eq!(it.open_replenishments(), 2);
    it.bench.replenish().await.unwrap();
    let world = starkeep_test_harness::uuid_in(&it.bench.game(other).await, "gameworldId");
    assert_eq!((it.bench.map.replenished(world), it.bench.map.asked_to_replenish().len()), (1, 2));
}

const NEXT_EPOCH: Epoch = Epoch(2);

#[tokio::test]
async fn a_replica_that_leads_next_sends_what_the_one_before_left_open() {
    for is_dead in [true, false] {
        let it = Match::with(after_every(1)).await;
        let second = it.bench.another_replica().await;
        let world = it.world().await;
        it.pass_round().await;
        it.bench.map.hold_replenishments();
        let replenishing = it.bench.service().replenishments();
        let first = tokio::spawn(async move { replenishing.step(EPOCH).await });
        it.bench.map.replenishments_received(1).await;
        if is_dead {
            it.bench.memory().presume_dead();
        } else {
            it.bench.memory().take_lease_away();
        }
        second.memory().give_lease(NEXT_EPOCH);
        second.service().take_over(NEXT_EPOCH).await.unwrap();
        second.service().reconciler().step(NEXT_EPOCH).await.unwrap();
        assert_eq!(testing::pending(second.service()), (1, 0), "it is not withdrawn");
        it.bench.map.release();
        assert!(first.await.unwrap().is_err(), "it is another's to settle");
        assert_eq!(testing::pending(second.service()).0, 1);
        second.service().replenishments().step(NEXT_EPOCH).await.unwrap();
        let asked = it.bench.map.asked_to_replenish();
        assert_eq!((asked.len(), asked[0]), (2, asked[1]), "with the same key");
        assert_eq!((it.bench.map.replenished(world), testing::pending(second.service()).0), (1, 0));
    }
}

#[test]
fn what_is_final_is_a_refusal_of_the_call_itself() {
    assert!(!away().is_final());
    for (status, is_final) in
        [(404, true), (409, true), (422, true), (401, true), (429, false), (500, false), (503, false)]
    {
        let fault = MapFault::Refused { url: String::new(), status, reason: String::new() };
        assert_eq!(fault.is_final(), is_final, "{status}");
    }
}
