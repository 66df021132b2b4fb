//! Worlds that nobody plays in any longer: they stay on the list until the map has retired them, whatever happens meanwhile.
//! Which worlds get on the list is tested with what puts them there.

use starkeep_test_harness::{EPOCH, delete, uuid_in};

use crate::fake_map::World;
use crate::harness::Bench;

#[tokio::test]
async fn the_list_outlives_the_process_and_a_map_that_is_away() {
    let mut bench = Bench::new().await;
    let [ended, deleted] = [bench.create(5, 3).await, bench.create(5, 3).await];
    let worlds = [
        uuid_in(&bench.game(ended).await, "gameworldId"),
        uuid_in(&bench.game(deleted).await, "gameworldId"),
    ];
    bench.map.refuse_retirements(true);
    bench.end(ended).await.is(201);
    bench.end(deleted).await.is(201);
    assert_eq!(bench.ask(delete(format!("/games/{deleted}"))).await.status, 204);
    for _ in 0..2 {
        assert!(bench.care().await.is_err());
        assert_eq!(bench.count("world_to_retire"), 2);
        bench.restart().await;
    }
    bench.map.refuse_retirements(false);
    bench.care().await.unwrap();
    assert_eq!(worlds.map(|world| bench.map.world(world)), [Some(World::Inactive), Some(World::Deleted)]);
    assert_eq!(bench.count("world_to_retire"), 0);
}

#[tokio::test]
async fn the_map_is_told_of_each_world_once() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    bench.end(game).await.is(201);
    bench.care().await.unwrap();
    bench.map.retirements_received(1).await;
    bench.map.refuse_retirements(true);
    bench.care().await.expect("nothing is left to retire");
}

#[tokio::test]
async fn a_deletion_that_overtakes_a_deactivation_is_not_forgotten() {
    let bench = Bench::new().await;
    let game = bench.create(5, 3).await;
    let world = uuid_in(&bench.game(game).await, "gameworldId");
    bench.end(game).await.is(201);
    bench.map.hold_retirements();
    let reconciler = bench.service().reconciler();
    let deactivating = tokio::spawn(async move { reconciler.step(EPOCH).await });
    bench.map.retirements_received(1).await;
    assert_eq!(bench.ask(delete(format!("/games/{game}"))).await.status, 204);
    bench.map.release();
    deactivating.await.unwrap().unwrap();
    assert_eq!(bench.map.world(world), Some(World::Inactive));
    assert_eq!(bench.count("world_to_retire WHERE how = 'delete'"), 1);
    bench.care().await.unwrap();
    assert_eq!(bench.map.world(world), Some(World::Deleted));
}

#[tokio::test]
async fn two_caretakers_at_once_do_no_harm() {
    let bench = Bench::in_memory().await;
    for _ in 0..3 {
        let game = bench.create(5, 3).await;
        bench.end(game).await.is(201);
    }
    let (one, other) = futures::join!(bench.care(), bench.care());
    assert_eq!((one, other), (Ok(()), Ok(())));
    assert!(bench.map.worlds().values().all(|world| *world == World::Inactive));
    assert_eq!(bench.pending().1, 0);
}
