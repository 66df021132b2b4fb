//! `POST …/gameCommands/start`: the world that fits, the races, and what is refused while a start is under way.
//! What a crash or a faulty map leaves of a start is in `crashes` and `map_faults`.

use serde_json::json;
use starkeep_test_harness::{START, get, post, uuid_in};

use crate::fake_map::World;
use crate::harness::{Bench, Setup};

#[tokio::test]
async fn a_started_game_comes_back_whole_with_round_one_open() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 2).await;
    let players = [bench.join(game).await, bench.join(game).await];
    bench.advance(2_500).await;
    let reply = bench.start(game).await;
    assert_eq!(
        reply.is(201),
        json!({
            "gameId": game, "name": "Game 1", "gameStatus": "running", "maxPlayers": 2, "maxRounds": 9, "currentRoundNumber": 1,
            "roundLengthInMillis": 4000, "participatingPlayers": players,
            "gameworldId": bench.map.last_order().id.0, "paused": false, "pace": "clock",
            "createdAt": START, "startedAt": "2026-01-01T00:00:02.5Z", "endedAt": null,
        })
    );
    assert_eq!(bench.game(game).await, reply.json());
    assert_eq!(bench.history(game), ["created", "joined", "joined", "started", "1 started"]);
}

#[tokio::test]
async fn the_start_is_told_with_exactly_the_agreed_fields() {
    let bench = Bench::in_memory().await;
    let game = bench.running(9).await;
    let events = bench.events_but_roster();
    let [.., started, round] = &events[..] else { panic!("two events") };
    assert_eq!(started.payload, json!({"gameId": game, "status": "started"}));
    let id = uuid_in(&round.payload, "roundId");
    assert_eq!(
        round.payload,
        json!({"gameId": game, "roundId": id, "roundNumber": 1, "roundStatus": "started"})
    );
    assert_eq!((started.channel.as_str(), round.channel.as_str()), ("status", "roundStatus"));
}

#[tokio::test]
async fn the_world_is_kept_when_every_seat_is_taken() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 2).await;
    let world = bench.game(game).await["gameworldId"].clone();
    bench.join(game).await;
    bench.join(game).await;
    assert_eq!(bench.start(game).await.is(201)["gameworldId"], world);
    assert_eq!(bench.map.orders().len(), 1);
    bench.care().await.unwrap();
    assert_eq!(bench.map.worlds().into_values().collect::<Vec<_>>(), [World::Active]);
}

#[tokio::test]
async fn a_world_for_those_who_joined_replaces_one_that_does_not_fit() {
    let bench = Bench::in_memory().await;
    for (joined, sized_for) in [(0, 1), (1, 1), (2, 2)] {
        let game = bench.create(9, 3).await;
        let first = uuid_in(&bench.game(game).await, "gameworldId");
        for _ in 0..joined {
            bench.join(game).await;
        }
        bench.set_rounds(game, 11).await.is(200);
        let second = uuid_in(&bench.start(game).await.is(201), "gameworldId");
        let order = bench.map.last_order();
        assert_eq!((order.id.0, order.players, order.rounds), (second, sized_for, 11), "{joined} joined");
        assert_ne!(first, second);
        bench.care().await.unwrap();
        assert_eq!([first, second].map(|id| bench.map.world(id)), [Some(World::Sealed), Some(World::Active)]);
        bench.end(game).await.is(201);
    }
}

#[tokio::test]
async fn what_the_host_gave_is_used_again_for_the_world_that_replaces_the_first() {
    let nonce = "0123456789abcdefABCDEF0123456789";
    for (given, seed, nonce, style) in [
        (json!({"seed": 4711, "style": "wild"}), Some(4711), None, Some("wild")),
        (json!({"seed": 0, "nonce": nonce}), Some(0), Some(nonce), None),
        (json!({"nonce": nonce, "style": "symmetric"}), None, Some(nonce), Some("symmetric")),
        // The map draws a seed for each.
        (json!({}), None, None, None),
    ] {
        let mut bench = Bench::new().await;
        let mut body = given;
        body["maxRounds"] = json!(9);
        body["maxPlayers"] = json!(3);
        let game = crate::harness::id_in(&bench.ask(post("/games").json(&body)).await);
        bench.compare_replica().await;
        bench.restart().await;
        bench.start(game).await.is(201);
        let orders = bench.map.orders();
        let asked = orders.iter().map(|order| (order.seed, order.nonce.as_deref(), order.style.as_deref()));
        assert_eq!(asked.collect::<Vec<_>>(), [(seed, nonce, style); 2]);
        assert_eq!((orders[0].players, orders[1].players), (3, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_racing_starts_of_two_games_exactly_one_wins() {
    let bench = Bench::new().await;
    let games = [bench.create(9, 2).await, bench.create(9, 2).await];
    let racing: Vec<_> = (0..32)
        .map(|number| {
            tokio::spawn(bench.ask(post(format!("/games/{}/gameCommands/start", games[number % 2]))))
        })
        .collect();
    let mut won = 0;
    for start in racing {
        let reply = start.await.unwrap();
        match reply.status {
            201 => won += 1,
            _ => assert_eq!(reply.status, 409, "{reply:?}"),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(bench.count("game WHERE status = 'running'"), 1);
    assert_eq!(bench.count("game WHERE slot IS NOT NULL"), 1);
    let running = bench.ask(get("/games?status=running")).await.is(200);
    let winner = uuid_in(&running[0], "gameId");
    let loser = games.into_iter().find(|game| *game != winner).unwrap();
    assert_eq!(bench.history(winner), ["created", "started", "1 started"]);
    assert_eq!(bench.history(loser), ["created"]);

    bench.care().await.unwrap();
    let kept = [uuid_in(&running[0], "gameworldId"), uuid_in(&bench.game(loser).await, "gameworldId")];
    let active = bench.map.worlds().into_iter().filter(|(_, world)| *world == World::Active);
    let mut active: Vec<_> = active.map(|(id, _)| id.0).collect();
    active.sort_unstable_by_key(|id| kept.iter().position(|kept| kept == id));
    assert_eq!(active, kept, "no start left a world behind");
}

#[tokio::test]
async fn as_many_games_run_as_the_host_allows() {
    let bench = Bench::with(Setup { running_games: 2, ..Setup::in_memory() }).await;
    let games = [bench.create(9, 1).await, bench.create(9, 1).await, bench.create(9, 1).await];
    bench.start(games[0]).await.is(201);
    bench.start(games[1]).await.is(201);
    bench.start(games[2]).await.refused(409, "another-game-runs", None);
    bench.end(games[0]).await.is(201);
    bench.start(games[2]).await.is(201);
}

#[tokio::test]
async fn a_lower_limit_stops_no_game_and_lets_none_start_until_it_fits() {
    let mut bench = Bench::with(Setup { running_games: 2, ..Setup::default() }).await;
    let games = [bench.create(1, 1).await, bench.create(2, 1).await, bench.create(2, 1).await];
    bench.start(games[0]).await.is(201);
    bench.start(games[1]).await.is(201);
    bench.restart_with(Setup::default()).await;
    bench.start(games[2]).await.refused(409, "another-game-runs", None);
    bench.advance(4_000).await;
    assert_eq!(bench.game(games[0]).await["gameStatus"], "ended");
    bench.start(games[2]).await.refused(409, "another-game-runs", None);
    bench.advance(4_000).await;
    assert_eq!(bench.game(games[1]).await["gameStatus"], "ended");
    bench.start(games[2]).await.is(201);
}

#[tokio::test]
async fn while_a_start_is_under_way_nobody_joins_and_no_other_start_begins() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 3).await;
    let other = bench.create(9, 3).await;
    let joined = bench.join(game).await;
    bench.map.hold_orders();
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.map.orders_received(3).await;

    assert!(bench.try_join(game, uuid::Uuid::from_u128(9)).await.unwrap_err().contains("StartUnderWay"));
    bench.start(game).await.refused(409, "start-under-way", None);
    let detail = bench.start(other).await.refused(409, "another-game-runs", None);
    assert!(detail.contains(&game.to_string()), "{detail}");
    assert_eq!(bench.game(game).await["gameStatus"], "created");
    assert_eq!(bench.map.last_order().players, 1);
    bench.join(other).await;

    bench.map.release();
    let started = start.await.unwrap().is(201);
    assert_eq!(
        (&started["gameStatus"], &started["participatingPlayers"]),
        (&json!("running"), &json!([joined]))
    );
}

#[tokio::test]
async fn settings_changed_while_a_start_is_under_way_hold_from_round_one_on() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 3).await;
    bench.map.hold_orders();
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.map.orders_received(2).await;
    bench.set_duration(game, 8_000).await.is(200);
    bench.set_rounds(game, 3).await.is(200);
    bench.advance(60_000).await;
    bench.map.release();
    let started = start.await.unwrap().is(201);
    assert_eq!((&started["maxRounds"], &started["roundLengthInMillis"]), (&json!(3), &json!(8_000)));
    assert_eq!(started["startedAt"], "2026-01-01T00:01:00Z");
    assert_eq!(bench.time(game).await["phaseEndsInMillis"], 6_000, "the waiting does not count");
}

#[tokio::test]
async fn an_end_withdraws_a_start_under_way() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 3).await;
    let first = uuid_in(&bench.game(game).await, "gameworldId");
    bench.map.hold_orders();
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.map.orders_received(2).await;
    bench.end(game).await.is(201);
    bench.map.release();
    start.await.unwrap().refused(409, "start-withdrawn", None);
    bench.care().await.unwrap();
    assert_eq!(bench.history(game), ["created", "ended"]);
    assert_eq!(bench.map.world(first), Some(World::Inactive));
    assert_eq!(bench.map.world(bench.map.last_order().id.0), Some(World::Deleted));
    let next = bench.create(9, 3).await;
    bench.start(next).await.is(201);
}

#[tokio::test]
async fn a_withdrawn_start_is_a_conflict_also_when_the_map_has_heard_of_it_first() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 3).await;
    bench.map.hold_orders();
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.map.orders_received(2).await;
    bench.end(game).await.is(201);
    bench.care().await.unwrap();
    bench.map.release();
    start.await.unwrap().refused(409, "start-withdrawn", None);
    assert_eq!(bench.map.world(bench.map.last_order().id.0), None);
}
