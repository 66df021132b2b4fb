//! SIGTERM: what is in flight is finished and answered, everything is flushed, and the exit code is 0.
//! Kills are tested elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use starkeep_test_http::within_limit;

use crate::bot::{join, registered};
use crate::program::Program;
use crate::proxy::{Point, Proxy};
use crate::two_services::{END, START, TwoServices, new_game, path};

fn names(data: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(data).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn after_a_stop_only_the_databases_and_the_lock_remain() {
    let home = tempfile::tempdir().unwrap();
    let program = Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await;
    let game = program.game();
    let id = game.post("/games", &new_game()).await.expect(201)["gameId"].take();
    game.post(&path(&id, START), &Value::Null).await.expect(201);
    game.post(&path(&id, END), &Value::Null).await.expect(201);
    game.get("/games").await.expect(200);
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    assert_eq!(
        names(home.path()),
        BTreeSet::from(["game.db", "lock", "map.db", "robot.db", "trading.db"].map(String::from))
    );
}

#[tokio::test]
async fn a_request_in_flight_is_finished_and_answered() {
    let mut services = TwoServices::new().await;
    let mut stop = services.proxy.stop_next("POST", Point::Received);
    let client = services.game().post_meanwhile("/games", &new_game());
    stop.reached().await;
    let program = services.take_game_service();
    program.terminate();
    assert_eq!(stop.go_on().await, 201);
    let game = client.await.unwrap().unwrap().expect(201)["gameId"].take();
    assert_eq!(program.ended().await.code, Some(0));

    services.start_game_service().await;
    assert_eq!(services.games().await[0]["gameId"], game);
    services.assert_one_whole_game().await;
}

#[tokio::test]
async fn a_request_in_flight_is_finished_where_both_services_stop_together() {
    let home = tempfile::tempdir().unwrap();
    // The proxy must know the map's address before the process that holds both knows the proxy's.
    let proxy = Proxy::to("127.0.0.1:1".parse().unwrap());
    let flags = ["--data-dir", home.path().to_str().unwrap(), "--map-url", &proxy.url()];
    let program = Program::serve("all", &flags).await;
    proxy.lead_to(program.address("map"));
    let mut stop = proxy.stop_next("POST", Point::Received);
    let client = program.game().post_meanwhile("/games", &new_game());
    stop.reached().await;
    program.terminate();
    assert_eq!(stop.go_on().await, 201);
    client.await.unwrap().unwrap().expect(201);
    assert_eq!(program.ended().await.code, Some(0));
}

#[tokio::test]
async fn a_map_that_hangs_does_not_hold_up_the_end() {
    let mut services = TwoServices::with(&["--map-timeout", "24h"]).await;
    let game = services.create().await;
    let mut hanging = services.proxy.stop_next("PATCH", Point::Received);
    services.game().post(&path(&game, END), &Value::Null).await.expect(201);
    let world = services.show(&game).await["gameworldId"].take();
    hanging.reached().await;
    let program = services.take_game_service();
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    hanging.cut().await;

    services.start_game_service().await;
    assert_eq!(services.proxy.forwarded("PATCH", &world).await, 200);
}

#[tokio::test]
async fn a_creation_that_cannot_be_finished_is_cut_and_taken_back() {
    let mut services = TwoServices::with(&["--map-timeout", "24h"]).await;
    let mut stop = services.proxy.stop_next("POST", Point::Answered);
    let client = services.game().post_meanwhile("/games", &new_game());
    let world = stop.reached().await["gameworld"]["id"].take();
    let program = services.take_game_service();
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    assert!(client.await.unwrap().is_none());
    assert_eq!(names(&services.game_data()), BTreeSet::from(["game.db", "lock"].map(String::from)));

    services.start_game_service().await;
    assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    services.assert_empty().await;
    stop.cut().await;
}

#[tokio::test]
async fn services_that_lose_each_other_at_a_normal_stop_do_not_warn_of_it() {
    let home = tempfile::tempdir().unwrap();
    let program = Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await;
    let service = program.game();
    let game = service.post("/games", &new_game()).await.expect(201)["gameId"].take();
    let (_, token) = registered(&service, 1).await;
    join(&service, &game, &token).await;
    service.post(&path(&game, START), &Value::Null).await.expect(201);
    let player = service.with_token(&token);
    let view = async || player.get(&path(&game, "/view")).await.expect(200);
    // Both have read of the game by then.
    let followed = async { while view().await["money"].is_null() || view().await["robots"].is_null() {} };
    within_limit("the services to follow the game", followed).await;
    program.terminate();
    let ended = program.ended().await;
    assert_eq!(ended.code, Some(0));
    assert!(!ended.stderr.contains("event stream lost"), "{}", ended.stderr);
}
