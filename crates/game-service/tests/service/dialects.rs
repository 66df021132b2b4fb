//! Where the msd dialect differs from the interface, one promise each, with both dialects side by side.
//! All else is the same in both, and tested in the standard one.

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_test_harness::{delete, get, post, uuid_in};
use uuid::Uuid;

use crate::fake_map::World;
use crate::harness::{Bench, Setup};

async fn both() -> [(Bench, bool); 2] {
    [(Bench::in_memory().await, false), (Bench::msd_in_memory().await, true)]
}

#[tokio::test]
async fn a_running_game_is_running_or_started() {
    for (bench, msd) in both().await {
        let word = if msd { "started" } else { "running" };
        let game = bench.create(5, 2).await;
        assert_eq!(bench.game(game).await["gameStatus"], "created");
        assert_eq!(bench.start(game).await.is(201)["gameStatus"], word);
        assert_eq!(bench.game(game).await["gameStatus"], word);
        assert_eq!(bench.games().await[0]["gameStatus"], word);
        assert_eq!(bench.set_rounds(game, 6).await.is(200)["gameStatus"], word);
        assert_eq!(bench.end(game).await.is(201)["gameStatus"], "ended");
    }
}

#[tokio::test]
async fn before_the_first_round_there_is_zero_or_nothing() {
    for (bench, msd) in both().await {
        let zero = if msd { Value::Null } else { json!(0) };
        let game = bench.create(5, 2).await;
        assert_eq!(bench.game(game).await["currentRoundNumber"], zero);
        let unstarted = json!({
            "gameTime": zero, "roundCount": zero, "roundTime": zero, "gameTimeInMillis": zero,
            "roundTimeInMillis": zero, "phase": null, "phaseEndsInMillis": null, "paused": false,
        });
        assert_eq!(bench.time(game).await, unstarted);
        bench.start(game).await.is(201);
        let begun = json!({
            "gameTime": 0, "roundCount": 1, "roundTime": 0, "gameTimeInMillis": 0, "roundTimeInMillis": 0,
            "phase": "collection", "phaseEndsInMillis": 3000, "paused": false,
        });
        assert_eq!(bench.time(game).await, begun, "from the first round on both say the same");
        assert_eq!(bench.game(game).await["currentRoundNumber"], 1);
        bench.end(game).await.is(201);
        let cancelled = bench.create(5, 2).await;
        assert_eq!(bench.end(cancelled).await.is(201)["currentRoundNumber"], zero);
        assert_eq!(bench.time(cancelled).await, unstarted);
    }
}

#[tokio::test]
async fn the_list_has_every_game_or_only_the_active_ones() {
    for (bench, msd) in both().await {
        let ended = bench.create(5, 2).await;
        bench.end(ended).await.is(201);
        bench.advance(1_000).await;
        let active = bench.create(5, 2).await;
        let listed: Vec<_> = bench.games().await.iter().map(|game| uuid_in(game, "gameId")).collect();
        assert_eq!(listed, if msd { vec![active] } else { vec![active, ended] });
        let asked_for = bench.ask(get("/games?status=ended")).await.is(200);
        assert_eq!(asked_for.as_array().unwrap().len(), usize::from(!msd));
        assert_eq!(bench.game(ended).await["gameStatus"], "ended", "alone it is shown in both");
    }
}

#[tokio::test]
async fn another_active_game_stands_in_the_way_of_a_creation_or_does_not() {
    for (bench, msd) in both().await {
        let request = || post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 2}));
        let first = bench.create(5, 2).await;
        for _ in 0..2 {
            let reply = bench.ask(request()).await;
            if msd {
                let detail = reply.refused(403, "active-game-exists", None);
                assert!(detail.contains(&first.to_string()), "{detail}");
                assert!(reply.json().get("gameId").is_none());
            } else {
                reply.is(201);
            }
            // First beside a created game, then beside a running one.
            let _ = bench.start(first).await;
        }
        bench.end(first).await.is(201);
        bench.ask(request()).await.is(201);
    }
}

#[tokio::test]
async fn of_many_creations_at_once_one_or_all_succeed() {
    for (bench, msd) in both().await {
        let request = || post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 2}));
        let replies = futures::future::join_all((0..16).map(|_| bench.ask(request()))).await;
        let created = replies.iter().filter(|reply| reply.status == 201).count();
        assert_eq!(created, if msd { 1 } else { 16 });
        assert_eq!(bench.games().await.len(), created);
    }
}

#[tokio::test]
async fn the_world_is_made_at_the_creation_or_at_the_start() {
    for (bench, msd) in both().await {
        let game = bench.create(5, 3).await;
        let shown = bench.game(game).await["gameworldId"].clone();
        if msd {
            assert_eq!((shown, bench.map.orders().len()), (Value::Null, 0));
        } else {
            assert_eq!((shown.is_string(), bench.map.last_order().players), (true, 3));
        }
        for _ in 0..3 {
            bench.join(game).await;
        }
        let started = bench.start(game).await.is(201);
        let [order] = &bench.map.orders()[..] else { panic!("one world in both") };
        assert_eq!((order.players, order.id.0), (3, uuid_in(&started, "gameworldId")));
    }
}

#[tokio::test]
async fn a_world_made_at_the_start_is_sized_for_those_who_joined() {
    let bench = Bench::msd_in_memory().await;
    for (joined, sized_for) in [(0, 1), (1, 1), (4, 4)] {
        let game = bench.create(5, 5).await;
        for _ in 0..joined {
            bench.join(game).await;
        }
        bench.start(game).await.is(201);
        assert_eq!(bench.map.last_order().players, sized_for);
        bench.end(game).await.is(201);
        bench.care().await.unwrap();
    }
    assert!(bench.map.worlds().values().all(|world| *world == World::Inactive));
}

#[tokio::test]
async fn a_state_conflict_is_409_or_403_and_no_other_code_follows_the_dialect() {
    for (bench, msd) in both().await {
        let conflict = if msd { 403 } else { 409 };
        let game = bench.create(5, 2).await;
        bench.ask(delete(format!("/games/{game}"))).await.refused(conflict, "game-not-ended", None);
        bench.start(game).await.is(201);
        bench.start(game).await.refused(conflict, "game-not-created", None);
        bench.end(game).await.is(201);
        bench.end(game).await.refused(conflict, "game-ended", None);
        bench.set_rounds(game, 6).await.refused(conflict, "game-ended", None);
        bench.set_duration(game, 6_000).await.refused(conflict, "game-ended", None);
        bench.set_duration(game, 1).await.refused(422, "invalid-field", Some("duration"));
        bench.start(Uuid::from_u128(5)).await.refused(404, "unknown-game", None);
    }
}

#[tokio::test]
async fn the_shortest_round_takes_100_or_2000_milliseconds() {
    for (bench, msd) in both().await {
        let least = if msd { 2_000 } else { 100 };
        let body = |duration| json!({"maxRounds": 5, "maxPlayers": 2, "duration": duration});
        let refused = bench.ask(post("/games").json(&body(least - 1))).await;
        let detail = refused.refused(422, "invalid-field", Some("duration"));
        assert!(detail.contains(&format!("from {least} to 86400000")), "{detail}");
        let game = crate::harness::id_in(&bench.ask(post("/games").json(&body(least))).await);
        bench.set_duration(game, least - 1).await.refused(422, "invalid-field", Some("duration"));
        assert_eq!(bench.set_duration(game, least).await.is(200)["roundLengthInMillis"], least);
    }
}

#[tokio::test]
async fn events_use_the_same_words_in_both() {
    let mut histories = Vec::new();
    for (bench, _) in both().await {
        let game = bench.running(1).await;
        bench.advance(3_000).await;
        bench.advance(1_000).await;
        histories.push(bench.history(game));
    }
    assert_eq!(histories[0], histories[1]);
    assert_eq!(histories[0].iter().filter(|word| *word == "started").count(), 1);
}

#[tokio::test]
async fn a_game_of_one_dialect_goes_on_in_the_other() {
    let mut bench = Bench::new().await;
    let game = bench.running(2).await;
    bench.restart_with(Setup { dialect: Dialect::Msd, ..Setup::default() }).await;
    assert_eq!(bench.game(game).await["gameStatus"], "started");
    bench.advance(4_000).await;
    bench.advance(4_000).await;
    assert_eq!(bench.game(game).await["gameStatus"], "ended");
}
