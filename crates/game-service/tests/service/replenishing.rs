//! A game's world lives in the game's time: it is replenished after whole rounds, whatever the pace, and the next round's first
//! batch waits for that. Maps that are away and processes that die are in `replenishing_faults`.

use std::time::Duration;

use serde_json::json;
use starkeep_game_core::ReplenishmentMode;
use starkeep_game_service::testing;
use starkeep_platform::tasks::Leader;
use starkeep_platform::tasks::Stop;
use starkeep_test_harness::{EPOCH, StoreKind, delete, post, uuid_in};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::fake_map::World;
use crate::harness::{Bench, Setup, id_in};
use crate::playing::Match;

const ROUND: Duration = Duration::from_secs(4);

/// Rounds of 4 s, after so many of which the world is replenished.
pub(crate) fn after_every(rounds: u32) -> Setup {
    Setup { replenish_every: Some(ROUND * rounds), ..Setup::in_memory() }
}

impl Match {
    pub(crate) async fn world(&self) -> Uuid {
        uuid_in(&self.bench.game(self.game).await, "gameworldId")
    }

    pub(crate) fn open_replenishments(&self) -> usize {
        testing::pending(self.bench.service()).0
    }

    /// A round without commands, to its end; the map is not asked.
    pub(crate) async fn pass_round(&self) {
        self.bench.advance_alone(3_000).await;
        self.bench.advance_alone(1_000).await;
    }

    /// The execution phase of a round with a mining has begun, and the dispatcher is at work.
    pub(crate) async fn executing(&self) -> (Uuid, JoinHandle<Result<(), String>>) {
        let id = self.ada_sends("mining", json!({})).await;
        self.bench.advance_alone(3_000).await;
        (id, self.dispatching().await)
    }

    pub(crate) async fn dispatching(&self) -> JoinHandle<Result<(), String>> {
        let dispatcher = self.bench.service().dispatcher(Stop::new());
        let work = tokio::spawn(async move { dispatcher.step(EPOCH).await });
        self.rest().await;
        work
    }

    /// Everybody comes as far as they can without the clock.
    pub(crate) async fn rest(&self) {
        for _ in 0..32 {
            tokio::task::yield_now().await;
            self.ping().await;
        }
    }

    /// The dispatcher waits for nothing any longer.
    pub(crate) async fn done(&self, dispatch: JoinHandle<Result<(), String>>) {
        self.rest().await;
        assert!(dispatch.is_finished(), "it still waits");
        dispatch.await.expect("no panic").expect("commands are carried out");
    }

    async fn pass(&self, millis: u64) {
        self.bench.clock.advance(Duration::from_millis(millis));
        self.rest().await;
    }
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Clock,
    Step,
    Turbo,
}

/// How often the world had been replenished after each of the nine rounds, in all of which a robot mines.
async fn played(setup: Setup, way: Way) -> Vec<usize> {
    let it = Match::with(setup).await;
    let world = it.world().await;
    match way {
        Way::Clock => {}
        Way::Step => drop(it.bench.order(it.game, "pause").await.is(201)),
        Way::Turbo => drop(it.bench.set_pace(it.game, "turbo").await.is(200)),
    }
    let mut counts = Vec::new();
    for _ in 1..=9 {
        it.ada_sends("mining", json!({})).await;
        match way {
            Way::Clock => {
                it.bench.advance(3_000).await;
                it.bench.advance(1_000).await;
            }
            Way::Step => {
                let step = tokio::spawn(it.bench.ask(post(format!("/games/{}/gameCommands/step", it.game))));
                it.rest().await;
                it.bench.dispatch().await;
                step.await.expect("an answer").is(201);
            }
            Way::Turbo => {
                for token in [it.ada.1, it.bob.1] {
                    it.bench.ready(it.game, token).await.is(200);
                }
                it.bench.tick().await;
            }
        }
        it.bench.replenish().await.expect("the map answers");
        counts.push(it.bench.map.replenished(world));
    }
    assert_eq!(it.bench.game(it.game).await["gameStatus"], "ended", "{way:?}");
    assert_eq!(it.bench.robots.sent().len(), 9, "{way:?}");
    counts
}

#[tokio::test]
async fn the_same_rounds_are_followed_by_a_replenishment_at_any_pace() {
    for (rounds, counts) in
        [(1, [1, 2, 3, 4, 5, 6, 7, 8, 8]), (2, [0, 1, 1, 2, 2, 3, 3, 4, 4]), (4, [0, 0, 0, 1, 1, 1, 1, 2, 2])]
    {
        for way in [Way::Clock, Way::Step, Way::Turbo] {
            assert_eq!(played(after_every(rounds), way).await, counts, "{way:?}, every {rounds}");
        }
    }
    for way in [Way::Clock, Way::Step, Way::Turbo] {
        assert_eq!(played(Setup::in_memory(), way).await, [0; 9], "never");
    }
}

#[tokio::test]
async fn the_first_batch_of_the_next_round_waits_for_the_answer() {
    let it = Match::with(after_every(1)).await;
    it.pass_round().await;
    assert_eq!(it.open_replenishments(), 1, "it is written with the end of the round");
    let (_, dispatch) = it.executing().await;
    it.pass(400).await;
    assert_eq!((it.bench.robots.sent().len(), dispatch.is_finished()), (0, false));
    it.bench.map.hold_replenishments();
    let replenishing = it.bench.service().replenishments();
    let replenishing = tokio::spawn(async move { replenishing.step(EPOCH).await });
    it.bench.map.replenishments_received(1).await;
    it.rest().await;
    assert_eq!(it.bench.robots.sent().len(), 0, "it has been done, and is not answered");
    it.bench.map.release();
    replenishing.await.unwrap().unwrap();
    it.done(dispatch).await;
    assert_eq!((it.bench.robots.sent().len(), it.open_replenishments()), (1, 0));
}

#[tokio::test]
async fn it_waits_for_half_of_its_phase_at_most() {
    let it = Match::with(after_every(1)).await;
    it.pass_round().await;
    let (id, dispatch) = it.executing().await;
    it.pass(499).await;
    assert_eq!((it.bench.robots.sent().len(), dispatch.is_finished()), (0, false));
    it.pass(1).await;
    it.done(dispatch).await;
    assert_eq!(it.states(&[id]).await, ["dispatched"]);
    assert_eq!(it.open_replenishments(), 1, "it is still to be done");
}

#[tokio::test]
async fn what_was_waited_for_in_vain_is_not_waited_for_in_later_rounds() {
    let it = Match::with(after_every(2)).await;
    it.pass_round().await;
    it.pass_round().await;
    for (round, waits) in [(3, true), (4, false), (5, true), (6, false)] {
        let (_, dispatch) = it.executing().await;
        assert_eq!(dispatch.is_finished(), !waits, "round {round}");
        it.pass(500).await;
        it.done(dispatch).await;
        it.bench.advance_alone(500).await;
        assert_eq!(it.bench.time(it.game).await["roundCount"], round + 1);
    }
    assert_eq!(it.bench.robots.sent().len(), 4);
}

#[tokio::test]
async fn only_a_rounds_first_batch_waits() {
    let it = Match::with(after_every(1)).await;
    it.pass_round().await;
    it.bench.replenish().await.unwrap();
    let robot = Uuid::from_u128(0x71);
    it.bench.spawn(robot, it.ada.0).await;
    it.send_for(robot, "regeneration", json!({})).await;
    let (_, dispatch) = it.executing().await;
    it.done(dispatch).await;
    assert_eq!(it.bench.robots.sent().len(), 2);
}

#[tokio::test]
async fn without_a_batch_nobody_waits_and_no_round_ends_later() {
    for pace in ["clock", "turbo"] {
        let it = Match::with(after_every(1)).await;
        it.bench.set_pace(it.game, pace).await.is(200);
        for round in 1..=4 {
            assert_eq!(it.bench.time(it.game).await["roundCount"], round, "{pace}");
            if pace == "turbo" {
                for token in [it.ada.1, it.bob.1] {
                    it.bench.ready(it.game, token).await.is(200);
                }
                it.bench.tick().await;
            } else {
                it.bench.advance(3_000).await;
                it.bench.advance(1_000).await;
            }
        }
        assert_eq!((it.open_replenishments(), it.bench.map.asked_to_replenish().len()), (4, 0));
    }
}

#[tokio::test]
async fn a_batch_waits_also_for_what_rounds_without_batches_left_open() {
    // In turbo several rounds may pass before the map has answered.
    let it = Match::with(after_every(2)).await;
    for _ in 0..3 {
        it.pass_round().await;
    }
    let (_, dispatch) = it.executing().await;
    assert!(!dispatch.is_finished(), "the one after round 2 is open in round 4");
    it.bench.replenish().await.unwrap();
    it.rest().await;
    it.done(dispatch).await;
}

#[tokio::test]
async fn turbo_goes_on_when_the_wait_is_over() {
    let it = Match::with(after_every(1)).await;
    it.bench.set_pace(it.game, "turbo").await.is(200);
    it.pass_round().await;
    it.ada_sends("mining", json!({})).await;
    for token in [it.ada.1, it.bob.1] {
        it.bench.ready(it.game, token).await.is(200);
    }
    let dispatch = it.dispatching().await;
    let time = it.bench.time(it.game).await;
    assert_eq!((&time["roundCount"], &time["phase"]), (&json!(2), &json!("execution")));
    it.bench.replenish().await.unwrap();
    it.done(dispatch).await;
    assert_eq!(it.bench.time(it.game).await["roundCount"], 3);
    assert_eq!(it.bench.robots.sent().len(), 1);
}

#[tokio::test]
async fn a_step_waits_as_well_and_no_longer_than_half_of_a_phase() {
    let it = Match::with(after_every(1)).await;
    it.bench.order(it.game, "pause").await.is(201);
    it.bench.order(it.game, "step").await.is(201);
    it.ada_sends("mining", json!({})).await;
    let step = tokio::spawn(it.bench.ask(post(format!("/games/{}/gameCommands/step", it.game))));
    it.rest().await;
    let dispatch = it.dispatching().await;
    it.pass(499).await;
    assert_eq!((it.bench.robots.sent().len(), step.is_finished()), (0, false));
    it.pass(1).await;
    it.done(dispatch).await;
    assert_eq!(step.await.unwrap().is(201)["currentRoundNumber"], 3);
    assert_eq!(it.bench.robots.sent().len(), 1);
}

#[tokio::test]
async fn what_is_open_is_also_done_while_the_game_is_paused() {
    let it = Match::with(after_every(1)).await;
    it.pass_round().await;
    it.bench.order(it.game, "pause").await.is(201);
    it.bench.replenish().await.unwrap();
    assert_eq!((it.bench.map.replenished(it.world().await), it.open_replenishments()), (1, 0));
    // While it stands nothing more is.
    it.bench.advance(60_000).await;
    assert_eq!(it.open_replenishments(), 0);
}

/// However quickly it was played, it ends with the same deposits.
#[tokio::test]
async fn after_the_end_of_the_game_what_is_open_is_done_before_the_world_is_retired() {
    for store in [StoreKind::Memory, StoreKind::Sqlite] {
        for rounds_left in [true, false] {
            let mut it = Match::with(Setup { store, ..after_every(1) }).await;
            it.pass_round().await;
            it.pass_round().await;
            assert_eq!(it.open_replenishments(), 2);
            if rounds_left {
                it.bench.end(it.game).await.is(201);
            } else {
                it.bench.set_rounds(it.game, 3).await.is(200);
                it.pass_round().await;
            }
            assert_eq!(it.bench.game(it.game).await["gameStatus"], "ended");
            it.bench.care().await.unwrap();
            assert_eq!(it.bench.map.states(), [World::Active], "the world is still to be replenished");
            if store == StoreKind::Sqlite {
                it.bench.compare_replica().await;
                it.bench.restart().await;
            }
            assert_eq!(it.open_replenishments(), 2);
            it.bench.replenish().await.unwrap();
            assert_eq!(it.bench.map.asked_to_replenish().len(), 2);
            assert_eq!(it.open_replenishments(), 0);
            it.bench.care().await.unwrap();
            assert_eq!(it.bench.map.states(), [World::Inactive]);
        }
    }
}

#[tokio::test]
async fn a_world_that_goes_with_its_game_is_not_replenished_first() {
    let it = Match::with(after_every(1)).await;
    it.pass_round().await;
    assert_eq!(it.open_replenishments(), 1);
    it.bench.end(it.game).await.is(201);
    assert_eq!(it.bench.ask(delete(format!("/games/{}", it.game))).await.status, 204);
    it.bench.replenish().await.unwrap();
    assert!(it.bench.map.asked_to_replenish().is_empty());
    assert_eq!(it.open_replenishments(), 0);
}

#[tokio::test]
async fn a_given_world_keeps_its_own_mode() {
    for (mode, counts) in [(ReplenishmentMode::Automatic, 0), (ReplenishmentMode::OnRequest, 2)] {
        let mut bench = Bench::with(Setup { store: StoreKind::Sqlite, ..after_every(1) }).await;
        let world = Uuid::from_u128(0x0f);
        bench.map.add_world(world, mode);
        let body = json!({"maxRounds": 3, "maxPlayers": 2, "duration": 4000, "gameworldId": world});
        let game = id_in(&bench.ask(post("/games").json(&body)).await);
        bench.start(game).await.is(201);
        bench.restart().await;
        for _ in 0..3 {
            bench.advance(3_000).await;
            bench.advance(1_000).await;
            bench.replenish().await.unwrap();
        }
        assert_eq!(bench.game(game).await["gameStatus"], "ended");
        assert_eq!(bench.map.replenished(world), counts, "{mode:?}");
    }
}

#[tokio::test]
async fn the_round_of_the_last_one_outlives_the_process() {
    let mut it = Match::with(Setup { store: StoreKind::Sqlite, ..after_every(3) }).await;
    let mut asked = Vec::new();
    for _ in 1..=8 {
        it.pass_round().await;
        it.bench.beat().await;
        it.bench.compare_replica().await;
        it.bench.restart().await;
        it.bench.replenish().await.unwrap();
        asked.push(it.bench.map.asked_to_replenish().len());
    }
    assert_eq!(asked, [0, 0, 1, 1, 1, 2, 2, 2]);
}

#[tokio::test]
async fn the_leaders_task_does_all_of_it() {
    let it = Match::with(after_every(1)).await;
    let stop = Stop::new();
    let leader = Leader::always(it.bench.clock.clone(), stop.clone());
    it.bench.service().replenishments().start(&leader);
    for round in 1..=3 {
        it.pass_round().await;
        it.bench.map.replenishments_received(round).await;
        it.rest().await;
        assert_eq!(it.open_replenishments(), 0);
    }
    assert!(leader.states().contains_key("replenishments"));
    stop.cancel();
    leader.finished().await;
}
