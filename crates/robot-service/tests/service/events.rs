//! The log: what events are about, and who sees it.

use serde_json::{Value, json};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::service::FrameConfig;
use starkeep_robot_service::Config;
use starkeep_test_harness::{StoreKind, TestRequest, get};
use uuid::Uuid;

use crate::harness::{Bench, GAME, batch, open_config, player, regenerate, spawning, tx};

fn page() -> TestRequest {
    get("/events?after=start").header("accept", "application/json")
}

async fn abouts(bench: &Bench, request: TestRequest) -> Vec<Value> {
    let page = bench.ask(request).await.is(200);
    page["events"].as_array().unwrap().iter().map(|event| event["about"].clone()).collect()
}

#[tokio::test]
async fn players_and_robots_are_shown_to_the_host_and_after_the_end_to_everybody() {
    let frame = FrameConfig { admin_token: AdminToken::new(Some("admin".to_owned())), ..open_config().frame };
    let bench = Bench::with(Config { frame, ..open_config() }, StoreKind::Memory).await;
    let planets = bench.two_planets(9);
    bench.start_game(GAME).await;
    let spawn = spawning(player(1), tx(1), &[planets.station]);
    let robot = crate::harness::ids(&bench.ask(spawn).await.is(201))[0];
    let sent = batch(&[regenerate(robot, 2), regenerate(Uuid::nil(), 3)]).header("starkeep-round", "1");
    assert_eq!(bench.ask(sent).await.status, 202);
    let known = json!({"gameId": GAME, "roundNumber": 1, "playerId": player(1), "robotId": robot});
    let unknown = json!({"gameId": GAME, "roundNumber": 1, "robotId": Uuid::nil()});
    let all = [known.clone(), known.clone(), known, unknown];
    assert_eq!(abouts(&bench, page().bearer("admin")).await, all);
    let hidden = json!({"gameId": GAME, "roundNumber": 1});
    assert_eq!(abouts(&bench, page()).await, vec![hidden; 4]);
    bench.roster(GAME, "ended").await;
    assert_eq!(abouts(&bench, page()).await, all);
}

#[tokio::test]
async fn events_are_of_the_round_of_their_batch_or_of_the_last_one_that_is_known() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    bench.round(GAME, 7, "command input ended").await;
    bench.execute(&[regenerate(robot, 2)]).await;
    assert_eq!(bench.ask(batch(&[regenerate(robot, 3)]).header("starkeep-round", "6")).await.status, 202);
    let rounds: Vec<_> =
        abouts(&bench, page()).await.into_iter().map(|about| about["roundNumber"].clone()).collect();
    assert_eq!(rounds, [1, 1, 7, 6]);
    let other =
        get(format!("/events?after=start&gameId={}", Uuid::nil())).header("accept", "application/json");
    assert_eq!(abouts(&bench, other).await, Vec::<Value>::new());
}
