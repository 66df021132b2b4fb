//! A process killed in the middle of a creation or a start: the next one finds the whole game with its world, or nothing.
//! Also clients that hang up, which is no reason to stop half-way.

use serde_json::json;
use starkeep_test_harness::{TestRequest, in_one_process, post, uuid_in};
use uuid::Uuid;

use crate::fake_map::{FakeMap, World};
use crate::harness::{Bench, id_in};

fn creation() -> TestRequest {
    post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))
}

fn start_of(game: Uuid) -> TestRequest {
    post(format!("/games/{game}/gameCommands/start"))
}

/// What the map has done when the process dies: nothing yet, or everything but answer.
const PLACES: [fn(&FakeMap); 2] = [FakeMap::hold_orders, FakeMap::hold_answers];

#[test]
fn a_creation_that_a_kill_interrupts_leaves_nothing() {
    for hold in PLACES {
        let mut bench = in_one_process(async {
            let bench = Bench::new().await;
            hold(&bench.map);
            tokio::spawn(bench.ask(creation()));
            bench.map.orders_received(1).await;
            assert_eq!(bench.count("intent"), 1, "the intent is written down first");
            bench
        });
        bench.map.release();
        in_one_process(async {
            bench.restart().await;
            assert!(bench.games().await.is_empty());
            assert!(bench.events().is_empty());
            assert_eq!(bench.count("intent"), 0);
            bench.care().await.unwrap();
            assert_eq!(bench.count("world_to_retire"), 0);
            assert!(bench.map.worlds().values().all(|world| *world == World::Deleted));
            let game = bench.create(5, 3).await;
            bench.start(game).await.is(201);
        });
    }
}

#[test]
fn a_start_that_a_kill_interrupts_leaves_the_game_as_it_was() {
    for hold in PLACES {
        for msd in [false, true] {
            let (mut bench, game, before) = in_one_process(async {
                let bench = if msd { Bench::msd().await } else { Bench::new().await };
                let game = bench.create(5, 3).await;
                bench.join(game).await;
                let before = (bench.game(game).await, bench.events());
                hold(&bench.map);
                tokio::spawn(bench.ask(start_of(game)));
                bench.map.orders_received(if msd { 1 } else { 2 }).await;
                (bench, game, before)
            });
            bench.map.release();
            in_one_process(async {
                bench.restart().await;
                assert_eq!((bench.game(game).await, bench.events()), before);
                let stray = bench.map.last_order().id.0;
                bench.care().await.unwrap();
                assert!(matches!(bench.map.world(stray), None | Some(World::Deleted)));
                bench.join(game).await;
                let started = bench.start(game).await.is(201);
                assert_eq!(bench.map.last_order().players, 2);
                assert_eq!(bench.map.world(uuid_in(&started, "gameworldId")), Some(World::Active));
            });
        }
    }
}

#[test]
fn what_a_killed_creation_left_is_remembered_over_further_kills_until_the_map_hears_of_it() {
    let mut bench = in_one_process(async {
        let bench = Bench::new().await;
        bench.map.hold_answers();
        tokio::spawn(bench.ask(creation()));
        bench.map.orders_received(1).await;
        bench
    });
    bench.map.release();
    bench.map.refuse_retirements(true);
    for _ in 0..2 {
        in_one_process(async {
            bench.restart().await;
            assert!(bench.care().await.is_err());
            assert_eq!(bench.count("world_to_retire"), 1);
        });
    }
    bench.map.refuse_retirements(false);
    in_one_process(async {
        bench.restart().await;
        bench.care().await.unwrap();
        assert_eq!(bench.map.worlds().into_values().collect::<Vec<_>>(), [World::Deleted]);
    });
}

#[test]
fn a_request_for_a_withdrawn_world_that_reaches_the_map_late_makes_none() {
    let mut bench = in_one_process(async {
        let bench = Bench::new().await;
        bench.map.hold_orders();
        tokio::spawn(bench.ask(creation()));
        bench.map.orders_received(1).await;
        bench
    });
    bench.map.release();
    in_one_process(async {
        bench.restart().await;
        bench.care().await.unwrap();
        let late = bench.map.last_order();
        let made = starkeep_game_service::ports::MapGateway::make(&*bench.map, late).await;
        assert!(made.is_err(), "{made:?}");
        assert!(bench.map.worlds().is_empty());
    });
}

#[test]
fn a_repeated_request_after_a_kill_creates_the_game_once() {
    let mut bench = in_one_process(async {
        let bench = Bench::new().await;
        bench.map.hold_answers();
        tokio::spawn(bench.ask(creation().key("once")));
        bench.map.orders_received(1).await;
        bench
    });
    bench.map.release();
    in_one_process(async {
        bench.restart().await;
        let reply = bench.ask(creation().key("once")).await;
        assert_eq!(reply.header("idempotency-replayed"), None);
        let game = id_in(&reply);
        let again = bench.ask(creation().key("once")).await;
        assert_eq!((again.header("idempotency-replayed"), id_in(&again)), (Some("true"), game));
        assert_eq!(bench.games().await.len(), 1);
        bench.care().await.unwrap();
        let kept = uuid_in(&bench.game(game).await, "gameworldId");
        for (id, world) in bench.map.worlds() {
            assert_eq!(world, if id.0 == kept { World::Active } else { World::Deleted });
        }
    });
}

/// Asks, hangs up as soon as the map has been reached, and lets the map go on.
async fn hang_up(bench: &Bench, request: TestRequest, orders: usize) {
    bench.map.hold_orders();
    let asking = Box::pin(bench.ask(request));
    let reached = Box::pin(bench.map.orders_received(orders));
    let futures::future::Either::Right(((), asking)) = futures::future::select(asking, reached).await else {
        panic!("an answer before the map was asked");
    };
    drop(asking);
    bench.map.release();
}

#[tokio::test]
async fn a_creation_is_finished_also_if_the_client_hangs_up() {
    let bench = Bench::in_memory().await;
    hang_up(&bench, creation().key("once"), 1).await;
    // The twin waits until the first is through.
    let reply = bench.ask(creation().key("once")).await;
    assert_eq!(reply.header("idempotency-replayed"), Some("true"));
    let [listed] = &bench.games().await[..] else { panic!("one game") };
    assert_eq!(uuid_in(listed, "gameId"), id_in(&reply));
    assert_eq!(bench.map.orders().len(), 1);
}

#[tokio::test]
async fn a_start_is_finished_also_if_the_client_hangs_up() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    hang_up(&bench, start_of(game).key("once"), 2).await;
    let reply = bench.ask(start_of(game).key("once")).await;
    assert_eq!(reply.header("idempotency-replayed"), Some("true"));
    assert_eq!(reply.is(201)["gameStatus"], "running");
    assert_eq!(bench.game(game).await, reply.json());
}

#[tokio::test]
async fn the_caretaker_leaves_alone_what_is_being_worked_on() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    bench.map.hold_orders();
    let created = tokio::spawn(bench.ask(creation()));
    let started = tokio::spawn(bench.ask(start_of(game)));
    bench.map.orders_received(3).await;
    bench.care().await.unwrap();
    bench.map.release();
    created.await.unwrap().is(201);
    started.await.unwrap().is(201);
    bench.care().await.unwrap();
    let current: Vec<_> = bench.games().await.iter().map(|game| uuid_in(game, "gameworldId")).collect();
    assert!(current.iter().all(|world| bench.map.world(*world) == Some(World::Active)));
}
