//! The map service is killed while it makes a gameworld: the game service answers that the map is away, and once the map
//! is back there is the whole game or nothing. A gameworld that the map has answered for is durable.

use serde_json::{Value, json};

use crate::proxy::Point;
use crate::stage::{START, Stage, new_game, path};

/// So many that making the gameworld takes longer than a kill.
fn crowded_game() -> Value {
    json!({ "maxRounds": 5, "maxPlayers": 1_000, "duration": 600_000 })
}

#[tokio::test]
async fn a_gameworld_that_was_being_made_does_not_remain() {
    let mut stage = Stage::new().await;
    let mut stop = stage.proxy.stop_next("POST", Point::WithTheMap);
    let client = stage.game().post_meanwhile("/games", &crowded_game());
    let world = stop.reached().await["gameworld"]["id"].take();
    stage.kill_map_service().await;
    let refusal = client.await.unwrap().unwrap().expect(503);
    assert_eq!(refusal["code"], "map-unavailable");

    stage.start_map_service().await;
    assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
    stage.assert_empty().await;
    stage.create().await;
    stage.assert_one_whole_game().await;
}

#[tokio::test]
async fn a_start_that_was_being_made_a_gameworld_for_is_taken_back() {
    let mut stage = Stage::with(&["--dialect", "msd"]).await;
    let game = stage.create().await;
    let mut stop = stage.proxy.stop_next("POST", Point::WithTheMap);
    let client = stage.game().post_meanwhile(&path(&game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    stage.kill_map_service().await;
    // The map may have been quicker than the kill: a gameworld for one player is soon made.
    let answered = client.await.unwrap().unwrap();
    stage.start_map_service().await;
    if answered.status == 503 {
        assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
        assert_eq!(stage.worlds().await, Vec::<Value>::new());
        stage.game().post(&path(&game, START), &Value::Null).await.expect(201);
    } else {
        assert_eq!(answered.expect(201)["gameworldId"], world);
    }
    assert_eq!(stage.active_worlds().await, [stage.show(&game).await["gameworldId"].clone()]);
}

#[tokio::test]
async fn a_gameworld_that_the_map_has_answered_for_survives_it() {
    let mut stage = Stage::new().await;
    let mut stop = stage.proxy.stop_next("POST", Point::Answered);
    let client = stage.game().post_meanwhile("/games", &new_game());
    stop.reached().await;
    stage.kill_map_service().await;
    stage.start_map_service().await;
    assert_eq!(stop.go_on().await, 201);
    client.await.unwrap().unwrap().expect(201);
    stage.assert_one_whole_game().await;
}

#[tokio::test]
async fn a_gameworld_that_was_withdrawn_stays_so_over_the_death_of_the_map() {
    let mut stage = Stage::with(&["--map-timeout", "300ms"]).await;
    let mut stop = stage.proxy.stop_next("POST", Point::AtTheDoor);
    let client = stage.game().post_meanwhile("/games", &new_game());
    let world = stop.reached().await["gameworld"]["id"].take();
    client.await.unwrap().unwrap().expect(503);
    assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
    stage.kill_map_service().await;
    stage.start_map_service().await;
    assert_eq!(stop.go_on().await, 409, "it has not forgotten that the gameworld was withdrawn");
    stage.assert_empty().await;
}
