//! The map service is away, slow, or loses its answer: the client learns it by a 503, nothing is half made, and with the
//! map back everything works.

use serde_json::Value;
use starkeep_test_http::Reply;

use crate::proxy::Point;
use crate::two_services::{START, TwoServices, new_game, path};

/// The refusal of a request that may be sent again later.
fn assert_away(answer: Reply) {
    let seconds: u32 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(seconds >= 1);
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    let problem = answer.expect(503);
    assert_eq!(problem["code"], "map-unavailable");
    assert!(problem.get("gameId").is_none(), "{problem}");
}

#[tokio::test]
async fn nothing_is_created_or_started_without_a_map_and_everything_with_it() {
    let mut services = TwoServices::new().await;
    services.proxy.go_away().await;
    assert_away(services.game().post("/games", &new_game()).await);
    assert_eq!(services.games().await, Vec::<Value>::new());

    services.proxy.come_back();
    let game = services.create().await;
    services.assert_one_whole_game().await;

    services.proxy.go_away().await;
    assert_away(services.game().post(&path(&game, START), &Value::Null).await);
    assert_eq!(services.show(&game).await["gameStatus"], "created");

    services.proxy.come_back();
    services.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(services.show(&game).await["gameStatus"], "running");
}

#[tokio::test]
async fn in_msd_a_game_is_created_without_a_map_and_started_only_with_it() {
    let mut services = TwoServices::with(&["--dialect", "msd"]).await;
    services.proxy.go_away().await;
    let game = services.create().await;
    assert_away(services.game().post(&path(&game, START), &Value::Null).await);
    assert_eq!(services.show(&game).await["gameStatus"], "created");

    services.proxy.come_back();
    services.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(services.active_worlds().await.len(), 1);
}

#[tokio::test]
async fn a_map_that_takes_too_long_is_not_waited_for_and_its_late_gameworld_does_not_stay() {
    let services = TwoServices::with(&["--map-timeout", "3s"]).await;
    let mut creation = services.proxy.stop_next("POST", Point::Received);
    let client = services.game().post_meanwhile("/games", &new_game());
    let world = creation.reached().await["gameworld"]["id"].take();
    assert_away(client.await.unwrap().unwrap());

    assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    assert_eq!(creation.go_on().await, 409);
    services.assert_empty().await;
}

#[tokio::test]
async fn a_lost_answer_leaves_no_stray_gameworld() {
    for point in [Point::Answered, Point::HalfAnswered] {
        let services = TwoServices::new().await;
        let mut stop = services.proxy.stop_next("POST", point);
        let client = services.game().post_meanwhile("/games", &new_game());
        let world = stop.reached().await["gameworld"]["id"].take();
        stop.cut().await;
        assert_away(client.await.unwrap().unwrap());
        assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204, "{point:?}");
        services.assert_empty().await;
    }
}

#[tokio::test]
async fn a_start_whose_answer_is_lost_leaves_the_game_as_it_was() {
    let services = TwoServices::new().await;
    let game = services.create().await;
    let first_world = services.show(&game).await["gameworldId"].take();
    let mut stop = services.proxy.stop_next("POST", Point::Answered);
    let client = services.game().post_meanwhile(&path(&game, START), &Value::Null);
    let world = stop.reached().await["gameworld"]["id"].take();
    stop.cut().await;
    assert_away(client.await.unwrap().unwrap());
    assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    services.assert_one_whole_game().await;
    assert_eq!(services.show(&game).await["gameworldId"], first_world);

    services.game().post(&path(&game, START), &Value::Null).await.expect(201);
    assert_eq!(services.proxy.forwarded("PATCH", &first_world).await, 200);
    assert_eq!(services.active_worlds().await.len(), 1);
}

#[tokio::test]
async fn a_client_that_breaks_off_leaves_a_whole_game() {
    let services = TwoServices::new().await;
    let mut stop = services.proxy.stop_next("POST", Point::Answered);
    let client = services.game().with_key("mine").post_meanwhile("/games", &new_game());
    stop.reached().await;
    client.abort();
    assert!(client.await.unwrap_err().is_cancelled());
    assert_eq!(stop.go_on().await, 201);
    // The repeated request waits for the first, whose client has disconnected, and gets its answer.
    let repeated = services.game().with_key("mine").post("/games", &new_game()).await;
    assert_eq!(repeated.headers["idempotency-replayed"], "true");
    repeated.expect(201);
    services.assert_one_whole_game().await;
}
