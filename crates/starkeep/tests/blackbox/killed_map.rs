//! The map service is killed while it makes a gameworld: the game service answers that the map is away, and once the map
//! is back there is the whole game or nothing. A gameworld that the map has answered for is durable.

use serde_json::{Value, json};

use crate::proxy::Point;
use crate::two_services::{START, TwoServices, new_game, path};

/// So many that making the gameworld takes longer than a kill, as a rule.
fn crowded_game() -> Value {
    json!({ "maxRounds": 5, "maxPlayers": 1_000, "duration": 600_000 })
}

#[tokio::test]
async fn a_gameworld_that_was_being_made_does_not_remain() {
    let mut services = TwoServices::new().await;
    let mut stop = services.proxy.stop_next("POST", Point::Forwarded);
    let client = services.game().post_meanwhile("/games", &crowded_game());
    let world = stop.reached().await["gameworld"]["id"].take();
    services.kill_map_service().await;
    // The map may have been quicker than the kill.
    let answered = client.await.unwrap().unwrap();
    services.start_map_service().await;
    if answered.status == 503 {
        assert_eq!(answered.expect(503)["code"], "map-unavailable");
        assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
        services.assert_empty().await;
        services.create().await;
    } else {
        assert_eq!(answered.expect(201)["gameworldId"], world);
    }
    services.assert_one_whole_game().await;
}

#[tokio::test]
async fn a_start_that_was_being_made_a_gameworld_for_is_taken_back() {
    let mut services = TwoServices::with(&["--dialect", "msd"]).await;
    let game = services.create().await;
    let mut stop = services.proxy.stop_next("POST", Point::Forwarded);
    let client = services.game().post_meanwhile(&path(&game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    services.kill_map_service().await;
    // Here, too, the map may have been quicker: a gameworld for one player is soon made.
    let answered = client.await.unwrap().unwrap();
    services.start_map_service().await;
    if answered.status == 503 {
        assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
        assert_eq!(services.worlds().await, Vec::<Value>::new());
        services.game().post(&path(&game, START), &Value::Null).await.expect(201);
    } else {
        assert_eq!(answered.expect(201)["gameworldId"], world);
    }
    assert_eq!(services.active_worlds().await, [services.show(&game).await["gameworldId"].clone()]);
}

#[tokio::test]
async fn a_gameworld_that_the_map_has_answered_for_survives_it() {
    let mut services = TwoServices::new().await;
    let mut stop = services.proxy.stop_next("POST", Point::Answered);
    let client = services.game().post_meanwhile("/games", &new_game());
    stop.reached().await;
    services.kill_map_service().await;
    services.start_map_service().await;
    assert_eq!(stop.go_on().await, 201);
    client.await.unwrap().unwrap().expect(201);
    services.assert_one_whole_game().await;
}

#[tokio::test]
async fn a_gameworld_that_was_withdrawn_stays_so_over_the_death_of_the_map() {
    let mut services = TwoServices::with(&["--map-timeout", "3s"]).await;
    let mut stop = services.proxy.stop_next("POST", Point::Received);
    let client = services.game().post_meanwhile("/games", &new_game());
    let world = stop.reached().await["gameworld"]["id"].take();
    client.await.unwrap().unwrap().expect(503);
    assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    services.kill_map_service().await;
    services.start_map_service().await;
    assert_eq!(stop.go_on().await, 409, "it has not forgotten that the gameworld was withdrawn");
    services.assert_empty().await;
}
