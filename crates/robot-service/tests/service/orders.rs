//! Orders for one robot: upgrades and their refusals, restorations, the unloading; each is carried out once.

use serde_json::{Value, json};
use starkeep_test_harness::{Reply, TestRequest, post};
use uuid::Uuid;

use crate::harness::{Bench, GAME, mine, move_to, player, tx};

fn upgrade(robot: Uuid, kind: &str, level: &Value, transaction: u128) -> TestRequest {
    let body = json!({"transactionId": tx(transaction), "upgradeType": kind, "targetLevel": level});
    post(format!("/robots/{robot}/upgrades")).json(&body)
}

fn restore(robot: Uuid, kind: &str, transaction: u128) -> TestRequest {
    let body = json!({"transactionId": tx(transaction), "restorationType": kind});
    post(format!("/robots/{robot}/instant-restore")).json(&body)
}

fn unload(robot: Uuid) -> TestRequest {
    post(format!("/robots/{robot}/inventory/clearResources"))
}

#[track_caller]
fn is_text(reply: &Reply, text: &str) {
    assert_eq!((reply.status, reply.text().as_str()), (200, text), "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("text/plain;charset=utf-8"));
}

#[tokio::test]
async fn an_upgrade_gives_the_next_level_once_and_says_so() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let text = format!("STORAGE of robot {robot} has been updated to LVL1");
    is_text(&bench.ask(upgrade(robot, "STORAGE", &json!(1), 2)).await, &text);
    // A repeat has the same answer, with and without a key; a level as text is taken, too.
    is_text(&bench.ask(upgrade(robot, "STORAGE", &json!(1), 2)).await, &text);
    let keyed = upgrade(robot, "STORAGE", &json!("2"), 3).key("k").undocumented();
    let second = format!("STORAGE of robot {robot} has been updated to LVL2");
    is_text(&bench.ask(keyed.clone()).await, &second);
    is_text(&bench.ask(keyed).await, &second);
    assert_eq!(bench.robot(robot).await["inventory"]["maxStorage"], 100);
    is_text(
        &bench.ask(upgrade(robot, "MAX_ENERGY", &json!(1), 4)).await,
        &format!("MAX_ENERGY of robot {robot} has been updated to LVL1"),
    );
    let shown = bench.robot(robot).await;
    assert_eq!(
        (&shown["energy"], &shown["maxEnergy"], &shown["energyLevel"]),
        (&json!(30), &json!(30), &json!(1))
    );
    let other = bench.ask(upgrade(robot, "HEALTH", &json!(1), 4)).await;
    other.refused(422, "idempotency-key-reused", Some("transactionId"));
    assert_eq!(bench.told(), 2, "only the spawn is told of");
}

#[tokio::test]
async fn a_refused_upgrade_says_why() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    bench.ask(upgrade(robot, "HEALTH", &json!(1), 2)).await;
    for (kind, level, text) in [
        ("MINING", 5, "MINING has no level 5, its highest level is 4".to_owned()),
        ("STORAGE", 6, "STORAGE has no level 6, its highest level is 5".to_owned()),
        ("HEALTH", 3, format!("HEALTH of robot {robot} is at LVL1: LVL3 cannot be reached before LVL2")),
        ("HEALTH", 1, format!("HEALTH of robot {robot} is at LVL1 already")),
        ("STORAGE", 0, format!("STORAGE of robot {robot} is at LVL0 already")),
    ] {
        let refused = bench.ask(upgrade(robot, kind, &json!(level), 3)).await;
        assert_eq!(refused.refused(409, "upgrade-refused", None), text);
    }
    for (bad, hint) in
        [("storage", "did you mean `STORAGE`?"), ("ROCKET", "another text"), ("STORAGE_", "`STORAGE`?")]
    {
        let refused = bench.ask(upgrade(robot, bad, &json!(1), 3)).await;
        let detail = refused.refused(400, "request-not-accepted", Some("upgradeType"));
        assert!(detail.starts_with("Request could not be accepted: ") && detail.ends_with(hint), "{detail}");
    }
    // A refusal uses up no transaction.
    assert_eq!(bench.ask(upgrade(robot, "HEALTH", &json!(2), 3)).await.status, 200);
}

#[tokio::test]
async fn a_restoration_fills_up_and_unloading_empties() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    bench.execute(&[move_to(robot, planets.coal, 2)]).await;
    bench.execute(&[mine(robot, 3)]).await;
    is_text(&bench.ask(restore(robot, "ENERGY", 4)).await, &format!("robot {robot} energy restored"));
    is_text(&bench.ask(restore(robot, "HEALTH", 5)).await, &format!("robot {robot} health restored"));
    assert_eq!(bench.robot(robot).await["energy"], 20);
    // Carried out once: what is used afterwards stays used.
    bench.execute(&[move_to(robot, planets.station, 6)]).await;
    assert_eq!(bench.ask(restore(robot, "ENERGY", 4)).await.status, 200);
    assert_eq!(bench.robot(robot).await["energy"], 19);

    let two = json!({"coal": 2, "iron": 0, "gem": 0, "gold": 0, "platin": 0});
    assert_eq!(bench.ask(unload(robot).key("sale")).await.is(200), two);
    assert_eq!(bench.ask(unload(robot).key("sale")).await.is(200), two, "the same sale");
    let nothing = json!({"coal": 0, "iron": 0, "gem": 0, "gold": 0, "platin": 0});
    assert_eq!(bench.ask(unload(robot)).await.is(200), nothing);
    bench.assert_books_balance().await;
}

#[tokio::test]
async fn orders_for_robots_that_are_unknown_of_other_games_or_of_ended_ones_are_refused() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let (nobody, other) = (Uuid::from_u128(9), Uuid::from_u128(0x6b << 120));
    bench.start_game(other).await;
    let orders =
        |robot: Uuid| [upgrade(robot, "STORAGE", &json!(1), 2), restore(robot, "HEALTH", 3), unload(robot)];
    for order in orders(nobody) {
        let text = bench.ask(order).await.refused(404, "unknown-robot", None);
        assert_eq!(text, format!("Robot with ID {nobody} not found"));
    }
    for order in orders(robot) {
        bench.ask(order.header("starkeep-game", &other.to_string())).await.refused(
            404,
            "unknown-robot",
            None,
        );
    }
    let not_an_id = post("/robots/r2/inventory/clearResources");
    bench.ask(not_an_id).await.refused(400, "request-not-accepted", Some("robotId"));
    bench.roster(GAME, "ended").await;
    for order in orders(robot) {
        bench.ask(order.clone()).await.refused(404, "unknown-robot", None);
        bench.ask(order.header("starkeep-game", &GAME.to_string())).await.refused(409, "game-ended", None);
    }
    assert_eq!(bench.robot(robot).await["storageLevel"], 0, "it can still be read");
}
