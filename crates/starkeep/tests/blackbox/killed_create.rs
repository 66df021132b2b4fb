//! The game service is killed at every step of a creation: afterwards the whole game exists, or nothing of it does.
//! The map service runs on; for a kill of it see `killed_map`.

use serde_json::Value;

use crate::proxy::{Point, Stop};
use crate::two_services::{TwoServices, new_game};

/// Creates a game, kills the service when the request for its gameworld has come to the point, and starts the service
/// again. Gives back the stop, and the id of the gameworld that was asked for.
async fn killed_at(point: Point) -> (TwoServices, Stop, Value) {
    let mut services = TwoServices::new().await;
    let mut stop = services.proxy.stop_next("POST", point);
    let client = services.game().post_meanwhile("/games", &new_game());
    let world = stop.reached().await["gameworld"]["id"].take();
    services.kill_game_service().await;
    assert!(client.await.unwrap().is_none(), "nobody was answered");
    services.start_game_service().await;
    (services, stop, world)
}

#[tokio::test]
async fn before_the_map_hears_of_it_nothing_remains_also_if_the_request_arrives_late() {
    let (services, stop, world) = killed_at(Point::Received).await;
    assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
    services.assert_empty().await;

    assert_eq!(stop.go_on().await, 409, "a gameworld that was withdrawn is not made any more");
    services.assert_empty().await;
}

#[tokio::test]
async fn a_request_that_arrives_between_restart_and_clean_up_leaves_nothing_either() {
    let mut services = TwoServices::new().await;
    let mut creation = services.proxy.stop_next("POST", Point::Received);
    let _client = services.game().post_meanwhile("/games", &new_game());
    let world = creation.reached().await["gameworld"]["id"].take();
    services.kill_game_service().await;
    let mut removal = services.proxy.stop_next("DELETE", Point::Received);
    services.start_game_service().await;
    removal.reached().await;

    assert_eq!(creation.go_on().await, 201);
    assert_eq!(services.active_worlds().await, [world]);
    assert_eq!(removal.go_on().await, 204);
    services.assert_empty().await;
}

#[tokio::test]
async fn while_the_answer_is_under_way_nothing_remains() {
    for point in [Point::Answered, Point::HalfAnswered] {
        let (services, stop, world) = killed_at(point).await;
        assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204, "{point:?}");
        services.assert_empty().await;
        stop.cut().await;
        services.assert_empty().await;
    }
}

#[tokio::test]
async fn once_the_answer_has_come_the_whole_game_exists_or_nothing_does_and_a_repeat_makes_one() {
    // Where the kill falls is up to the machine: before, in or after the commit.
    for _ in 0..5 {
        let mut services = TwoServices::new().await;
        let mut stop = services.proxy.stop_next("POST", Point::Answered);
        let client = services.game().with_key("the-same").post_meanwhile("/games", &new_game());
        let world = stop.reached().await["gameworld"]["id"].take();
        assert_eq!(stop.go_on().await, 201);
        services.kill_game_service().await;
        let answered = client.await.unwrap();
        services.start_game_service().await;

        let games = services.games().await;
        match games.as_slice() {
            [] => {
                assert!(answered.is_none(), "what was answered is true");
                assert_eq!(services.proxy.forwarded("DELETE", &world).await, 204);
                services.assert_empty().await;
            }
            [game] => {
                assert_eq!(game["gameworldId"], world);
                services.assert_one_whole_game().await;
            }
            more => panic!("one creation made {more:?}"),
        }
        services.game().with_key("the-same").post("/games", &new_game()).await.expect(201);
        services.assert_one_whole_game().await;
    }
}

#[tokio::test]
async fn a_game_that_a_client_was_told_of_exists() {
    let mut services = TwoServices::new().await;
    let game = services.create().await;
    services.kill_game_service().await;
    services.start_game_service().await;
    assert_eq!(services.games().await[0]["gameId"], game);
    services.assert_one_whole_game().await;
}

#[tokio::test]
async fn a_removal_whose_answer_is_lost_is_asked_for_again_after_a_kill() {
    let (mut services, creation, world) = {
        let mut services = TwoServices::new().await;
        let mut creation = services.proxy.stop_next("POST", Point::Answered);
        let _client = services.game().post_meanwhile("/games", &new_game());
        let world = creation.reached().await["gameworld"]["id"].take();
        services.kill_game_service().await;
        (services, creation, world)
    };
    let mut removal = services.proxy.stop_next("DELETE", Point::Answered);
    services.start_game_service().await;
    removal.reached().await;
    services.kill_game_service().await;
    services.start_game_service().await;
    assert_eq!(services.proxy.forwarded_times(2, "DELETE", &world).await, 204);
    services.assert_empty().await;
    creation.cut().await;
    removal.cut().await;
}
