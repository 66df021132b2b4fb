//! player-sharp, in C#: it looks itself up before it registers, and looks at a game before it joins.
//! Of the codes of a failed join it forgives two; on every other one it stops.

use http::Method;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use starkeep_game_core::Kind;
use starkeep_test_harness::{TestRequest, get, post, put, request};
use uuid::Uuid;

use super::{RoundStatus, Transaction, has_status, read, records, running_match, whole_game};
use crate::harness::Bench;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlayerDetails {
    player_id: Uuid,
    bearer_token: Uuid,
    name: String,
    email: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    game_id: Uuid,
    #[serde(deserialize_with = "in_any_case")]
    game_status: String,
    #[serde(default)]
    participating_players: Vec<String>,
}

fn in_any_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let word = String::deserialize(deserializer)?.to_lowercase();
    let known = ["created", "started", "ended"].contains(&&*word);
    if known { Ok(word) } else { Err(serde::de::Error::custom(format!("no such status: {word}"))) }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoundStatusEvent {
    game_id: Uuid,
    round_number: u32,
    round_status: RoundStatus,
}

fn look_up() -> TestRequest {
    get("/players?name=player%20sharp&mail=sharp%40example.org")
}

fn register() -> TestRequest {
    let body = json!({"name": "player sharp", "email": "sharp@example.org"});
    post("/players").json(&body).header("content-type", "application/json; charset=utf-8")
}

fn join(game: Uuid, token: Uuid) -> TestRequest {
    put(format!("/games/{game}/players/{token}"))
}

#[tokio::test]
async fn it_registers_if_it_is_not_found_and_finds_itself_from_then_on() {
    let bench = Bench::msd_in_memory().await;
    has_status(&bench.ask(look_up()).await, 404);
    let registered: PlayerDetails = read(&bench.ask(register()).await, 201);
    let found: PlayerDetails = read(&bench.ask(look_up()).await, 200);
    assert_eq!(found, registered);
    assert_eq!(found.name, "player sharp");
}

#[tokio::test]
async fn it_looks_at_a_game_before_it_joins() {
    let bench = Bench::msd_in_memory().await;
    let me: PlayerDetails = read(&bench.ask(register()).await, 201);
    let id = bench.create(3, 2).await;
    let looked = bench.ask(request(Method::HEAD, format!("/games/{id}"))).await;
    assert!((looked.status, looked.bytes.is_empty()) == (200, true), "{looked:?}");
    let before: Listed = read(&bench.ask(get(format!("/games/{id}"))).await, 200);
    assert_eq!((before.game_id, before.participating_players.len()), (id, 0));
    let _: Transaction = read(&bench.ask(join(id, me.bearer_token)).await, 200);
    let [listed] = &read::<Vec<Listed>>(&bench.ask(get("/games")).await, 200)[..] else { panic!("one game") };
    assert_eq!(listed.participating_players, [me.player_id.to_string()]);
    let status = async || read::<Listed>(&bench.ask(get(format!("/games/{id}"))).await, 200).game_status;
    assert_eq!(status().await, "created");
    bench.start(id).await.is(201);
    assert_eq!(status().await, "started");
    bench.end(id).await.is(201);
    assert_eq!(status().await, "ended");
}

#[tokio::test]
async fn whatever_keeps_it_from_joining_has_a_code_that_it_forgives() {
    let bench = Bench::msd_in_memory().await;
    let me: PlayerDetails = read(&bench.ask(register()).await, 201);
    let (_, other) = bench.register("other").await;
    has_status(&bench.ask(join(Uuid::from_u128(1), me.bearer_token)).await, 404);
    has_status(&bench.ask(get(format!("/games/{}", Uuid::from_u128(1)))).await, 404);
    let game = bench.create(3, 1).await;
    has_status(&bench.ask(join(game, Uuid::from_u128(2))).await, 404);
    let _: Transaction = read(&bench.ask(join(game, me.bearer_token)).await, 200);
    has_status(&bench.ask(join(game, me.bearer_token)).await, 403);
    has_status(&bench.ask(join(game, other)).await, 403);
    bench.start(game).await.is(201);
    has_status(&bench.ask(join(game, other)).await, 403);
    bench.end(game).await.is(201);
    has_status(&bench.ask(join(game, other)).await, 403);
}

#[tokio::test]
async fn its_commands_are_taken_with_all_their_nulls() {
    let it = running_match().await;
    let send = |robot: Option<Uuid>, kind: &str, planet: Option<Uuid>, item: Option<&str>| {
        let quantity = item.map(|_| 1);
        post("/commands").json(&json!({
            "gameId": it.game, "robotId": robot, "playerToken": it.ada.1, "commandType": kind,
            "commandObject": {"commandType": kind, "planetId": planet, "targetId": null, "itemName": item,
                              "itemQuantity": quantity},
        }))
    };
    let bought: Transaction = read(&it.bench.ask(send(None, "buying", None, Some("ROBOT"))).await, 201);
    let planet = Some(Uuid::from_u128(0x80));
    let moved: Transaction = read(&it.bench.ask(send(Some(it.robot), "movement", planet, None)).await, 201);
    it.bench.advance(3_000).await;
    assert_eq!(it.bench.trading.sent(), [(Kind::Buying, vec![bought.transaction_id])]);
    assert_eq!(it.bench.robots.sent(), [(Kind::Movement, vec![moved.transaction_id])]);
}

#[tokio::test]
async fn it_follows_the_rounds_and_drops_none_for_its_age() {
    let (bench, game, _) = whole_game().await;
    let mut last = None;
    for record in records(&bench, "roundStatus").await {
        let RoundStatusEvent { game_id, round_number, round_status } = record.read();
        assert_eq!(game_id, game);
        let at: jiff::Timestamp = record.header("timestamp").parse().expect("a time");
        let now = (round_number, round_status as u8, at);
        assert!(last.replace(now).is_none_or(|last| last < now), "{last:?} {now:?}");
    }
    assert_eq!(last.map(|(round, ..)| round), Some(2));
}
