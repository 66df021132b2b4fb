//! `POST /commands`: what cannot be read is refused as a whole; what was executed is not executed again.

use serde_json::json;
use starkeep_platform::http::auth::AdminToken;
use starkeep_robot_service::Config;
use starkeep_test_harness::{StoreKind, post};

use crate::harness::{Bench, GAME, batch, config, mine, move_to, player, regenerate, spawning, tx};

#[tokio::test]
async fn a_batch_that_cannot_be_read_is_refused_with_the_original_text_and_nothing_is_executed() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let told = bench.told();
    let good = regenerate(robot, 2);
    for (bad, text) in [
        (mine(robot, 3), "Command batches need to be homogeneous.".to_owned()),
        (
            "block r2".to_owned(),
            "The command 'block r2' could not be parsed. Please check for correct syntax. Further information: "
                .to_owned(),
        ),
        (
            String::new(),
            "The command '' could not be parsed. Please check for correct syntax. Further information: ".to_owned(),
        ),
        (
            format!("regenerate r2 {}", tx(3)),
            format!(
                "The command 'regenerate r2 {}' could not be parsed. Please check for correct syntax. Further information: Invalid UUID string",
                tx(3)
            ),
        ),
    ] {
        let refused = bench.send(&[good.clone(), bad]).await;
        assert_eq!(refused.refused(400, "request-not-accepted", None), text);
    }
    for (body, field, why) in [
        ("", None, "the body is empty; expected JSON"),
        ("{", None, "line 1, column 1: the body ends within an object"),
        ("[]", Some("body"), "`body`: expected an object, found a list"),
        ("{}", Some("commands"), "`commands`: required field is missing"),
        (r#"{"commands":"mine"}"#, Some("commands"), "`commands`: expected a list, found text"),
        (r#"{"commands":[1]}"#, Some("commands[0]"), "`commands[0]`: expected text, found 1"),
    ] {
        let refused = bench.ask(post("/commands").text(body)).await;
        let detail = refused.refused(400, "request-not-accepted", field);
        assert_eq!(detail, format!("Request could not be accepted: {why}"));
    }
    let undeclared = batch(&[good]).header("content-type", "text/plain");
    bench.ask(undeclared).await.refused(415, "not-json", None);
    assert_eq!(bench.told(), told);
    bench.execute(&[]).await;
}

/// A whole batch again, a part of one, and a transaction that stands twice in a batch.
#[tokio::test]
async fn a_transaction_is_executed_once() {
    let (bench, planets) = Bench::playing().await;
    let robots = bench.spawn(player(1), tx(1), &[planets.station, planets.station]).await;
    let moves = [move_to(robots[0], planets.coal, 2), move_to(robots[1], planets.coal, 3)];
    bench.execute(&moves).await;
    let told = bench.told();
    bench.execute(&moves).await;
    assert_eq!(bench.told(), told);
    bench.execute(&[moves[0].clone(), move_to(robots[0], planets.station, 4)]).await;
    assert_eq!(bench.told(), told + 2, "only the new one");
    assert_eq!(bench.robot(robots[0]).await["energy"], 17);
    // Whatever the verb.
    bench.execute(&[regenerate(robots[0], 2), regenerate(robots[0], 5), regenerate(robots[0], 5)]).await;
    assert_eq!(bench.told(), told + 3);
    bench.execute(&[mine(robots[1], 6), mine(robots[0], 6)]).await;
    assert_eq!(bench.results_of(tx(6)).len(), 1);
    bench.execute(&[mine(robots[1], 6)]).await;
    assert_eq!((bench.results_of(tx(6)).len(), bench.map.given()), (1, 2));
}

#[tokio::test]
async fn the_answer_says_how_far_to_read() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let reply = bench.send(&[regenerate(robot, 2)]).await;
    let position = reply.header("starkeep-position").unwrap().to_owned();
    assert_eq!(reply.header("content-type"), Some("text/plain;charset=utf-8"));
    let page =
        starkeep_test_harness::get(format!("/events?after={position}")).header("accept", "application/json");
    let page = bench.ask(page).await.is(200);
    assert_eq!((&page["events"], &page["gap"]), (&json!([]), &json!(null)));
    assert_eq!(
        bench.send(&[regenerate(robot, 2)]).await.header("starkeep-position"),
        Some(position.as_str())
    );
}

#[tokio::test]
async fn what_only_services_may_call_needs_their_secret() {
    let guarded = Config { service_token: AdminToken::new(Some("s3cret".to_owned())), ..config() };
    let bench = Bench::with(guarded, StoreKind::Memory).await;
    let planets = bench.two_planets(9);
    bench.start_game(GAME).await;
    let body = json!({"transactionId": tx(2), "upgradeType": "STORAGE", "targetLevel": 1});
    let restore = json!({"transactionId": tx(3), "restorationType": "HEALTH"});
    let robot = planets.coal;
    for request in [
        batch(&[regenerate(robot, 1)]),
        spawning(player(1), tx(1), &[planets.station]),
        post(format!("/robots/{robot}/upgrades")).json(&body),
        post(format!("/robots/{robot}/instant-restore")).json(&restore),
        post(format!("/robots/{robot}/inventory/clearResources")),
    ] {
        bench.ask(request.clone()).await.refused(401, "unauthorized", None);
        bench.ask(request.clone().bearer("guess")).await.refused(401, "unauthorized", None);
        assert_ne!(bench.ask(request.bearer("s3cret")).await.status, 401);
    }
}
