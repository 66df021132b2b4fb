//! A map that is away, refuses, loses its answer or chooses ids of its own: what the host is answered, and that nothing stays behind.
//! A process that dies meanwhile is in `crashes`.

use serde_json::json;
use starkeep_test_harness::{TestRequest, post, uuid_in};

use crate::fake_map::{Behaviour, World};
use crate::harness::Bench;

const FAULTS: [Behaviour; 3] = [Behaviour::Away, Behaviour::Refuses, Behaviour::LosesItsAnswer];

fn creation() -> TestRequest {
    post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))
}

#[tokio::test]
async fn without_a_world_there_is_no_game_and_no_id() {
    for behaviour in FAULTS {
        let bench = Bench::in_memory().await;
        bench.map.set_behaviour(behaviour);
        let reply = bench.ask(creation()).await;
        let detail = reply.refused(503, "map-unavailable", None);
        assert!(detail.contains("http://map"), "{detail}");
        assert!(reply.json().get("gameId").is_none());
        assert_eq!(reply.header("location"), None);
        assert!(bench.games().await.is_empty());
        assert!(bench.events().is_empty());
        assert_eq!(bench.pending().0, 0);
        bench.care().await.unwrap();
        assert!(bench.map.worlds().values().all(|world| *world == World::Deleted), "{behaviour:?}");
        assert_eq!(bench.pending().1, 0);
    }
}

#[tokio::test]
async fn when_the_map_is_back_a_game_can_be_created() {
    let bench = Bench::in_memory().await;
    bench.map.set_behaviour(Behaviour::Away);
    bench.map.refuse_retirements(true);
    bench.ask(creation()).await.refused(503, "map-unavailable", None);
    assert!(bench.care().await.is_err());
    bench.map.set_behaviour(Behaviour::Answers);
    bench.map.refuse_retirements(false);
    bench.ask(creation()).await.is(201);
    bench.care().await.unwrap();
    assert_eq!(bench.map.worlds().into_values().collect::<Vec<_>>(), [World::Active]);
}

#[tokio::test]
async fn a_start_without_a_world_leaves_the_game_as_it_was() {
    for behaviour in FAULTS {
        for bench in [Bench::in_memory().await, Bench::msd_in_memory().await] {
            let game = bench.create(5, 3).await;
            bench.join(game).await;
            let before = (bench.game(game).await, bench.events());
            bench.map.set_behaviour(behaviour);
            bench.start(game).await.refused(503, "map-unavailable", None);
            assert_eq!((bench.game(game).await, bench.events()), before);
            let asked_for = bench.map.last_order().id.0;
            bench.care().await.unwrap();
            assert!(matches!(bench.map.world(asked_for), None | Some(World::Deleted)), "{behaviour:?}");

            bench.map.set_behaviour(Behaviour::Answers);
            bench.join(game).await;
            let world = uuid_in(&bench.start(game).await.is(201), "gameworldId");
            assert_ne!(world, asked_for, "an id is used once");
            assert_eq!((bench.map.world(world), bench.map.last_order().players), (Some(World::Active), 2));
        }
    }
}

#[tokio::test]
async fn a_failed_start_makes_room_for_another_game() {
    let bench = Bench::in_memory().await;
    let [first, second] = [bench.create(5, 3).await, bench.create(5, 3).await];
    bench.map.set_behaviour(Behaviour::Away);
    bench.start(first).await.refused(503, "map-unavailable", None);
    bench.map.set_behaviour(Behaviour::Answers);
    bench.start(second).await.is(201);
}

#[tokio::test]
async fn a_start_whose_world_fits_needs_no_map() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 1).await;
    bench.join(game).await;
    bench.map.set_behaviour(Behaviour::Away);
    bench.map.refuse_retirements(true);
    bench.start(game).await.is(201);
    bench.end(game).await.is(201);
}

#[tokio::test]
async fn in_msd_a_creation_needs_no_map() {
    let bench = Bench::msd_in_memory().await;
    bench.map.set_behaviour(Behaviour::Away);
    bench.create(5, 3).await;
}

#[tokio::test]
async fn a_map_that_chooses_its_own_ids_is_believed() {
    let bench = Bench::in_memory().await;
    bench.map.set_behaviour(Behaviour::ChoosesAnotherId);
    let game = bench.create(5, 3).await;
    let first = uuid_in(&bench.game(game).await, "gameworldId");
    assert_ne!(first, bench.map.last_order().id.0);
    assert_eq!(bench.map.world(first), Some(World::Active));
    let second = uuid_in(&bench.start(game).await.is(201), "gameworldId");
    bench.care().await.unwrap();
    assert_eq!([first, second].map(|id| bench.map.world(id)), [Some(World::Sealed), Some(World::Active)]);
    bench.end(game).await.is(201);
    bench.care().await.unwrap();
    assert_eq!(bench.map.world(second), Some(World::Inactive));
}

#[tokio::test]
async fn the_world_of_a_withdrawn_start_is_deleted_also_under_another_id() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    bench.map.hold_orders();
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.map.orders_received(2).await;
    bench.end(game).await.is(201);
    bench.map.set_behaviour(Behaviour::ChoosesAnotherId);
    bench.map.release();
    start.await.unwrap().refused(409, "start-withdrawn", None);
    bench.care().await.unwrap();
    let kept = uuid_in(&bench.game(game).await, "gameworldId");
    let worlds = bench.map.worlds();
    assert_eq!(worlds.len(), 2);
    for (id, world) in worlds {
        assert_eq!(world, if id.0 == kept { World::Inactive } else { World::Deleted });
    }
}
