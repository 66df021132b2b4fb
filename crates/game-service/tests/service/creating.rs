//! `POST /games`: what comes back, what then exists, and what the map was asked for.
//! Refusals have their own file.

use serde_json::{Value, json};
use starkeep_test_harness::{START, get, post, uuid_in};

use crate::fake_map::World;
use crate::harness::{Bench, id_in};

const NONCE: &str = "0123456789abcdefABCDEF0123456789";

#[tokio::test]
async fn the_answer_is_the_id_alone_and_the_address_of_the_game() {
    let bench = Bench::in_memory().await;
    let reply = bench.ask(post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))).await;
    let game = id_in(&reply);
    assert_eq!(reply.json(), json!({"gameId": game}));
    assert_eq!(reply.header("location"), Some(&*format!("/games/{game}")));
    assert_eq!(reply.header("idempotency-replayed"), None);
    assert_eq!(game.get_version_num(), 4);
}

#[tokio::test]
async fn a_created_game_shows_every_field_of_the_interface() {
    let bench = Bench::in_memory().await;
    let game = id_in(&bench.ask(post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))).await);
    let world = bench.map.last_order().id.0;
    assert_eq!(
        bench.game(game).await,
        json!({
            "gameId": game, "name": "Game 1", "gameStatus": "created", "maxPlayers": 3, "maxRounds": 5, "currentRoundNumber": 0,
            "roundLengthInMillis": 60000, "participatingPlayers": [], "paused": false, "pace": "clock", "gameworldId": world,
            "createdAt": START, "startedAt": null, "endedAt": null,
        })
    );
}

#[tokio::test]
async fn the_world_is_ordered_once_with_all_that_the_host_asked_for() {
    let bench = Bench::in_memory().await;
    let body = json!({
        "maxRounds": 7, "maxPlayers": 12, "duration": 100, "seed": 9_007_199_254_740_991_u64, "style": "symmetric",
        "nonce": NONCE,
    });
    let game = id_in(&bench.ask(post("/games").json(&body)).await);
    let [order] = &bench.map.orders()[..] else { panic!("one order") };
    assert_eq!((order.players, order.rounds), (12, 7));
    assert_eq!((order.seed, order.style.as_deref()), (Some(9_007_199_254_740_991), Some("symmetric")));
    assert_eq!(order.nonce.as_deref(), Some(NONCE));
    let shown = bench.game(game).await;
    assert_eq!(shown["roundLengthInMillis"], 100);
    assert_eq!(uuid_in(&shown, "gameworldId"), order.id.0);
    assert_eq!(bench.map.world(order.id.0), Some(World::Active));
}

#[tokio::test]
async fn optional_fields_may_be_null_and_unknown_ones_are_ignored() {
    let bench = Bench::in_memory().await;
    let body = json!({
        "maxRounds": 5, "maxPlayers": 3, "duration": null, "seed": null, "style": null,
        "gameId": "mine", "players": [1, {"deep": {}}], "": 0,
    });
    let game = id_in(&bench.ask(post("/games").json(&body)).await);
    assert_eq!(bench.game(game).await["roundLengthInMillis"], 60_000);
    let order = bench.map.last_order();
    assert_eq!((order.seed, order.style), (None, None));
}

#[tokio::test]
async fn both_ends_of_every_bound_are_allowed() {
    let bench = Bench::in_memory().await;
    for (rounds, players, duration) in [(1, 1, 100), (1_000_000, 10_000, 86_400_000)] {
        let body = json!({"maxRounds": rounds, "maxPlayers": players, "duration": duration});
        let shown = bench.game(id_in(&bench.ask(post("/games").json(&body)).await)).await;
        assert_eq!(
            (&shown["maxRounds"], &shown["maxPlayers"], &shown["roundLengthInMillis"]),
            (&json!(rounds), &json!(players), &json!(duration))
        );
    }
}

#[tokio::test]
async fn json_may_be_declared_in_several_ways() {
    let bench = Bench::in_memory().await;
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.game+json"] {
        let request = post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}));
        id_in(&bench.ask(request.header("content-type", kind)).await);
    }
}

#[tokio::test]
async fn the_creation_is_told_once_with_exactly_the_agreed_fields() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let [created] = &bench.events()[..] else { panic!("one event") };
    assert_eq!((created.channel.as_str(), created.game), ("status", game));
    assert_eq!(created.payload, json!({"gameId": game, "status": "created"}));
    assert_eq!(created.at_millis, bench.wall().as_millisecond());
    assert!(!created.transaction.is_nil() && created.transaction != created.event_id);
}

#[tokio::test]
async fn a_body_of_a_mebibyte_is_taken() {
    let bench = Bench::in_memory().await;
    let mut body = json!({"maxRounds": 5, "maxPlayers": 3}).to_string();
    body.push_str(&" ".repeat(1024 * 1024 - body.len()));
    id_in(&bench.ask(post("/games").text(body)).await);
}

#[tokio::test]
async fn several_games_may_be_created_side_by_side() {
    let bench = Bench::in_memory().await;
    let running = bench.running(5).await;
    let created = [bench.create(5, 3).await, bench.create(5, 3).await];
    let statuses: Vec<_> = bench
        .games()
        .await
        .into_iter()
        .map(|game| (uuid_in(&game, "gameId"), game["gameStatus"].clone()))
        .collect();
    assert_eq!(statuses.len(), 3);
    assert!(statuses.contains(&(running, json!("running"))));
    assert!(created.iter().all(|id| statuses.contains(&(*id, json!("created")))));
}

#[tokio::test]
async fn who_joined_is_listed_in_the_order_of_joining() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let players = [bench.join(game).await, bench.join(game).await, bench.join(game).await];
    assert_eq!(bench.game(game).await["participatingPlayers"], json!(players));
    let joined = bench.events_but_roster().pop().unwrap();
    assert_eq!(joined.payload, json!({"playerId": players[2], "name": "somebody"}));
    assert_eq!((joined.channel.as_str(), joined.game), ("playerStatus", game));
}

#[tokio::test]
async fn a_join_is_told_as_the_existing_service_tells_it_to_the_letter() {
    let recorded = include_str!("../../../starkeep/tests/fixtures/kafka.jsonl").lines();
    let mut recorded = recorded.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let recorded = recorded.find(|record| record["topic"] == "playerStatus").unwrap();
    let recorded = recorded["value"].as_str().unwrap();
    let payload: Value = serde_json::from_str(recorded).unwrap();
    let (its_player, its_name) = (payload["playerId"].as_str().unwrap(), payload["name"].as_str().unwrap());

    let bench = Bench::msd().await;
    let game = bench.create(5, 3).await;
    let player = bench.join(game).await;
    let select = "SELECT payload FROM event_log WHERE channel = 'playerStatus'";
    let logged: String = bench.database().query_row(select, [], |row| row.get(0)).unwrap();
    let expected = recorded.replace(its_player, &player.to_string()).replace(its_name, "somebody");
    assert_eq!(logged, expected);
}

#[tokio::test]
async fn joining_is_refused_for_its_reasons_in_their_order() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 1).await;
    let first = bench.join(game).await;
    let other = uuid::Uuid::from_u128(77);
    assert!(bench.try_join(game, first).await.unwrap_err().contains("AlreadyJoined"));
    assert!(bench.try_join(game, other).await.unwrap_err().contains("GameFull"));
    bench.start(game).await.is(201);
    assert!(bench.try_join(game, first).await.unwrap_err().contains("NotCreated"));
    assert!(bench.try_join(other, first).await.unwrap_err().contains("UnknownGame"));
    assert_eq!(
        bench.ask(get(format!("/games/{game}"))).await.is(200)["participatingPlayers"],
        json!([first])
    );
    assert_eq!(bench.history(game).iter().filter(|word| *word == "joined").count(), 1);
}

#[tokio::test]
async fn an_empty_service_lists_nothing() {
    let bench = Bench::in_memory().await;
    assert_eq!(bench.games().await, Vec::<Value>::new());
}
