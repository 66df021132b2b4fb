//! Games that are played in a gameworld that the host names: which one may be named, that it is kept, and what becomes of it.
//! When such a world is replenished is in `replenishing`.

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_game_core::ReplenishmentMode;
use starkeep_test_harness::{Reply, StoreKind, TestRequest, delete, post, uuid_in};
use uuid::Uuid;

use crate::fake_map::{Behaviour, World};
use crate::harness::{Bench, Setup, id_in};

const WORLD: Uuid = Uuid::from_u128(0x0f0f_0000_0000_4000_8000_0000_0000_0001);
const DIALECTS: [Dialect; 2] = [Dialect::Standard, Dialect::Msd];

fn creation() -> Value {
    json!({"maxRounds": 5, "maxPlayers": 3, "duration": 4000, "gameworldId": WORLD})
}

fn creation_in(world: Uuid) -> TestRequest {
    let mut body = creation();
    body["gameworldId"] = json!(world);
    post("/games").json(&body)
}

/// With that world at the map.
async fn bench(setup: Setup) -> Bench {
    let bench = Bench::with(setup).await;
    bench.map.add_world(WORLD, ReplenishmentMode::OnRequest);
    bench
}

/// Asks for something that is refused, and sees that nothing comes of it.
async fn refused(bench: &Bench, request: TestRequest, status: u16, code: &str) -> String {
    let before = (bench.games().await, bench.events(), bench.pending(), bench.map.worlds());
    let detail = bench.ask(request).await.refused(status, code, None);
    let after = (bench.games().await, bench.events(), bench.pending(), bench.map.worlds());
    assert_eq!(before, after, "{code}");
    detail
}

#[tokio::test]
async fn the_world_is_kept_however_many_join_and_goes_with_the_game() {
    for dialect in DIALECTS {
        for joined in 0..=3 {
            let mut bench = bench(Setup { dialect, ..Setup::default() }).await;
            let game = id_in(&bench.ask(post("/games").json(&creation())).await);
            assert_eq!(uuid_in(&bench.game(game).await, "gameworldId"), WORLD);
            for _ in 0..joined {
                bench.join(game).await;
            }
            bench.compare_replica().await;
            bench.restart().await;
            let started = bench.start(game).await.is(201);
            assert_eq!(uuid_in(&started, "gameworldId"), WORLD);
            assert_eq!(bench.map.orders(), [], "no world is made");
            bench.care().await.unwrap();
            assert_eq!(bench.map.world(WORLD), Some(World::Active));

            bench.end(game).await.is(201);
            bench.care().await.unwrap();
            assert_eq!(bench.map.world(WORLD), Some(World::Inactive), "{dialect:?}");
            assert_eq!(bench.ask(delete(format!("/games/{game}"))).await.status, 204);
            bench.care().await.unwrap();
            assert_eq!(bench.map.world(WORLD), Some(World::Deleted));
            bench.compare_replica().await;
        }
    }
}

#[tokio::test]
async fn a_game_that_is_cancelled_makes_its_world_inactive() {
    let bench = bench(Setup::in_memory()).await;
    let game = id_in(&bench.ask(post("/games").json(&creation())).await);
    bench.end(game).await.is(201);
    // Until the map has heard of it, too.
    let detail = refused(&bench, creation_in(WORLD), 409, "gameworld-inactive").await;
    assert!(detail.contains(&WORLD.to_string()), "{detail}");
    bench.care().await.unwrap();
    assert_eq!(bench.map.world(WORLD), Some(World::Inactive));
    refused(&bench, creation_in(WORLD), 409, "gameworld-inactive").await;
}

#[tokio::test]
async fn a_world_that_is_not_there_or_not_active_is_refused() {
    for (dialect, status) in DIALECTS.into_iter().zip([409, 403]) {
        let bench = bench(Setup { dialect, ..Setup::in_memory() }).await;
        refused(&bench, creation_in(Uuid::from_u128(7)), status, "no-such-gameworld").await;
        bench.map.set_world(WORLD, World::Inactive);
        refused(&bench, creation_in(WORLD), status, "gameworld-inactive").await;
        bench.map.set_world(WORLD, World::Deleted);
        refused(&bench, creation_in(WORLD), status, "no-such-gameworld").await;
    }
}

#[tokio::test]
async fn a_world_that_another_game_uses_is_refused() {
    for is_given in [true, false] {
        let bench = bench(Setup::in_memory()).await;
        let other =
            if is_given { id_in(&bench.ask(creation_in(WORLD)).await) } else { bench.create(5, 3).await };
        let world = uuid_in(&bench.game(other).await, "gameworldId");
        let detail = refused(&bench, creation_in(world), 409, "gameworld-in-use").await;
        assert_eq!(detail, format!("gameworld {world} is used by game {other}"));
        let started = uuid_in(&bench.start(other).await.is(201), "gameworldId");
        refused(&bench, creation_in(started), 409, "gameworld-in-use").await;
        if !is_given {
            // It was replaced, of which the map has not heard.
            refused(&bench, creation_in(world), 409, "gameworld-inactive").await;
        }
    }
}

#[tokio::test]
async fn a_world_that_is_being_made_for_a_game_is_refused() {
    let bench = bench(Setup::in_memory()).await;
    let starting = bench.create(5, 3).await;
    bench.map.hold_answers();
    let start = tokio::spawn(bench.ask(post(format!("/games/{starting}/gameCommands/start"))));
    bench.map.orders_received(2).await;
    let of_start = bench.map.last_order().id.0;
    let created = tokio::spawn(bench.ask(post("/games").json(&json!({"maxRounds": 2, "maxPlayers": 2}))));
    bench.map.orders_received(3).await;
    for world in [of_start, bench.map.last_order().id.0] {
        assert_eq!(bench.map.world(world), Some(World::Active));
        refused(&bench, creation_in(world), 409, "gameworld-in-use").await;
    }
    bench.map.release();
    assert_eq!((start.await.unwrap().status, created.await.unwrap().status), (201, 201));
}

#[tokio::test]
async fn of_racing_creations_exactly_one_wins() {
    for store in [StoreKind::Sqlite, StoreKind::Memory] {
        let bench = bench(Setup { store, ..Setup::default() }).await;
        bench.map.hold_lookups();
        let racing: Vec<_> = (0..8).map(|_| tokio::spawn(bench.ask(creation_in(WORLD)))).collect();
        bench.map.lookups_received(8).await;
        bench.map.release();
        let mut replies: Vec<Reply> = Vec::new();
        for reply in racing {
            replies.push(reply.await.unwrap());
        }
        let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
        assert_eq!((won.len(), lost.len()), (1, 7));
        for reply in lost {
            reply.refused(409, "gameworld-in-use", None);
        }
        assert_eq!(bench.games().await.len(), 1);
    }
}

#[tokio::test]
async fn how_a_world_is_made_cannot_be_said_of_one_that_is() {
    let bench = bench(Setup::in_memory()).await;
    let nonce = "0123456789abcdefABCDEF0123456789";
    for (field, value) in [("seed", json!(7)), ("nonce", json!(nonce)), ("style", json!("wild"))] {
        let mut body = creation();
        body[field] = value;
        let detail = bench.ask(post("/games").json(&body)).await.refused(422, "invalid-field", Some(field));
        assert!(detail.contains("`gameworldId`"), "{detail}");
    }
    let mut body = creation();
    body["gameworldId"] = json!("nowhere");
    bench.ask(post("/games").json(&body)).await.refused(422, "invalid-field", Some("gameworldId"));
    assert!(bench.games().await.is_empty());
    body["gameworldId"] = json!("");
    body["seed"] = json!(7);
    bench.ask(post("/games").json(&body)).await.is(201);
    assert_eq!(bench.map.orders().len(), 1, "an empty id is none");
}

#[tokio::test]
async fn only_in_the_msd_dialect_a_trading_service_elsewhere_forbids_it() {
    for (dialect, outer_trading, is_taken) in [
        (Dialect::Standard, true, true),
        (Dialect::Standard, false, true),
        (Dialect::Msd, false, true),
        (Dialect::Msd, true, false),
    ] {
        let bench = bench(Setup { dialect, outer_trading, ..Setup::in_memory() }).await;
        let reply = bench.ask(creation_in(WORLD)).await;
        if is_taken {
            reply.is(201);
            continue;
        }
        let detail = reply.refused(422, "invalid-field", Some("gameworldId"));
        assert!(detail.contains("the trading service would forget its space stations"), "{detail}");
        assert!(bench.games().await.is_empty());
        bench.create(5, 3).await;
    }
}

#[tokio::test]
async fn while_the_map_is_away_no_game_is_created_and_nothing_stays_behind() {
    for behaviour in [Behaviour::Away, Behaviour::LosesItsAnswer, Behaviour::Refuses] {
        let bench = bench(Setup::in_memory()).await;
        bench.map.set_behaviour(behaviour);
        let detail = refused(&bench, creation_in(WORLD), 503, "map-unavailable").await;
        assert!(detail.contains("http://map"), "{detail}");
        bench.map.set_behaviour(Behaviour::Answers);
        bench.ask(creation_in(WORLD)).await.is(201);
        assert_eq!(bench.map.world(WORLD), Some(World::Active));
    }
}

#[tokio::test]
async fn a_start_asks_whether_the_world_is_still_active() {
    for (dialect, conflict) in DIALECTS.into_iter().zip([409, 403]) {
        let bench = bench(Setup { dialect, ..Setup::in_memory() }).await;
        let game = id_in(&bench.ask(creation_in(WORLD)).await);
        let start = || post(format!("/games/{game}/gameCommands/start"));
        bench.map.set_world(WORLD, World::Inactive);
        refused(&bench, start(), conflict, "gameworld-inactive").await;
        bench.map.set_world(WORLD, World::Deleted);
        refused(&bench, start(), conflict, "no-such-gameworld").await;
        bench.map.set_world(WORLD, World::Active);
        bench.map.set_behaviour(Behaviour::Away);
        refused(&bench, start(), 503, "map-unavailable").await;
        bench.map.set_behaviour(Behaviour::Answers);
        bench.start(game).await.is(201);
        // What is refused anyway does not need the map.
        bench.map.set_behaviour(Behaviour::Away);
        refused(&bench, start(), conflict, "game-not-created").await;
    }
}

#[tokio::test]
async fn an_end_overtakes_a_start_that_waits_for_the_map() {
    let bench = bench(Setup::in_memory()).await;
    let game = id_in(&bench.ask(creation_in(WORLD)).await);
    bench.map.hold_lookups();
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.map.lookups_received(2).await;
    bench.end(game).await.is(201);
    bench.map.release();
    start.await.unwrap().refused(409, "game-not-created", None);
    assert_eq!(bench.history(game), ["created", "ended"]);
}

#[tokio::test]
async fn a_repeated_creation_gives_the_same_game() {
    let bench = bench(Setup::in_memory()).await;
    let [first, again] =
        [bench.ask(creation_in(WORLD).key("once")).await, bench.ask(creation_in(WORLD).key("once")).await];
    assert_eq!(id_in(&first), id_in(&again));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
}
