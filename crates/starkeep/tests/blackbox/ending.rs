//! What happens to the gameworld of a game that is over: the end waits for no map, the gameworld becomes inactive as soon
//! as the map is reached, and it is deleted with its game.

use serde_json::Value;

use crate::proxy::Point;
use crate::two_services::{END, START, TwoServices, path};

/// A running game, its gameworld, and the one that was replaced at the start, which the map knows to be over.
async fn running() -> (TwoServices, Value, Value, Value) {
    let services = TwoServices::new().await;
    let game = services.create().await;
    let replaced = services.show(&game).await["gameworldId"].take();
    let mut started = services.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(services.proxy.forwarded("PATCH", &replaced).await, 200);
    (services, game, started["gameworldId"].take(), replaced)
}

async fn end(services: &TwoServices, game: &Value) {
    let ended = services.game().post(&path(game, END), &Value::Null).await.expect(201);
    assert_eq!(ended["gameStatus"], "ended");
}

#[tokio::test]
async fn with_the_map_away_a_game_ends_and_its_gameworld_follows_once_the_map_is_back() {
    let (mut services, game, world, _) = running().await;
    services.proxy.go_away().await;
    end(&services, &game).await;
    assert_eq!(services.active_worlds().await.first(), Some(&world), "the map could not be reached");

    services.proxy.come_back();
    assert_eq!(services.proxy.forwarded("PATCH", &world).await, 200);
    assert_eq!(services.active_worlds().await, Vec::<Value>::new());
    assert_eq!(services.map().get(&format!("/gameworlds/{}", world.as_str().unwrap())).await.status, 200);
}

#[tokio::test]
async fn an_end_is_answered_while_the_map_hangs() {
    let (services, game, world, _) = running().await;
    let mut hanging = services.proxy.stop_next("PATCH", Point::Received);
    end(&services, &game).await;
    hanging.reached().await;
    assert_eq!(services.show(&game).await["gameStatus"], "ended");
    assert_eq!(hanging.go_on().await, 200);
    assert_eq!(services.active_worlds().await, Vec::<Value>::new());
    assert_eq!(services.show(&game).await["gameworldId"], world);
}

#[tokio::test]
async fn what_the_map_has_not_heard_is_told_after_a_kill() {
    let (mut services, game, world, _) = running().await;
    services.proxy.go_away().await;
    end(&services, &game).await;
    services.kill_game_service().await;
    services.proxy.come_back();
    services.start_game_service().await;
    assert_eq!(services.proxy.forwarded("PATCH", &world).await, 200);
    assert_eq!(services.active_worlds().await, Vec::<Value>::new());
    assert_eq!(services.show(&game).await["gameStatus"], "ended");
}

#[tokio::test]
async fn a_game_that_is_ended_while_its_start_waits_for_the_map_stays_ended_and_leaves_no_active_gameworld() {
    let services = TwoServices::new().await;
    let game = services.create().await;
    let first_world = services.show(&game).await["gameworldId"].take();
    let mut stop = services.proxy.stop_next("POST", Point::Answered);
    let starting = services.game().post_meanwhile(&path(&game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    end(&services, &game).await;
    assert_eq!(stop.go_on().await, 201);
    let overtaken = starting.await.unwrap().unwrap().expect(409);
    assert_eq!(overtaken["code"], "start-withdrawn");
    assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    assert_eq!(services.proxy.forwarded("PATCH", &first_world).await, 200);
    assert_eq!(services.active_worlds().await, Vec::<Value>::new());
    assert_eq!(services.show(&game).await["gameStatus"], "ended");
}

#[tokio::test]
async fn the_gameworlds_of_a_game_go_with_it() {
    let (services, game, world, replaced) = running().await;
    let refusal = services.game().delete(&path(&game, "")).await.expect(409);
    assert_eq!(refusal["code"], "game-not-ended");
    end(&services, &game).await;
    services.game().delete(&path(&game, "")).await.expect(204);
    assert_eq!(services.game().get(&path(&game, "")).await.status, 404);
    for world in [world, replaced] {
        assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    }
    services.assert_empty().await;
}

#[tokio::test]
async fn a_game_is_deleted_while_the_map_is_away_and_its_gameworld_follows() {
    let (mut services, game, world, _) = running().await;
    services.proxy.go_away().await;
    end(&services, &game).await;
    services.game().delete(&path(&game, "")).await.expect(204);
    services.kill_game_service().await;
    services.proxy.come_back();
    services.start_game_service().await;
    assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    assert_eq!(services.active_worlds().await, Vec::<Value>::new());
}
