//! Commands over HTTP: both shapes, what each kind needs, who may send one and when, and that the last one for a robot wins.
//! What becomes of one that was taken is in `dispatching` and `receipts`.

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_test_harness::{TestRequest, delete, get, post, uuid_in};
use uuid::Uuid;

use crate::harness::Setup;
use crate::playing::Match;

fn send(body: &Value) -> TestRequest {
    post("/commands").json(body)
}

const PLANET: Uuid = Uuid::from_u128(0x80);

#[tokio::test]
async fn a_command_in_either_shape_is_taken_and_answered_with_its_receipt() {
    for dialect in [Dialect::Standard, Dialect::Msd] {
        let it = Match::with(Setup { dialect, ..Setup::in_memory() }).await;
        it.bench.advance(1_000).await;
        let older = it.of_ada("movement", &json!({"commandType": "movement", "planetId": PLANET}));
        let newer = json!({"playerId": it.ada.0, "type": "movement",
                           "data": {"robotId": it.robot, "planetId": PLANET, "itemQuantity": null}});
        let mixed = json!({"gameId": it.game, "playerId": it.ada.0, "robotId": "", "commandType": "buying",
                           "commandObject": {"commandType": "buying", "planetId": "", "targetId": "",
                                             "itemName": "ROBOT", "itemQuantity": 0}, "more": [1]});
        for body in [older, newer, mixed] {
            let reply = it.bench.ask(send(&body).bearer(&it.ada.1.to_string())).await;
            let receipt = reply.is(201);
            let transaction = uuid_in(&receipt, "transactionId");
            let expected = json!({"transactionId": transaction, "state": "pending", "roundNumber": 1,
                                  "collectionLeftInMillis": 2000});
            assert_eq!(receipt, expected);
            assert_eq!(reply.header("location"), Some(&*format!("/commands/{transaction}")));
        }
        assert_eq!(it.seen_by_ada(1).await.len(), 2, "one for the robot, one purchase");
    }
}

#[tokio::test]
async fn every_kind_needs_its_fields_and_ignores_the_others() {
    let it = Match::in_memory().await;
    let full = json!({"planetId": PLANET, "targetId": Uuid::from_u128(9), "itemName": "HEALTH", "itemQuantity": "x"});
    for (kind, needs, shown) in [
        ("movement", &["robotId", "planetId"][..], json!({"planetId": PLANET})),
        ("battle", &["robotId", "targetId"], json!({"targetId": Uuid::from_u128(9)})),
        ("mining", &["robotId"], json!({})),
        ("regeneration", &["robotId"], json!({})),
        ("regenerate", &["robotId"], json!({})),
        ("selling", &["robotId"], json!({"planetId": PLANET, "itemName": "HEALTH"})),
        ("buying", &["itemName", "robotId"], json!({"planetId": PLANET, "itemName": "HEALTH"})),
    ] {
        let complete = it.of_ada(kind, &full);
        // What is ignored need not even be as it is documented.
        it.bench.ask(send(&complete).undocumented()).await.is(201);
        let canonical = if kind == "regenerate" { "regeneration" } else { kind };
        let mut object = json!({"commandType": canonical, "planetId": null, "targetId": null, "itemName": null,
                                "itemQuantity": null});
        for (name, value) in shown.as_object().expect("an object") {
            object[name] = value.clone();
        }
        let [only] = &it.seen_by_ada(1).await[..] else { panic!("the last one wins") };
        assert_eq!((&only["commandType"], &only["commandObject"]), (&json!(canonical), &object));
        assert_eq!((&only["robotId"], &only["playerId"]), (&json!(it.robot), &json!(it.ada.0)));
        for name in needs {
            for nothing in [Value::Null, json!("")] {
                let mut lacking = complete.clone();
                let place = if *name == "robotId" { &mut lacking } else { &mut lacking["commandObject"] };
                place[name] = nothing;
                it.bench.ask(send(&lacking)).await.refused(422, "invalid-field", Some(name));
            }
        }
        if !kind.ends_with("ing") || kind == "mining" {
            let mut without = complete.clone();
            without["robotId"] = json!("not a robot");
            it.bench.ask(send(&without)).await.refused(422, "invalid-field", Some("robotId"));
        }
    }
}

#[tokio::test]
async fn robots_are_bought_by_none_as_often_as_one_likes() {
    let it = Match::with(Setup { executors: false, ..Setup::in_memory() }).await;
    for (quantity, means) in
        [(json!(null), 1), (json!(0), 1), (json!(""), 1), (json!(7), 7), (json!(1000), 1000)]
    {
        let mut body = it.of_ada("buying", &json!({"itemName": "ROBOT", "itemQuantity": quantity}));
        body["robotId"] = json!("whatever");
        it.bench.ask(send(&body).undocumented()).await.is(201);
        let seen = it.seen_by_ada(1).await;
        let last = seen.last().expect("a command");
        assert_eq!((&last["robotId"], &last["commandObject"]["itemQuantity"]), (&Value::Null, &json!(means)));
    }
    assert_eq!(it.seen_by_ada(1).await.len(), 5);
    for quantity in [json!(1001), json!(-1), json!(1.5), json!("2"), json!([]), json!(u64::MAX)] {
        let body = it.of_ada("buying", &json!({"itemName": "ROBOT", "itemQuantity": quantity}));
        it.bench.ask(send(&body)).await.refused(422, "invalid-field", Some("itemQuantity"));
    }
    for (item, field, expected) in [
        ("robot", "itemName", "`itemName`: no item of this name is sold; did you mean `ROBOT`?"),
        ("FOO", "itemName", "`itemName`: no item of this name is sold"),
        ("MINING_1", "robotId", "`robotId`: this command needs it"),
        ("HEALTH", "robotId", "`robotId`: this command needs it"),
    ] {
        let mut body = it.of_ada("buying", &json!({ "itemName": item }));
        body["robotId"] = Value::Null;
        let told = it.bench.ask(send(&body)).await.refused(422, "invalid-field", Some(field));
        assert_eq!(told, expected);
    }
    assert_eq!(it.seen_by_ada(1).await.len(), 5);
}

#[tokio::test]
async fn items_and_planets_of_trades_are_handed_on_as_they_are() {
    let it = Match::in_memory().await;
    it.ada_sends("selling", json!({"itemName": "coal ✨", "planetId": "somewhere"})).await;
    let [sale] = &it.seen_by_ada(1).await[..] else { panic!("one command") };
    assert_eq!(sale["commandObject"]["itemName"], "coal ✨");
    assert_eq!(sale["commandObject"]["planetId"], "somewhere");
    let long = it.of_ada("selling", &json!({"itemName": "x".repeat(256)}));
    it.bench.ask(send(&long)).await.refused(422, "invalid-field", Some("itemName"));
    let nowhere = it.of_ada("movement", &json!({"planetId": "somewhere"}));
    it.bench.ask(send(&nowhere)).await.refused(422, "invalid-field", Some("planetId"));
}

#[tokio::test]
async fn what_is_no_command_is_refused_by_name() {
    let it = Match::in_memory().await;
    for (body, field) in [
        (json!({"commandType": "moving"}), "commandType"),
        (json!({"type": "Movement"}), "type"),
        (json!({"commandType": 7}), "commandType"),
        (json!({}), "commandType"),
        (json!({"type": ""}), "commandType"),
        (json!({"type": "mining", "data": [1]}), "data"),
        (json!({"type": "mining", "commandObject": "x"}), "commandObject"),
        (json!({"type": "mining", "robotId": it.robot, "gameId": "zzz"}), "gameId"),
        (json!({"type": "mining", "robotId": it.robot, "playerId": 7}), "playerId"),
        (json!({"type": "mining", "robotId": it.robot, "playerToken": 7}), "playerToken"),
        (json!([]), "body"),
    ] {
        it.bench.ask(send(&body)).await.refused(422, "invalid-field", Some(field));
    }
    it.bench.ask(post("/commands").text("{")).await.refused(400, "unreadable-json", None);
    it.bench.ask(post("/commands")).await.refused(415, "not-json", None);
}

#[tokio::test]
async fn who_sends_a_command_shows_it() {
    for (dialect, unknown, conflict) in [(Dialect::Standard, 401, 409), (Dialect::Msd, 404, 403)] {
        let it = Match::with(Setup { dialect, ..Setup::in_memory() }).await;
        let buy = |who: Value| {
            let mut body = json!({"gameId": it.game, "type": "buying", "data": {"itemName": "ROBOT"}});
            body.as_object_mut().expect("an object").extend(who.as_object().expect("an object").clone());
            send(&body)
        };
        let stranger = Uuid::from_u128(5);
        let ada = it.ada.1.to_string();
        it.bench.ask(buy(json!({"playerToken": it.ada.1}))).await.is(201);
        it.bench.ask(buy(json!({})).bearer(&ada)).await.is(201);
        it.bench.ask(buy(json!({"playerId": it.ada.0, "playerToken": it.ada.1}))).await.is(201);
        it.bench.ask(buy(json!({"playerToken": stranger}))).await.refused(unknown, "unknown-token", None);
        it.bench.ask(buy(json!({"playerToken": "zzz"}))).await.refused(unknown, "unknown-token", None);
        it.bench.ask(buy(json!({})).bearer("zzz")).await.refused(unknown, "unknown-token", None);
        it.bench.ask(buy(json!({}))).await.refused(401, "player-token-needed", None);
        let foreign = buy(json!({"playerId": it.bob.0, "playerToken": it.ada.1}));
        it.bench.ask(foreign).await.refused(401, "player-token-needed", None);
        let foreign = buy(json!({"playerId": it.bob.0})).bearer(&ada);
        it.bench.ask(foreign).await.refused(401, "player-token-needed", None);
        let (alone, nobody) = (buy(json!({"playerId": it.ada.0})), buy(json!({"playerId": stranger})));
        if dialect == Dialect::Msd {
            it.bench.ask(alone).await.is(201);
            it.bench.ask(nobody).await.refused(404, "unknown-player", None);
        } else {
            it.bench.ask(alone).await.refused(401, "player-token-needed", None);
            it.bench.ask(nobody).await.refused(401, "player-token-needed", None);
        }
        let (_, eve) = it.bench.register("eve").await;
        let outside = buy(json!({"playerToken": eve}));
        it.bench.ask(outside).await.refused(conflict, "not-participating", None);
    }
}

#[tokio::test]
async fn a_command_belongs_to_the_collection_phase_of_a_running_game() {
    for (dialect, conflict) in [(Dialect::Standard, 409), (Dialect::Msd, 403)] {
        let it = Match::with(Setup { dialect, ..Setup::in_memory() }).await;
        let mine = it.of_ada("mining", &json!({}));
        it.bench.advance(3_000).await;
        it.bench.advance(12).await;
        let late = it.bench.ask(send(&mine)).await;
        late.refused(conflict, "input-ended", None);
        assert_eq!(late.json()["lateByMillis"], 12);
        it.bench.advance(988).await;
        assert_eq!(it.bench.ask(send(&mine)).await.is(201)["roundNumber"], 2);
        it.bench.end(it.game).await.is(201);
        it.bench.ask(send(&mine)).await.refused(conflict, "game-ended", None);
        let created = it.bench.create(3, 2).await;
        it.bench.put_in(created, it.ada.1).await.is(200);
        let mut early = mine.clone();
        early["gameId"] = json!(created);
        it.bench.ask(send(&early)).await.refused(conflict, "game-not-running", None);
        early["gameId"] = json!(Uuid::from_u128(4));
        it.bench.ask(send(&early)).await.refused(404, "unknown-game", None);
    }
}

#[tokio::test]
async fn a_paused_collection_phase_still_takes_commands() {
    let it = Match::in_memory().await;
    it.bench.advance(1_000).await;
    it.bench.order(it.game, "pause").await.is(201);
    it.bench.advance(60_000).await;
    let reply = it.bench.ask(send(&it.of_ada("mining", &json!({})))).await.is(201);
    assert_eq!(reply["collectionLeftInMillis"], 2000);
}

#[tokio::test]
async fn a_robot_that_acts_lives_and_is_ones_own() {
    for (dialect, conflict) in [(Dialect::Standard, 409), (Dialect::Msd, 403)] {
        let it = Match::with(Setup { dialect, ..Setup::in_memory() }).await;
        for kind in ["mining", "selling"] {
            let mut of_bob = it.of_ada(kind, &json!({}));
            of_bob["playerToken"] = json!(it.bob.1);
            it.bench.ask(send(&of_bob)).await.refused(conflict, "foreign-robot", None);
        }
        it.bench.ask(delete(format!("/robots/{}", it.robot))).await;
        let dead = it.of_ada("mining", &json!({}));
        it.bench.ask(send(&dead)).await.refused(conflict, "robot-destroyed", None);
    }
}

#[tokio::test]
async fn a_robot_that_is_not_known_yet_is_waited_for_and_no_longer_than_that() {
    let it = Match::in_memory().await;
    let young = Uuid::from_u128(0x71);
    let mut body = it.of_ada("mining", &json!({}));
    body["robotId"] = json!(young);
    let mut waiting = Box::pin(it.bench.ask(send(&body)));
    assert!(futures::poll!(&mut waiting).is_pending());
    it.bench.spawn(young, it.ada.0).await;
    waiting.await.is(201);

    body["robotId"] = json!(Uuid::from_u128(0x72));
    let mut waiting = Box::pin(it.bench.ask(send(&body)));
    assert!(futures::poll!(&mut waiting).is_pending());
    it.bench.advance(499).await;
    assert!(futures::poll!(&mut waiting).is_pending());
    it.bench.advance(1).await;
    waiting.await.refused(404, "unknown-robot", None);

    // Shortly before the input ends it is waited for half of what is left.
    it.bench.advance(2_400).await;
    let mut waiting = Box::pin(it.bench.ask(send(&body)));
    assert!(futures::poll!(&mut waiting).is_pending());
    it.bench.advance(50).await;
    waiting.await.refused(404, "unknown-robot", None);
}

#[tokio::test]
async fn without_a_game_the_only_running_one_is_meant() {
    let it = Match::with(Setup { running_games: 3, ..Setup::in_memory() }).await;
    let buy = json!({"playerToken": it.ada.1, "type": "buying", "data": {"itemName": "ROBOT"}});
    it.bench.ask(send(&buy)).await.is(201);
    let second = it.bench.create(3, 1).await;
    it.bench.put_in(second, it.ada.1).await.is(200);
    it.bench.ask(send(&buy)).await.is(201);
    it.bench.start(second).await.is(201);
    it.bench.ask(send(&buy)).await.refused(409, "several-running-games", None);
    it.bench.end(it.game).await.is(201);
    it.bench.ask(send(&buy)).await.is(201);
    it.bench.end(second).await.is(201);
    it.bench.ask(send(&buy)).await.refused(409, "no-running-game", None);
}

#[tokio::test]
async fn the_last_command_for_a_robot_wins_over_restarts_too() {
    let mut it = Match::new().await;
    let first = it.ada_sends("movement", json!({"planetId": PLANET})).await;
    it.bench.restart().await;
    let second = it.ada_sends("mining", json!({})).await;
    let third = it.ada_sends("buying", json!({"itemName": "HEALTH"})).await;
    let bought = it.ada_sends("buying", json!({"itemName": "ROBOT"})).await;
    it.bench.restart().await;
    let seen = it.seen_by_ada(1).await;
    let ids: Vec<_> = seen.iter().map(|command| uuid_in(command, "transactionId")).collect();
    assert_eq!(ids, [third, bought]);
    for (id, state) in [(first, "replaced"), (second, "replaced"), (third, "pending")] {
        let path = format!("/commands/{id}");
        let receipt = it.bench.ask(get(path).bearer(&it.ada.1.to_string())).await.is(200);
        assert_eq!(receipt["state"], state);
    }
}

#[tokio::test]
async fn many_commands_at_once_are_answered_one_by_one_in_their_order() {
    let it = Match::new().await;
    let body = json!([
        it.of_ada("movement", &json!({"planetId": PLANET})),
        it.of_ada("movement", &json!({})),
        7,
        it.of_ada("mining", &json!({})),
        {"type": "mining", "data": {"robotId": it.robot}, "playerToken": it.bob.1},
        {"type": "mining", "data": {"robotId": it.robot}, "playerToken": Uuid::from_u128(1)},
    ]);
    let before = it.bench.commits().await;
    // One of them is no command at all, which is for this one alone.
    let answers = it.bench.ask(post("/commands/batch").json(&body).undocumented()).await.is(200);
    assert_eq!(it.bench.commits().await, before + 1, "one commit for all of them");
    let statuses: Vec<_> =
        answers.as_array().unwrap().iter().map(|answer| answer["status"].clone()).collect();
    assert_eq!(statuses, [201, 422, 422, 201, 409, 401]);
    assert_eq!(answers[0]["receipt"]["state"], "pending");
    assert_eq!(answers[1]["problem"]["field"], "planetId");
    assert_eq!(answers[4]["problem"]["code"], "foreign-robot");
    assert_eq!(answers[5]["problem"]["code"], "unknown-token");
    assert!(answers[0].get("problem").is_none() && answers[1].get("receipt").is_none());
    let [only] = &it.seen_by_ada(1).await[..] else { panic!("the last one wins within a request, too") };
    assert_eq!(only["transactionId"], answers[3]["receipt"]["transactionId"]);

    assert_eq!(it.bench.ask(post("/commands/batch").json(&json!([]))).await.is(200), json!([]));
    let purchase = it.of_ada("buying", &json!({"itemName": "ROBOT"}));
    let thousand = vec![purchase.clone(); 1000];
    let answers = it.bench.ask(post("/commands/batch").json(&json!(thousand))).await.is(200);
    assert!(answers.as_array().unwrap().iter().all(|answer| answer["status"] == 201));
    let more = vec![purchase; 1001];
    it.bench.ask(post("/commands/batch").json(&json!(more))).await.refused(
        422,
        "invalid-field",
        Some("body"),
    );
    it.bench.ask(post("/commands/batch").json(&json!({}))).await.refused(422, "invalid-field", Some("body"));
    assert_eq!(it.seen_by_ada(1).await.len(), 1001);
}

#[tokio::test]
async fn a_repeated_command_is_answered_again_to_its_sender_alone() {
    let it = Match::in_memory().await;
    let body = json!({"type": "buying", "data": {"itemName": "ROBOT"}});
    let ask = |token: Uuid| send(&body).bearer(&token.to_string()).key("1");
    let (first, again, other) = (
        it.bench.ask(ask(it.ada.1)).await,
        it.bench.ask(ask(it.ada.1)).await,
        it.bench.ask(ask(it.bob.1)).await,
    );
    assert_eq!(first.is(201), again.is(201));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_ne!(first.is(201)["transactionId"], other.is(201)["transactionId"]);
    let batch = || {
        let batch = post("/commands/batch").json(&json!([body, 7])).undocumented();
        batch.bearer(&it.ada.1.to_string()).key("1")
    };
    let (first, again) = (it.bench.ask(batch()).await, it.bench.ask(batch()).await);
    assert_eq!(first.is(200), again.is(200));
    assert_eq!(it.seen_by_ada(1).await.len(), 2);
}

#[tokio::test]
async fn a_command_is_not_repeated_for_a_token_that_is_worth_nothing_any_longer() {
    let it = Match::in_memory().await;
    let (player, old) = (it.ada.0, it.ada.1.to_string());
    let body = |token: &str| json!({"type": "buying", "playerToken": token, "data": {"itemName": "ROBOT"}});
    let ask = |token: &str| it.bench.ask(send(&body(token)).key("1"));
    ask(&old).await.is(201);
    assert_eq!(ask(&old).await.header("idempotency-replayed"), Some("true"));
    let renewed = it.bench.ask(post(format!("/players/{player}/token")).bearer(&old)).await.is(201);
    ask(&old).await.refused(401, "unknown-token", None);
    ask("nonsense").await.refused(401, "unknown-token", None);
    let new = uuid_in(&renewed, "bearerToken").to_string();
    ask(&new).await.refused(422, "idempotency-key-reused", Some("Idempotency-Key"));
}

#[tokio::test]
async fn many_commands_that_nobody_signs_cost_the_store_nothing() {
    let it = Match::new().await;
    let before = it.bench.commits().await;
    let nobodys = vec![json!({"type": "buying", "data": {"itemName": "ROBOT"}}); 1000];
    let answers = it.bench.ask(post("/commands/batch").json(&json!(nobodys)).key("1")).await.is(200);
    assert!(answers.as_array().expect("a list").iter().all(|answer| answer["status"] == 401));
    assert_eq!(it.bench.commits().await, before);
}

#[tokio::test]
async fn details_that_are_an_empty_text_are_absent() {
    let it = Match::in_memory().await;
    let body = json!({"playerToken": it.ada.1, "type": "mining", "commandObject": "", "data": {"robotId": it.robot}});
    it.bench.ask(post("/commands").json(&body)).await.is(201);
}

#[tokio::test]
async fn what_stands_in_a_field_is_not_repeated() {
    let it = Match::in_memory().await;
    let body = it.of_ada("buying", &json!({"itemName": "ROBOT", "itemQuantity": it.bob.1}));
    let said =
        it.bench.ask(post("/commands").json(&body)).await.refused(422, "invalid-field", Some("itemQuantity"));
    assert!(!said.contains(&it.bob.1.to_string()), "{said}");
}
