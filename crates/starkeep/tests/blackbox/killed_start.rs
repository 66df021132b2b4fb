//! The game service is killed at every step of a start, in both dialects: afterwards the game is created as it was before,
//! or it runs with exactly one active gameworld; and where it does not run it can be started.

use serde_json::Value;

use crate::proxy::{Point, Stop};
use crate::stage::{START, Stage, new_game, path};

const DIALECTS: [(&str, &str); 2] = [("standard", "running"), ("msd", "started")];

/// A created game in the dialect, and the gameworld that it has before its start: none in `msd`.
async fn created(dialect: &str) -> (Stage, Value, Value) {
    let stage = Stage::with(&["--dialect", dialect]).await;
    let game = stage.create().await;
    let first_world = stage.show(&game).await["gameworldId"].take();
    assert_eq!(first_world.is_null(), dialect == "msd");
    (stage, game, first_world)
}

/// Starts the game, kills the service when the request for its gameworld has come to the point, and starts the service
/// again. Gives back the stop, and the id of the gameworld that was asked for.
async fn killed_at(point: Point, stage: &mut Stage, game: &Value) -> (Stop, Value) {
    let mut stop = stage.proxy.stop_next("POST", point);
    let client = stage.game().post_meanwhile(&path(game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    stage.kill_game_service().await;
    assert!(client.await.unwrap().is_none(), "nobody was answered");
    stage.start_game_service().await;
    (stop, world)
}

async fn assert_created_as_before(stage: &Stage, game: &Value, first_world: &Value) {
    let shown = stage.show(game).await;
    assert_eq!((&shown["gameStatus"], &shown["gameworldId"]), (&"created".into(), first_world));
    let worlds = Vec::from_iter(Some(first_world.clone()).filter(|world| !world.is_null()));
    assert_eq!(stage.active_worlds().await, worlds);
    assert_eq!(stage.worlds().await.len(), worlds.len());
}

/// It runs, and its gameworld is the only active one as soon as the map has heard of the old one.
async fn assert_runs_in_one_world(stage: &Stage, game: &Value, running: &str, first_world: &Value) {
    if !first_world.is_null() {
        assert_eq!(stage.proxy.heard("PATCH", first_world).await, 200);
    }
    let shown = stage.show(game).await;
    assert_eq!(shown["gameStatus"], running);
    assert_eq!(stage.active_worlds().await, [shown["gameworldId"].clone()]);
}

async fn start(stage: &Stage, game: &Value) {
    stage.game().post(&path(game, START), &Value::Null).await.expect(201);
}

#[tokio::test]
async fn before_the_map_hears_of_it_the_game_is_as_before_also_if_the_request_arrives_late() {
    for (dialect, running) in DIALECTS {
        let (mut stage, game, first_world) = created(dialect).await;
        let (stop, world) = killed_at(Point::AtTheDoor, &mut stage, &game).await;
        assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
        assert_created_as_before(&stage, &game, &first_world).await;

        assert!([403, 409].contains(&stop.go_on().await), "a gameworld that was withdrawn is not made");
        assert_created_as_before(&stage, &game, &first_world).await;
        start(&stage, &game).await;
        assert_runs_in_one_world(&stage, &game, running, &first_world).await;
    }
}

#[tokio::test]
async fn while_the_answer_is_under_way_the_game_is_as_before() {
    for (dialect, running) in DIALECTS {
        for point in [Point::Answered, Point::HalfAnswered] {
            let (mut stage, game, first_world) = created(dialect).await;
            let (stop, world) = killed_at(point, &mut stage, &game).await;
            assert_eq!(stage.proxy.heard("DELETE", &world).await, 204, "{dialect} {point:?}");
            assert_created_as_before(&stage, &game, &first_world).await;
            stop.cut().await;

            start(&stage, &game).await;
            assert_runs_in_one_world(&stage, &game, running, &first_world).await;
        }
    }
}

#[tokio::test]
async fn once_the_answer_has_come_the_game_runs_or_is_as_before_and_a_repeat_starts_it_once() {
    for (dialect, running) in DIALECTS {
        // Where the kill falls is up to the machine: before, in or after the commit.
        for _ in 0..3 {
            let (mut stage, game, first_world) = created(dialect).await;
            let mut stop = stage.proxy.stop_next("POST", Point::Answered);
            let client = stage.game().with_key("once").post_meanwhile(&path(&game, START), &Value::Null);
            let world = stop.reached().await["gameworld"]["id"].take();
            assert_eq!(stop.go_on().await, 201);
            stage.kill_game_service().await;
            let answered = client.await.unwrap();
            stage.start_game_service().await;

            if stage.show(&game).await["gameStatus"] == "created" {
                assert!(answered.is_none(), "what was answered is true");
                assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
                assert_created_as_before(&stage, &game, &first_world).await;
            } else {
                assert_runs_in_one_world(&stage, &game, running, &first_world).await;
            }
            let repeated = stage.game().with_key("once").post(&path(&game, START), &Value::Null).await;
            assert_eq!(repeated.expect(201)["gameStatus"], running);
            assert_runs_in_one_world(&stage, &game, running, &first_world).await;
        }
    }
}

#[tokio::test]
async fn a_start_that_a_client_was_told_of_took_place() {
    for (dialect, running) in DIALECTS {
        let (mut stage, game, first_world) = created(dialect).await;
        start(&stage, &game).await;
        stage.kill_game_service().await;
        stage.start_game_service().await;
        assert_runs_in_one_world(&stage, &game, running, &first_world).await;
    }
}

#[tokio::test]
async fn a_start_that_was_taken_back_leaves_its_slot_to_another_game() {
    let (mut stage, game, _) = created("standard").await;
    let other = stage.game().post("/games", &new_game()).await.expect(201)["gameId"].take();
    let (stop, _) = killed_at(Point::AtTheDoor, &mut stage, &game).await;
    start(&stage, &other).await;
    assert_eq!(stage.show(&game).await["gameStatus"], "created");
    stop.cut().await;
}
