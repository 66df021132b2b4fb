//! Batches for executors that carry each out once, however often it comes: they are sent again while their phase lasts, and
//! nobody is waited for between them. For all others see `dispatching`, for those of a dead process also `resumed_batches`.

use std::time::Duration;

use serde_json::json;
use starkeep_game_core::Kind;
use starkeep_game_service::ports::{BatchFault, ExecutorHealth};
use starkeep_test_harness::EPOCH;
use uuid::Uuid;

use crate::dispatching::one_of_each;
use crate::fake_executor::Reaction;
use crate::harness::Setup;
use crate::playing::Match;

const ONCE: ExecutorHealth = ExecutorHealth { executes_once: true, fault: None };

/// Both executors carry a batch out once.
pub(crate) async fn with_built_in(setup: Setup) -> Match {
    let it = Match::with(setup).await;
    it.bench.trading.set_health(Ok(ONCE));
    it.bench.robots.set_health(Ok(ONCE));
    it
}

pub(crate) fn unclear() -> Reaction {
    Reaction::Fail(BatchFault::Unclear("the connection was lost".into()))
}

pub(crate) fn not_now() -> Reaction {
    Reaction::Fail(BatchFault::NotNow("it is behind".into()))
}

pub(crate) fn not_reached() -> Reaction {
    Reaction::Fail(BatchFault::NotReached("refused".into()))
}

impl Match {
    /// A mining, and the execution phase of its round.
    pub(crate) async fn mine(&self) -> Uuid {
        let id = self.ada_sends("mining", json!({})).await;
        self.bench.advance_alone(3_000).await;
        id
    }

    /// A column of the only batch.
    fn of_batch<T: rusqlite::types::FromSql>(&self, column: &str) -> T {
        let asked = format!("SELECT {column} FROM batch");
        self.bench.database().query_row(&asked, [], |row| row.get(0)).expect("a batch")
    }
}

#[tokio::test]
async fn it_is_asked_before_its_first_batch_and_the_answer_is_noted_with_each() {
    for (health, noted) in [(ONCE, true), (ExecutorHealth::default(), false)] {
        let it = Match::new().await;
        it.bench.robots.set_health(Ok(health));
        it.bench.robots.then(Reaction::Answer("0000000000000005-9-aaaabbbb"));
        let id = it.mine().await;
        assert_eq!(it.bench.robots.probes(), 0);
        it.bench.dispatch().await;
        assert_eq!((it.bench.robots.probes(), it.states(&[id]).await), (1, vec!["dispatched".to_owned()]));
        assert_eq!(it.of_batch::<bool>("executes_once"), noted);
        assert_eq!(it.of_batch::<String>("position"), "0000000000000005-9-aaaabbbb");
        it.bench.advance(1_000).await;
        it.mine().await;
        it.bench.dispatch().await;
        assert_eq!(it.bench.robots.probes(), 1, "once is enough");
        it.bench.compare_replica().await;
    }
}

#[tokio::test]
async fn one_that_could_not_be_asked_gets_its_batch_once_and_is_asked_again() {
    let it = Match::new().await;
    it.bench.robots.set_health(Err("refused".to_owned()));
    it.bench.robots.then(unclear());
    let id = it.mine().await;
    it.bench.dispatch().await;
    assert_eq!(it.states(&[id]).await, ["unknown"]);
    it.bench.robots.set_health(Ok(ONCE));
    it.bench.advance(1_000).await;
    it.bench.robots.then(unclear());
    let next = it.mine().await;
    it.execute().await;
    assert_eq!((it.states(&[next]).await, it.bench.robots.probes()), (vec!["dispatched".to_owned()], 2));
}

#[tokio::test]
async fn a_batch_that_was_lost_or_refused_for_now_is_sent_again_with_the_same_commands() {
    for reactions in [[unclear(), unclear()], [not_now(), not_now()], [unclear(), not_reached()]] {
        let it = with_built_in(Setup::in_memory()).await;
        for reaction in reactions {
            it.bench.robots.then(reaction);
        }
        let id = it.mine().await;
        it.execute().await;
        let sent = it.bench.robots.sent();
        assert!(!sent.is_empty() && sent.iter().all(|batch| *batch == (Kind::Mining, vec![id])), "{sent:?}");
        let attempts = it.bench.robots.attempts();
        assert_eq!((attempts.len(), attempts[0]), (3, attempts[2]), "the same round and seed");
        assert_eq!(it.states(&[id]).await, ["dispatched"]);
    }
}

#[tokio::test]
async fn a_batch_that_was_never_answered_is_unknown_if_it_may_have_arrived_and_otherwise_undelivered() {
    let refused = || Reaction::Fail(BatchFault::TurnedDown("409".into()));
    // What it does first, and from then on.
    for (first, then, state) in [
        (unclear(), not_reached as fn() -> Reaction, "unknown"),
        (not_now(), unclear, "unknown"),
        (unclear(), not_now, "unknown"),
        (not_now(), not_reached, "undelivered"),
        (not_reached(), not_now, "undelivered"),
        (refused(), unclear, "undelivered"),
        (unclear(), refused, "unknown"),
    ] {
        let it = with_built_in(Setup::in_memory()).await;
        it.bench.robots.then(first);
        for _ in 0..40 {
            it.bench.robots.then(then());
        }
        let id = it.mine().await;
        it.execute().await;
        assert_eq!(it.states(&[id]).await, [state], "{:?}", it.bench.robots.attempts().len());
    }
}

#[tokio::test]
async fn a_batch_that_was_being_sent_when_the_process_died_is_sent_again_before_the_others() {
    let mut it = with_built_in(Setup::default()).await;
    let ids = one_of_each(&it).await;
    it.bench.trading.then(Reaction::Hang);
    it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    drop(sending);
    it.bench.restart().await;
    it.bench.compare_replica().await;
    assert_eq!(it.states(&ids).await, ["pending"; 6]);
    it.bench.dispatch().await;
    assert_eq!(it.states(&ids).await, ["dispatched"; 6]);
    let kinds: Vec<_> = it.bench.trading.sent().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [Kind::Selling, Kind::Selling, Kind::Buying]);
    assert_eq!(it.bench.robots.sent().len(), 4);
    it.bench.compare_replica().await;
}

#[tokio::test]
async fn it_is_unknown_if_the_phase_was_over_before() {
    let mut it = with_built_in(Setup::default()).await;
    it.bench.robots.then(Reaction::Hang);
    let id = it.mine().await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    drop(sending);
    it.bench.restart().await;
    it.bench.advance_alone(1_000).await;
    it.bench.dispatch().await;
    assert_eq!((it.states(&[id]).await, it.bench.robots.sent().len()), (vec!["unknown".to_owned()], 1));
    it.bench.compare_replica().await;
}

#[tokio::test]
async fn it_is_unknown_if_the_game_ended_before_the_next_process_began() {
    let mut it = with_built_in(Setup::default()).await;
    it.bench.robots.then(Reaction::Hang);
    let id = it.mine().await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    it.bench.end(it.game).await.is(201);
    drop(sending);
    it.bench.restart().await;
    it.bench.dispatch().await;
    assert_eq!((it.states(&[id]).await, it.bench.robots.sent().len()), (vec!["unknown".to_owned()], 1));
}

#[tokio::test]
async fn what_a_dispatcher_of_the_same_process_left_behind_is_sent_again() {
    let it = with_built_in(Setup::in_memory()).await;
    it.bench.robots.then(Reaction::Hang);
    let id = it.mine().await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    drop(sending);
    it.bench.dispatch().await;
    assert_eq!((it.states(&[id]).await, it.bench.robots.sent().len()), (vec!["dispatched".to_owned()], 2));
}

#[tokio::test]
async fn what_another_living_process_sends_is_left_to_it() {
    let it = with_built_in(Setup::in_memory()).await;
    it.bench.robots.then(Reaction::Hang);
    let id = it.mine().await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    let other = it.bench.another_replica().await;
    let dispatcher = other.service().dispatcher(starkeep_platform::tasks::Stop::new());
    dispatcher.step(EPOCH).await.expect("nothing is to be done");
    assert_eq!((it.states(&[id]).await, it.bench.robots.sent().len()), (vec!["pending".to_owned()], 1));
}

#[tokio::test]
async fn no_gap_is_kept_and_the_end_of_a_batch_and_the_beginning_of_the_next_are_one_commit() {
    let gap = Some(Duration::from_millis(200));
    for is_turbo in [false, true] {
        let it = with_built_in(Setup { batch_gap: gap, ..Setup::default() }).await;
        let ids = one_of_each(&it).await;
        it.bench.advance_alone(3_000).await;
        if is_turbo {
            it.bench.set_pace(it.game, "turbo").await.is(200);
        }
        let before = it.bench.commits().await;
        // The clock stands.
        it.bench.dispatch().await;
        // One before the first, five between two, and one after the last, which in turbo is the end of the round, too.
        assert_eq!(it.bench.commits().await - before, 7, "turbo: {is_turbo}");
        assert_eq!(it.states(&ids).await, ["dispatched"; 6]);
        let round = it.bench.time(it.game).await["roundCount"].clone();
        assert_eq!(round, if is_turbo { 2 } else { 1 });
    }
}

#[tokio::test]
async fn a_game_in_a_hurry_does_not_wait_for_an_executor_that_is_away() {
    for health in [ONCE, ExecutorHealth::default()] {
        let it = Match::in_memory().await;
        it.bench.robots.set_health(Ok(health));
        it.bench.robots.then(not_reached());
        it.bench.set_pace(it.game, "turbo").await.is(200);
        let id = it.mine().await;
        // The clock stands.
        it.bench.dispatch().await;
        assert_eq!(it.states(&[id]).await, ["undelivered"]);
        assert_eq!(it.bench.time(it.game).await["roundCount"], 2);
    }
}

#[tokio::test]
async fn commands_stand_in_a_batch_in_the_order_in_which_they_were_accepted() {
    let mut it = Match::new().await;
    let robots = [9, 3, 7, 1, 5].map(|number| Uuid::from_u128(0x200 + number));
    let mut ids = Vec::new();
    for robot in robots {
        it.bench.spawn(robot, it.ada.0).await;
        ids.push(it.send_for(robot, "mining", json!({})).await);
    }
    // Replaced, it comes last.
    ids.remove(1);
    ids.push(it.send_for(robots[1], "mining", json!({})).await);
    it.bench.restart().await;
    it.bench.advance(3_000).await;
    assert_eq!(it.bench.robots.sent(), [(Kind::Mining, ids)]);
}

#[tokio::test]
async fn all_batches_of_a_round_have_its_seed_and_the_same_game_has_the_same_ones() {
    let mut seeds = Vec::new();
    for seed in [Some(7), Some(7), Some(8), None] {
        let it = Match::in_memory().await;
        it.bench.end(it.game).await.is(201);
        let body = json!({"maxRounds": 9, "maxPlayers": 2, "duration": 4000, "seed": seed});
        let game =
            crate::harness::id_in(&it.bench.ask(starkeep_test_harness::post("/games").json(&body)).await);
        it.bench.put_in(game, it.ada.1).await.is(200);
        it.bench.start(game).await.is(201);
        let it = Match { game, ..it };
        for _ in 0..2 {
            one_of_each(&it).await;
            it.bench.advance(3_000).await;
            it.bench.advance(1_000).await;
        }
        let attempts = it.bench.robots.attempts();
        let [first, second] = [attempts[0].1, attempts[4].1];
        assert_eq!(attempts, [vec![(1, first); 4], vec![(2, second); 4]].concat());
        assert_eq!(it.bench.trading.attempts(), [(1, first), (1, first), (2, second), (2, second)]);
        seeds.push([first, second]);
    }
    assert_eq!(seeds[0], seeds[1]);
    seeds.dedup();
    let mut all = seeds.concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 6, "another seed, and another round, has another one: {seeds:?}");
}
