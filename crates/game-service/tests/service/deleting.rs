//! `DELETE /games/{gameId}`: an ended game goes with its rounds, its players and its worlds.
//! Its events stay in the log.

use starkeep_test_harness::{delete, get, uuid_in};

use crate::fake_map::World;
use crate::harness::Bench;

#[tokio::test]
async fn an_ended_game_goes_with_everything_that_belongs_to_it() {
    let bench = Bench::new().await;
    let game = bench.running(9).await;
    let world = uuid_in(&bench.game(game).await, "gameworldId");
    bench.advance(4_000).await;
    bench.end(game).await.is(201);
    let events = bench.events();

    let reply = bench.ask(delete(format!("/games/{game}"))).await;
    assert_eq!((reply.status, reply.bytes.len(), reply.header("content-type")), (204, 0, None));
    bench.ask(get(format!("/games/{game}"))).await.refused(404, "unknown-game", None);
    bench.ask(get(format!("/games/{game}/time"))).await.refused(404, "unknown-game", None);
    bench.ask(delete(format!("/games/{game}"))).await.refused(404, "unknown-game", None);
    assert!(bench.games().await.is_empty());
    for table in ["game", "round", "participant"] {
        assert_eq!(bench.count(table), 0, "{table}");
    }
    bench.care().await.unwrap();
    assert_eq!(bench.map.world(world), Some(World::Deleted));
    let told = bench.events();
    assert_eq!(told[..events.len()], events);
    let [deleted] = &told[events.len()..] else { panic!("one event") };
    assert_eq!(deleted.words(), "roster deleted");
}

#[tokio::test]
async fn a_replaced_world_is_deleted_with_its_game() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 5).await;
    let first = uuid_in(&bench.game(game).await, "gameworldId");
    bench.start(game).await.is(201);
    let second = uuid_in(&bench.game(game).await, "gameworldId");
    bench.end(game).await.is(201);
    bench.care().await.unwrap();
    let states = [first, second].map(|world| bench.map.world(world));
    assert_eq!(states, [Some(World::Sealed), Some(World::Inactive)]);
    assert_eq!(bench.ask(delete(format!("/games/{game}"))).await.status, 204);
    bench.care().await.unwrap();
    assert_eq!([first, second].map(|world| bench.map.world(world)), [Some(World::Deleted); 2]);
}

#[tokio::test]
async fn a_created_game_has_to_end_first() {
    let bench = Bench::in_memory().await;
    let game = bench.create(9, 5).await;
    bench.ask(delete(format!("/games/{game}"))).await.refused(409, "game-not-ended", None);
    bench.end(game).await.is(201);
    assert_eq!(bench.ask(delete(format!("/games/{game}"))).await.status, 204);
}

#[tokio::test]
async fn a_deletion_outlives_the_process() {
    let mut bench = Bench::new().await;
    let (kept, gone) = (bench.create(9, 5).await, bench.create(9, 5).await);
    for game in [kept, gone] {
        bench.end(game).await.is(201);
    }
    assert_eq!(bench.ask(delete(format!("/games/{gone}"))).await.status, 204);
    bench.restart().await;
    let listed: Vec<_> = bench.games().await.iter().map(|game| uuid_in(game, "gameId")).collect();
    assert_eq!(listed, [kept]);
    bench.care().await.unwrap();
    assert_eq!(bench.map.worlds().values().filter(|world| **world == World::Deleted).count(), 1);
}
