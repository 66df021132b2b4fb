//! The game service is killed at every step of a start, in both dialects: afterwards the game is created as it was before,
//! or it runs with exactly one active gameworld; and where it does not run it can be started.

use serde_json::Value;
use starkeep_test_http::within_limit;

use crate::proxy::{Point, Stop};
use crate::two_services::{START, TwoServices, new_game, path};

const DIALECTS: [(&str, &str); 2] = [("standard", "running"), ("msd", "started")];

/// A created game in the dialect, and the gameworld that it has before its start: none in `msd`.
async fn created(dialect: &str) -> (TwoServices, Value, Value) {
    let services = TwoServices::with(&["--dialect", dialect]).await;
    let game = services.create().await;
    let first_world = services.show(&game).await["gameworldId"].take();
    assert_eq!(first_world.is_null(), dialect == "msd");
    (services, game, first_world)
}

/// Starts the game, kills the service when the request for its gameworld has come to the point, and starts the service
/// again. Gives back the stop, and the id of the gameworld that was asked for.
async fn killed_at(point: Point, services: &mut TwoServices, game: &Value) -> (Stop, Value) {
    let mut stop = services.proxy.stop_next("POST", point);
    let client = services.game().post_meanwhile(&path(game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    services.kill_game_service().await;
    assert!(client.await.unwrap().is_none(), "nobody was answered");
    services.start_game_service().await;
    (stop, world)
}

async fn assert_created_as_before(services: &TwoServices, game: &Value, first_world: &Value) {
    let shown = services.show(game).await;
    assert_eq!((&shown["gameStatus"], &shown["gameworldId"]), (&"created".into(), first_world));
    let worlds = Vec::from_iter(Some(first_world.clone()).filter(|world| !world.is_null()));
    assert_eq!(services.active_worlds().await, worlds);
    assert_eq!(services.worlds().await.len(), worlds.len());
}

/// It runs, and its gameworld is the only active one as soon as the map has retired the old one.
async fn assert_runs_in_one_world(services: &TwoServices, game: &Value, running: &str, first_world: &Value) {
    if !first_world.is_null() {
        assert_eq!(services.proxy.forwarded("PATCH", first_world).await, 200);
    }
    let shown = services.show(game).await;
    assert_eq!(shown["gameStatus"], running);
    assert_eq!(services.active_worlds().await, [shown["gameworldId"].clone()]);
}

async fn start(services: &TwoServices, game: &Value) {
    services.game().post(&path(game, START), &Value::Null).await.expect(201);
}

#[tokio::test]
async fn before_the_map_hears_of_it_the_game_is_as_before_also_if_the_request_arrives_late() {
    for (dialect, running) in DIALECTS {
        let (mut services, game, first_world) = created(dialect).await;
        let (stop, world) = killed_at(Point::Received, &mut services, &game).await;
        assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
        assert_created_as_before(&services, &game, &first_world).await;

        assert!([403, 409].contains(&stop.go_on().await), "a gameworld that was withdrawn is not made");
        assert_created_as_before(&services, &game, &first_world).await;
        start(&services, &game).await;
        assert_runs_in_one_world(&services, &game, running, &first_world).await;
    }
}

#[tokio::test]
async fn while_the_answer_is_under_way_the_game_is_as_before() {
    for (dialect, running) in DIALECTS {
        for point in [Point::Answered, Point::HalfAnswered] {
            let (mut services, game, first_world) = created(dialect).await;
            let (stop, world) = killed_at(point, &mut services, &game).await;
            assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204, "{dialect} {point:?}");
            assert_created_as_before(&services, &game, &first_world).await;
            stop.cut().await;

            start(&services, &game).await;
            assert_runs_in_one_world(&services, &game, running, &first_world).await;
        }
    }
}

#[tokio::test]
async fn once_the_answer_has_come_the_game_runs_or_is_as_before_and_a_repeat_starts_it_once() {
    for (dialect, running) in DIALECTS {
        // Where the kill falls is up to the machine: before, in or after the commit.
        for _ in 0..3 {
            let (mut services, game, first_world) = created(dialect).await;
            let mut stop = services.proxy.stop_next("POST", Point::Answered);
            let client = services.game().with_key("once").post_meanwhile(&path(&game, START), &Value::Null);
            let world = stop.reached().await["gameworld"]["id"].take();
            assert_eq!(stop.go_on().await, 201);
            services.kill_game_service().await;
            let answered = client.await.unwrap();
            services.start_game_service().await;

            if services.show(&game).await["gameStatus"] == "created" {
                assert!(answered.is_none(), "what was answered is true");
                assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
                assert_created_as_before(&services, &game, &first_world).await;
            } else {
                assert_runs_in_one_world(&services, &game, running, &first_world).await;
            }
            let repeated = services.game().with_key("once").post(&path(&game, START), &Value::Null).await;
            assert_eq!(repeated.expect(201)["gameStatus"], running);
            assert_runs_in_one_world(&services, &game, running, &first_world).await;
        }
    }
}

#[tokio::test]
async fn a_start_that_a_client_was_told_of_took_place() {
    for (dialect, running) in DIALECTS {
        let (mut services, game, first_world) = created(dialect).await;
        start(&services, &game).await;
        services.kill_game_service().await;
        services.start_game_service().await;
        assert_runs_in_one_world(&services, &game, running, &first_world).await;
    }
}

#[tokio::test]
async fn a_start_that_was_taken_back_leaves_its_slot_to_another_game() {
    let (mut services, game, _) = created("standard").await;
    let other = services.game().post("/games", &new_game()).await.expect(201)["gameId"].take();
    let (stop, _) = killed_at(Point::Received, &mut services, &game).await;
    // Where replicas may share the data, the one that was killed counts as living for a moment.
    let begun =
        async { while services.game().post(&path(&other, START), &Value::Null).await.status == 409 {} };
    within_limit("the slot", begun).await;
    assert_eq!(services.show(&other).await["gameStatus"], "running");
    assert_eq!(services.show(&game).await["gameStatus"], "created");
    stop.cut().await;
}
