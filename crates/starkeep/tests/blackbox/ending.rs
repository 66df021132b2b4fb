//! What happens to the gameworld of a game that is over: the end waits for no map, the gameworld becomes inactive as soon
//! as the map hears of it, and it goes with its game.

use serde_json::Value;

use crate::proxy::Point;
use crate::stage::{END, START, Stage, path};

/// A running game, its gameworld, and the one that was replaced at the start, which the map knows to be over.
async fn running() -> (Stage, Value, Value, Value) {
    let stage = Stage::new().await;
    let game = stage.create().await;
    let replaced = stage.show(&game).await["gameworldId"].take();
    let mut started = stage.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(stage.proxy.heard("PATCH", &replaced).await, 200);
    (stage, game, started["gameworldId"].take(), replaced)
}

async fn end(stage: &Stage, game: &Value) {
    let ended = stage.game().post(&path(game, END), &Value::Null).await.expect(201);
    assert_eq!(ended["gameStatus"], "ended");
}

#[tokio::test]
async fn with_the_map_away_a_game_ends_and_its_gameworld_follows_once_the_map_is_back() {
    let (mut stage, game, world, _) = running().await;
    stage.proxy.go_away().await;
    end(&stage, &game).await;
    assert_eq!(stage.active_worlds().await.first(), Some(&world), "the map has not heard of it");

    stage.proxy.come_back();
    assert_eq!(stage.proxy.heard("PATCH", &world).await, 200);
    assert_eq!(stage.active_worlds().await, Vec::<Value>::new());
    assert_eq!(stage.map().get(&format!("/gameworlds/{}", world.as_str().unwrap())).await.status, 200);
}

#[tokio::test]
async fn an_end_is_answered_while_the_map_hangs() {
    let (stage, game, world, _) = running().await;
    let mut hanging = stage.proxy.stop_next("PATCH", Point::AtTheDoor);
    end(&stage, &game).await;
    hanging.reached().await;
    assert_eq!(stage.show(&game).await["gameStatus"], "ended");
    assert_eq!(hanging.go_on().await, 200);
    assert_eq!(stage.active_worlds().await, Vec::<Value>::new());
    assert_eq!(stage.show(&game).await["gameworldId"], world);
}

#[tokio::test]
async fn what_the_map_has_not_heard_is_told_after_a_kill() {
    let (mut stage, game, world, _) = running().await;
    stage.proxy.go_away().await;
    end(&stage, &game).await;
    stage.kill_game_service().await;
    stage.proxy.come_back();
    stage.start_game_service().await;
    assert_eq!(stage.proxy.heard("PATCH", &world).await, 200);
    assert_eq!(stage.active_worlds().await, Vec::<Value>::new());
    assert_eq!(stage.show(&game).await["gameStatus"], "ended");
}

#[tokio::test]
async fn a_game_that_is_ended_while_its_start_waits_for_the_map_stays_ended_and_leaves_no_active_gameworld() {
    let stage = Stage::new().await;
    let game = stage.create().await;
    let first_world = stage.show(&game).await["gameworldId"].take();
    let mut stop = stage.proxy.stop_next("POST", Point::Answered);
    let starting = stage.game().post_meanwhile(&path(&game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    end(&stage, &game).await;
    assert_eq!(stop.go_on().await, 201);
    let overtaken = starting.await.unwrap().unwrap().expect(409);
    assert_eq!(overtaken["code"], "start-withdrawn");
    assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
    assert_eq!(stage.proxy.heard("PATCH", &first_world).await, 200);
    assert_eq!(stage.active_worlds().await, Vec::<Value>::new());
    assert_eq!(stage.show(&game).await["gameStatus"], "ended");
}

#[tokio::test]
async fn the_gameworlds_of_a_game_go_with_it() {
    let (stage, game, world, replaced) = running().await;
    let refusal = stage.game().delete(&path(&game, "")).await.expect(409);
    assert_eq!(refusal["code"], "game-not-ended");
    end(&stage, &game).await;
    stage.game().delete(&path(&game, "")).await.expect(204);
    assert_eq!(stage.game().get(&path(&game, "")).await.status, 404);
    for world in [world, replaced] {
        assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
    }
    stage.assert_empty().await;
}

#[tokio::test]
async fn a_game_is_deleted_while_the_map_is_away_and_its_gameworld_follows() {
    let (mut stage, game, world, _) = running().await;
    stage.proxy.go_away().await;
    end(&stage, &game).await;
    stage.game().delete(&path(&game, "")).await.expect(204);
    stage.kill_game_service().await;
    stage.proxy.come_back();
    stage.start_game_service().await;
    assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
    assert_eq!(stage.active_worlds().await, Vec::<Value>::new());
}
