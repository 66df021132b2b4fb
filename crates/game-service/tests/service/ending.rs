//! `POST …/gameCommands/end`: what it answers, what it publishes, and that it never waits for the map.
//! Ends that the clock brings are in `rounds`, those that fewer rounds bring in `changing`.

use serde_json::json;
use starkeep_test_harness::{START, uuid_in};

use crate::fake_map::World;
use crate::harness::Bench;

#[tokio::test]
async fn an_ended_game_comes_back_whole_and_keeps_its_last_round() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    let running = bench.game(game).await;
    bench.advance(4_000).await;
    let reply = bench.end(game).await;
    assert_eq!(
        reply.is(201),
        json!({
            "gameId": game, "name": "Game 1", "gameStatus": "ended", "maxPlayers": 2, "maxRounds": 9, "currentRoundNumber": 2,
            "roundLengthInMillis": 4000, "participatingPlayers": running["participatingPlayers"],
            "gameworldId": running["gameworldId"], "paused": false, "pace": "clock",
            "createdAt": START, "startedAt": START, "endedAt": "2026-01-01T00:00:04Z",
        })
    );
    assert_eq!(bench.game(game).await, reply.json());
}

#[tokio::test]
async fn an_end_during_collection_closes_the_input_and_the_round_first() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(1_000).await;
    bench.end(game).await.is(201);
    let history = bench.history(game);
    assert_eq!(
        history[3..],
        ["started", "1 started", "1 command input ended", "1 ended", "ended"].map(str::to_owned)
    );
}

#[tokio::test]
async fn an_end_during_execution_closes_the_round_alone() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    bench.advance(3_000).await;
    let before = bench.events().len();
    bench.end(game).await.is(201);
    let words: Vec<_> = bench.events()[before..].iter().map(crate::log::Logged::words).collect();
    assert_eq!(words, ["1 ended", "roster ended", "ended"]);
}

#[tokio::test]
async fn a_created_game_may_be_cancelled() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 2).await;
    let ended = bench.end(game).await.is(201);
    assert_eq!(
        (&ended["gameStatus"], &ended["currentRoundNumber"], &ended["startedAt"], &ended["endedAt"]),
        (&json!("ended"), &json!(0), &json!(null), &json!(START))
    );
    assert_eq!(bench.history(game), ["created", "ended"]);
}

#[tokio::test]
async fn ending_waits_for_no_map_and_its_world_becomes_inactive_later() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    let world = uuid_in(&bench.game(game).await, "gameworldId");
    bench.map.refuse_retirements(true);
    bench.end(game).await.is(201);
    assert!(bench.care().await.is_err());
    assert_eq!(bench.map.world(world), Some(World::Active));
    bench.map.refuse_retirements(false);
    bench.care().await.unwrap();
    assert_eq!(bench.map.world(world), Some(World::Inactive));
    assert_eq!(bench.pending().1, 0);
}

#[tokio::test]
async fn the_end_of_one_game_makes_room_for_the_next() {
    let bench = Bench::in_memory().await;
    let first = bench.running(9).await;
    let second = bench.create(9, 2).await;
    bench.start(second).await.refused(409, "another-game-runs", None);
    bench.end(first).await.is(201);
    bench.start(second).await.is(201);
}

#[tokio::test]
async fn of_many_ends_at_once_one_ends_the_game() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    let ends: Vec<_> = (0..16).map(|_| bench.end(game)).collect();
    let replies = futures::future::join_all(ends).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        reply.refused(409, "game-ended", None);
    }
    assert_eq!(bench.history(game).iter().filter(|word| *word == "ended").count(), 1);
}
