//! player-robocop, in Java: a taken name sends it to look itself up, and the first listed game is the one it means.
//! It reads players as ids, and who joined by its name.

use jiff::civil::DateTime;
use serde::Deserialize;
use serde_json::json;
use starkeep_test_harness::{TestRequest, get, post, put};
use uuid::Uuid;

use super::{GameStatus, RoundStatus, Transaction, has_status, read, records, whole_game};
use crate::harness::Bench;

/// An answer to `POST /games` is read as one as well, which has nothing but the id.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    game_id: Uuid,
    game_status: Option<GameStatus>,
    max_players: Option<i32>,
    max_rounds: Option<i32>,
    /// May be missing, but not null; names are an error.
    #[serde(default)]
    participating_players: Vec<Uuid>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Registered {
    name: String,
    email: String,
    bearer_token: Uuid,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GameStatusEvent {
    game_id: Uuid,
    status: GameStatus,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PlayerStatusEvent {
    player_id: Uuid,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoundStatusEvent {
    round_number: i32,
    round_status: RoundStatus,
}

fn register() -> TestRequest {
    post("/players").json(&json!({"name": "robocop", "email": "robocop@example.org", "bearerToken": null}))
}

fn look_up() -> TestRequest {
    get("/players?name=robocop&mail=robocop@example.org")
}

async fn games(bench: &Bench) -> Vec<Listed> {
    read(&bench.ask(get("/games")).await, 200)
}

#[tokio::test]
async fn a_taken_name_is_403_and_sends_it_to_look_itself_up() {
    let bench = Bench::msd_in_memory().await;
    let registered: Registered = read(&bench.ask(register()).await, 201);
    has_status(&bench.ask(register()).await, 403);
    let found: Registered = read(&bench.ask(look_up()).await, 200);
    assert_eq!(found, registered);
    assert_eq!((&*found.name, &*found.email), ("robocop", "robocop@example.org"));
}

#[tokio::test]
async fn from_the_event_of_a_game_to_the_purchase_of_its_first_robot() {
    let bench = Bench::msd_in_memory().await;
    let me: Registered = read(&bench.ask(register()).await, 201);
    let made = post("/games").json(&json!({"maxPlayers": 6, "maxRounds": 58}));
    let made: Listed = read(&bench.ask(made).await, 201);
    assert!(made.game_status.is_none() && made.participating_players.is_empty());

    let [record] = &records(&bench, "status").await[..] else { panic!("one event") };
    let event: GameStatusEvent = record.read();
    assert_eq!((event.game_id, event.status), (made.game_id, GameStatus::Created));
    let [listed] = &games(&bench).await[..] else { panic!("exactly one game") };
    assert_eq!(listed.game_id, made.game_id);
    assert_eq!((listed.max_players, listed.max_rounds), (Some(6), Some(58)));
    assert_eq!(listed.game_status, Some(GameStatus::Created));

    let join = put(format!("/games/{}/players/{}", listed.game_id, me.bearer_token)).text("");
    let joined: Transaction = read(&bench.ask(join).await, 200);
    let [record] = &records(&bench, "playerStatus").await[..] else { panic!("one event") };
    let PlayerStatusEvent { player_id, name } = record.read();
    assert_eq!((&*name, record.header("transactionId")), ("robocop", &*joined.transaction_id.to_string()));
    let [listed] = &games(&bench).await[..] else { panic!("exactly one game") };
    assert_eq!(listed.participating_players, [player_id]);

    bench.start(listed.game_id).await.is(201);
    let [record] = &records(&bench, "roundStatus").await[..] else { panic!("one event") };
    let RoundStatusEvent { round_number, round_status } = record.read();
    // In no other round does it buy robots.
    assert_eq!((round_number, round_status), (1, RoundStatus::Started));
    let buy = post("/commands").json(&json!({
        "gameId": made.game_id, "playerToken": me.bearer_token, "robotId": null, "commandType": "buying",
        "commandObject": {"commandType": "buying", "planetId": null, "targetId": null, "itemName": "ROBOT",
                          "itemQuantity": 1},
    }));
    let _: Transaction = read(&bench.ask(buy).await, 201);
}

#[tokio::test]
async fn an_ended_game_is_no_longer_the_first_one() {
    let (bench, ended, _) = whole_game().await;
    assert!(games(&bench).await.is_empty());
    let next = bench.create(2, 2).await;
    let [listed] = &games(&bench).await[..] else { panic!("exactly one game") };
    assert!(listed.game_id == next && listed.game_id != ended);
}

#[tokio::test]
async fn the_time_of_every_event_has_its_one_form() {
    let (bench, ..) = whole_game().await;
    for channel in ["status", "playerStatus", "roundStatus"] {
        for record in records(&bench, channel).await {
            DateTime::strptime("%Y-%m-%dT%H:%M:%SZ", record.header("timestamp")).expect("its form");
            record.header("eventId").parse::<Uuid>().expect("an id");
            record.header("transactionId").parse::<Uuid>().expect("an id");
        }
    }
}
