//! Between the start of a game and its first round: a countdown in which the game runs without an open round.

use std::time::Duration;

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_test_harness::{StoreKind, get, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::playing::Match;

const DELAY: Duration = Duration::from_secs(1);

fn delayed(store: StoreKind) -> Setup {
    Setup { store, dialect: Dialect::Msd, start_delay: Some(DELAY), ..Setup::default() }
}

impl Bench {
    /// What the clock shows of the game's first round: none yet, or how long it has been open.
    async fn first_round_open_for(&self, game: Uuid) -> Option<u64> {
        let time = self.time(game).await;
        (time["roundCount"] == 1).then(|| time["roundTimeInMillis"].as_u64().expect("milliseconds"))
    }
}

#[tokio::test]
async fn the_start_is_told_at_once_and_the_first_round_the_delay_later() {
    let it = Match::with(delayed(StoreKind::Memory)).await;
    let shown = it.bench.game(it.game).await;
    assert_eq!((&shown["gameStatus"], &shown["currentRoundNumber"]), (&json!("started"), &Value::Null));
    assert_eq!(it.bench.history(it.game).last().expect("history"), "started");
    it.bench.advance(999).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, None);
    it.bench.advance(1).await;
    assert_eq!(it.bench.history(it.game).last().expect("history"), "1 started");
    it.bench.advance(2_999).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, Some(2_999));
    it.bench.advance(1).await;
    assert_eq!(it.bench.time(it.game).await["phase"], "execution", "it has its full length");
}

#[tokio::test]
async fn without_a_word_of_the_host_the_existing_clients_have_five_seconds() {
    for (dialect, delay) in [(Dialect::Standard, 0), (Dialect::Msd, 5_000)] {
        let it = Match::with(Setup { dialect, start_delay: None, ..Setup::in_memory() }).await;
        if delay > 0 {
            it.bench.advance(2_500).await;
            it.bench.beat().await;
            it.bench.advance(2_499).await;
            it.bench.beat().await;
            assert_eq!(it.bench.first_round_open_for(it.game).await, None);
            it.bench.advance(1).await;
        }
        assert_eq!(it.bench.first_round_open_for(it.game).await, Some(0), "{dialect:?}");
    }
}

#[tokio::test]
async fn commands_before_the_first_round_are_a_conflict_that_says_when_it_begins() {
    let it = Match::with(delayed(StoreKind::Memory)).await;
    it.bench.advance(400).await;
    let command = post("/commands").json(&it.of_ada("mining", &json!({})));
    let refused = it.bench.ask(command).await;
    assert_eq!(refused.status, 403, "a conflict in this dialect");
    let detail = refused.json()["detail"].as_str().expect("a text").to_owned();
    assert!(detail.ends_with("begins in 600 ms"), "{detail}");
    it.bench.advance(600).await;
    it.ada_sends("mining", json!({})).await;
}

#[tokio::test]
async fn the_first_round_begins_once_whenever_the_process_is_killed_before() {
    for killed_after in [0, 1, 500, 999] {
        let mut it = Match::with(delayed(StoreKind::Sqlite)).await;
        it.bench.advance(killed_after).await;
        it.bench.beat().await;
        it.bench.restart().await;
        it.bench.compare_replica().await;
        assert_eq!(it.bench.first_round_open_for(it.game).await, None, "killed after {killed_after}");
        it.bench.advance(1_000 - killed_after).await;
        assert_eq!(it.bench.first_round_open_for(it.game).await, Some(0), "killed after {killed_after}");
        it.bench.restart().await;
        let rounds = it.bench.history(it.game).into_iter().filter(|event| event.ends_with("started"));
        assert_eq!(rounds.collect::<Vec<_>>(), ["started", "1 started"]);
    }
}

#[tokio::test]
async fn a_pause_keeps_what_is_left_of_the_countdown() {
    let it = Match::with(delayed(StoreKind::Memory)).await;
    it.bench.advance(400).await;
    let paused = it.bench.order(it.game, "pause").await.is(201);
    assert_eq!((&paused["paused"], &paused["currentRoundNumber"]), (&json!(true), &Value::Null));
    assert_eq!(it.bench.time(it.game).await["paused"], true);
    it.bench.advance(9_000).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, None);
    it.bench.order(it.game, "resume").await.is(201);
    it.bench.advance(599).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, None);
    it.bench.advance(1).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, Some(0));
}

#[tokio::test]
async fn a_step_begins_the_first_round_and_plays_it() {
    let it = Match::with(delayed(StoreKind::Memory)).await;
    it.bench.order(it.game, "step").await.refused(403, "game-not-paused", None);
    it.bench.order(it.game, "pause").await.is(201);
    let stepped = it.bench.order(it.game, "step").await.is(201);
    assert_eq!((&stepped["currentRoundNumber"], &stepped["paused"]), (&json!(2), &json!(true)));
    let history = it.bench.history(it.game);
    let rounds: Vec<_> = history.iter().skip_while(|event| *event != "1 started").collect();
    assert_eq!(rounds, ["1 started", "1 command input ended", "1 ended", "2 started", "clock stepped"]);
}

#[tokio::test]
async fn a_game_that_is_ended_before_its_first_round_has_played_none() {
    let it = Match::with(delayed(StoreKind::Memory)).await;
    it.bench.advance(500).await;
    let ended = it.bench.end(it.game).await.is(201);
    assert_eq!((&ended["gameStatus"], &ended["currentRoundNumber"]), (&json!("ended"), &Value::Null));
    assert_eq!(it.bench.history(it.game).last().expect("history"), "ended");
    it.bench.advance(1_000).await;
    assert_eq!(it.bench.history(it.game).last().expect("history"), "ended");
    it.bench.ask(get(format!("/games/{}/time", it.game))).await.is(200);
}

#[tokio::test]
async fn joins_stay_closed_in_the_countdown() {
    let it = Match::with(delayed(StoreKind::Memory)).await;
    let (_, token) = it.bench.register("carol").await;
    assert_eq!(it.bench.put_in(it.game, token).await.status, 403);
}

#[tokio::test]
async fn a_freeze_in_the_countdown_is_like_one_in_a_phase() {
    let it = Match::with(delayed(StoreKind::Memory)).await;
    it.bench.advance(100).await;
    it.bench.beat().await;
    // Longer than a round of 4 s: the countdown goes on where it was.
    it.bench.advance(9_000).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, None);
    it.bench.advance(899).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, None);
    it.bench.advance(1).await;
    assert_eq!(it.bench.first_round_open_for(it.game).await, Some(0));
}
