//! The map service is away, slow, or loses its answer: the client learns it by a 503, nothing is half made, and with the
//! map back everything works.

use serde_json::Value;

use crate::http::Answer;
use crate::proxy::Point;
use crate::stage::{START, Stage, new_game, path};

/// The refusal that says: try again later.
fn assert_away(answer: Answer) {
    let seconds: u32 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(seconds >= 1);
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    let problem = answer.expect(503);
    assert_eq!(problem["code"], "map-unavailable");
    assert!(problem.get("gameId").is_none(), "{problem}");
}

#[tokio::test]
async fn nothing_is_created_or_started_without_a_map_and_everything_with_it() {
    let mut stage = Stage::new().await;
    stage.proxy.go_away().await;
    assert_away(stage.game().post("/games", &new_game()).await);
    assert_eq!(stage.games().await, Vec::<Value>::new());

    stage.proxy.come_back();
    let game = stage.create().await;
    stage.assert_one_whole_game().await;

    stage.proxy.go_away().await;
    assert_away(stage.game().post(&path(&game, START), &Value::Null).await);
    assert_eq!(stage.show(&game).await["gameStatus"], "created");

    stage.proxy.come_back();
    stage.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(stage.show(&game).await["gameStatus"], "running");
}

#[tokio::test]
async fn in_msd_a_game_is_created_without_a_map_and_started_only_with_it() {
    let mut stage = Stage::with(&["--dialect", "msd"]).await;
    stage.proxy.go_away().await;
    let game = stage.create().await;
    assert_away(stage.game().post(&path(&game, START), &Value::Null).await);
    assert_eq!(stage.show(&game).await["gameStatus"], "created");

    stage.proxy.come_back();
    stage.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(stage.active_worlds().await.len(), 1);
}

#[tokio::test]
async fn a_map_that_takes_too_long_is_not_waited_for_and_its_late_gameworld_does_not_stay() {
    let stage = Stage::with(&["--map-timeout", "300ms"]).await;
    let mut creation = stage.proxy.stop_next("POST", Point::AtTheDoor);
    let client = stage.game().post_meanwhile("/games", &new_game());
    let world = creation.reached().await["gameworld"]["id"].take();
    assert_away(client.await.unwrap().unwrap());

    assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
    assert_eq!(creation.go_on().await, 409);
    stage.assert_empty().await;
}

#[tokio::test]
async fn a_lost_answer_leaves_no_stray_gameworld() {
    for point in [Point::Answered, Point::HalfAnswered] {
        let stage = Stage::new().await;
        let mut stop = stage.proxy.stop_next("POST", point);
        let client = stage.game().post_meanwhile("/games", &new_game());
        let world = stop.reached().await["gameworld"]["id"].take();
        stop.cut().await;
        assert_away(client.await.unwrap().unwrap());
        assert_eq!(stage.proxy.heard("DELETE", &world).await, 204, "{point:?}");
        stage.assert_empty().await;
    }
}

#[tokio::test]
async fn a_start_whose_answer_is_lost_leaves_the_game_as_it_was() {
    let stage = Stage::new().await;
    let game = stage.create().await;
    let first_world = stage.show(&game).await["gameworldId"].take();
    let mut stop = stage.proxy.stop_next("POST", Point::Answered);
    let client = stage.game().post_meanwhile(&path(&game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    stop.cut().await;
    assert_away(client.await.unwrap().unwrap());
    assert_eq!(stage.proxy.heard("DELETE", &world).await, 204);
    stage.assert_one_whole_game().await;
    assert_eq!(stage.show(&game).await["gameworldId"], first_world);

    stage.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(stage.proxy.heard("PATCH", &first_world).await, 200);
    assert_eq!(stage.active_worlds().await.len(), 1);
}

#[tokio::test]
async fn a_client_that_breaks_off_leaves_a_whole_game() {
    let stage = Stage::new().await;
    let mut stop = stage.proxy.stop_next("POST", Point::Answered);
    let client = stage.game().with_key("mine").post_meanwhile("/games", &new_game());
    stop.reached().await;
    client.abort();
    assert!(client.await.unwrap_err().is_cancelled());
    assert_eq!(stop.go_on().await, 201);
    // The twin waits for the first, whose client has gone, and gets its answer.
    let twin = stage.game().with_key("mine").post("/games", &new_game()).await;
    assert_eq!(twin.headers["idempotency-replayed"], "true");
    twin.expect(201);
    stage.assert_one_whole_game().await;
}
