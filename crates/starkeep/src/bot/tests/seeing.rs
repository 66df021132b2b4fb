//! Bots that see: what the view and the robot service's events show leads to commands, and who watches is told how it stands.
//! Which commands are good ones is decided, and tested, elsewhere.

use serde_json::{Value, json};
use uuid::Uuid;

use super::fake::{Fake, GAME, token};
use super::time::Time;
use super::{bots, run_bots};

const STATION: Uuid = Uuid::from_u128(0x57);
const COAL: Uuid = Uuid::from_u128(0xC0A1);
const ROBOT: Uuid = Uuid::from_u128(0x0B0);
const STRANGER: Uuid = Uuid::from_u128(0xBAD);

fn planet(id: Uuid, kind: &str, neighbour: Uuid, resource: &Value) -> Value {
    let day = "2026-01-02T03:04:05Z";
    let resource = resource.as_str().map(|word| {
        json!({ "id": id, "planet_id": id, "max_amount": 10_000, "current_amount": 9_000, "created_at": day,
            "updated_at": day, "resource_type": word })
    });
    json!({ "id": id, "movement_difficulty": 1, "recharge_multiplicator": 1, "gameworld_id": Uuid::nil(),
        "planet_type": kind, "neighbours": [{ "planet_id": neighbour, "movement_difficulty": 1, "direction": "east" }],
        "created_at": day, "updated_at": day, "resource": resource })
}

fn robot(planet: Uuid, coal: u32) -> Value {
    json!({ "id": ROBOT, "player": Uuid::from_u128(1), "planet": planet, "alive": true, "maxHealth": 10, "maxEnergy": 20,
        "energyRegen": 4, "attackDamage": 1, "miningSpeed": 2, "health": 10, "energy": 20, "healthLevel": 0,
        "damageLevel": 0, "miningSpeedLevel": 0, "miningLevel": 0, "energyLevel": 0, "energyRegenLevel": 0,
        "storageLevel": 0, "inventory": { "maxStorage": 20, "usedStorage": coal, "storedCoal": coal, "storedIron": 0,
        "storedGem": 0, "storedGold": 0, "storedPlatin": 0 } })
}

fn view(money: u64, robots: &Value, planets: &Value) -> Value {
    let prices = json!({ "coal": 5, "iron": 15, "gem": 30, "gold": 50, "platin": 60 });
    json!({ "money": money, "prices": prices, "robots": robots, "planets": planets })
}

/// What the robot does when it stands there with so much coal.
fn on_station(money: u64, coal: u32) -> Value {
    let station = planet(STATION, "spacestation", COAL, &Value::Null);
    view(money, &json!([robot(STATION, coal)]), &json!([station]))
}

fn on_coal(coal: u32) -> Value {
    let planet = planet(COAL, "default", STATION, &json!("coal"));
    view(0, &json!([robot(COAL, coal)]), &json!([planet]))
}

fn command(kind: &str, robot: Option<Uuid>, details: &Value) -> Value {
    let mut object = json!({ "commandType": kind, "planetId": null, "targetId": null, "itemName": null,
        "itemQuantity": null });
    object.as_object_mut().unwrap().extend(details.as_object().unwrap().clone());
    let mut command =
        json!({ "gameId": GAME, "playerToken": token(1), "commandType": kind, "commandObject": object });
    if let Some(robot) = robot {
        command["robotId"] = json!(robot);
    }
    command
}

/// What the bot sends in rounds in which it sees this, one after the other.
async fn sent(views: &[Value], events: &[Value]) -> Vec<Value> {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    fake.show(|shown| shown.robot_events = events.to_vec());
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "show").await;
        for (number, view) in (1..).zip(views) {
            fake.show(|shown| drop(shown.views.insert(token(1).to_string(), view.clone())));
            fake.publish_round_status(number, "started");
            fake.until(1, "ready").await;
        }
        fake.publish_game_status("ended");
        fake.until_they_leave().await;
    })
    .await;
    ran.outcome.unwrap();
    fake.sent("command").into_iter().cloned().collect()
}

#[tokio::test]
async fn what_a_bot_sees_becomes_commands() {
    let nothing = view(200, &json!([]), &json!([]));
    let views = [nothing, on_station(100, 0), on_station(0, 0), on_coal(0), on_coal(20), on_station(0, 20)];
    let sent = sent(&views, &[]).await;
    let to = |planet: Uuid| json!({ "planetId": planet.to_string() });
    let upgrade = json!({ "planetId": STATION.to_string(), "itemName": "MINING_1", "itemQuantity": 1 });
    let expected = [
        command("buying", None, &json!({ "itemName": "ROBOT", "itemQuantity": 1 })),
        command("buying", Some(ROBOT), &upgrade),
        command("movement", Some(ROBOT), &to(COAL)),
        command("mining", Some(ROBOT), &json!({})),
        command("movement", Some(ROBOT), &to(STATION)),
        command("selling", Some(ROBOT), &to(STATION)),
    ];
    assert_eq!(sent.len(), expected.len(), "{sent:#?}");
    for (sent, expected) in sent.iter().zip(&expected) {
        assert_eq!(sent, expected);
    }
}

#[tokio::test]
async fn several_orders_go_in_one_request() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let bots = bots(1);
    let ran = Box::pin(run_bots(&place, clock, &bots, async {
        fake.until(1, "show").await;
        fake.show(|shown| drop(shown.views.insert(token(1).to_string(), on_station(400, 5))));
        fake.publish_round_status(1, "started");
        let batch = fake.asked("POST /commands/batch").await;
        let kinds: Vec<_> =
            batch.body.as_array().unwrap().iter().map(|sent| sent["commandType"].clone()).collect();
        assert_eq!(kinds, ["selling", "buying"]);
        let problem = json!({ "type": "/errors/game-ended", "title": "", "status": 409, "code": "game-ended",
            "detail": "" });
        let taken = super::fake::receipt(&json!(token(1)), "pending");
        batch.answer(&json!([{ "status": 201, "receipt": taken }, { "status": 409, "problem": problem }]));
        fake.until(1, "ready").await;
        fake.publish_game_status("ended");
        fake.until_they_leave().await;
    }))
    .await;
    ran.outcome.unwrap();
    assert!(ran.tally.contains("1 command accepted, 1 refused (1 game-ended)."), "{}", ran.tally);
}

#[tokio::test]
async fn who_is_struck_strikes_back() {
    let headers = json!({ "eventId": Uuid::nil(), "transactionId": "", "version": "1",
        "timestamp": "2026-01-02T03:04:05Z", "type": "fighting" });
    let attack = |success| {
        json!({ "id": "p-1", "channel": "fighting", "headers": headers, "payload": { "success": success, "message": "",
            "attacker": STRANGER, "defender": ROBOT, "remainingDefenderHealth": 9, "remainingEnergy": 19 } })
    };
    let strikes_back = command("battle", Some(ROBOT), &json!({ "targetId": STRANGER }));
    for success in [true, false] {
        let sent = sent(&[on_coal(0), on_coal(2)], &[attack(success)]).await;
        assert_eq!(sent.contains(&strikes_back), success, "{sent:#?}");
    }
}

#[tokio::test]
async fn a_line_after_each_round_shows_how_the_game_stands() {
    let (mut fake, (_time, clock)) = (Fake::start().await, Time::new());
    let place = fake.place.clone();
    let row = |money: u64| {
        json!([{ "rank": 1, "playerId": Uuid::nil(), "name": "bot-1", "money": money, "robotsAlive": 2, "mined": null,
            "fightsWon": 0, "out": false, "left": false }])
    };
    let ran = run_bots(&place, clock, &bots(1), async {
        fake.until(1, "show").await;
        for (number, money) in [(1, 200), (2, 350)] {
            fake.show(|shown| shown.scoreboard = row(money));
            fake.publish_round_status(number, "started");
            fake.until(1, "ready").await;
            fake.publish_round_status(number, "ended");
        }
        fake.publish_game_status("ended");
        fake.until_they_leave().await;
    })
    .await;
    ran.outcome.unwrap();
    // The second round may have ended before the first one was told.
    assert!(ran.printed.ends_with("\nRound 2 of 100: bot-1 350; 2 robots.\n"), "{}", ran.printed);
}
