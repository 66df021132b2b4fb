//! MSDungeon, a bot in Kotlin of 2023: it knows itself by its playerId, and sends empty texts where it has nothing to say.
//! A word it does not expect in an event is an error; so is any code but the one it waits for.

use serde::Deserialize;
use serde_json::json;
use starkeep_game_core::Kind;
use starkeep_test_harness::{get, patch, post, put};
use uuid::Uuid;

use super::{Transaction, has_status, read, records, running_match, whole_game};
use crate::harness::Bench;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlayerInfo {
    player_id: Uuid,
    name: String,
    email: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GameInfo {
    game_id: Uuid,
    game_status: String,
    max_players: i32,
    max_rounds: i32,
    participating_players: Vec<String>,
    round_length_in_millis: i32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GameStatusEvent {
    game_id: Uuid,
    gameworld_id: Option<Uuid>,
    status: String,
}

/// Declared as JSON, also where there is nothing to read.
async fn games(bench: &Bench) -> Vec<GameInfo> {
    read(&bench.ask(get("/games").text("")).await, 200)
}

#[tokio::test]
async fn it_looks_itself_up_registers_and_looks_itself_up_again() {
    let bench = Bench::msd_in_memory().await;
    let look_up = || get("/players?name=legend27&mail=legend@example.org").text("");
    has_status(&bench.ask(look_up()).await, 404);
    let register = post("/players").text(r#"{"name": "legend27", "email": "legend@example.org"}"#);
    has_status(&bench.ask(register).await, 201);
    let me: PlayerInfo = read(&bench.ask(look_up()).await, 200);
    assert_eq!((&*me.name, &*me.email), ("legend27", "legend@example.org"));

    has_status(&bench.ask(post("/games").text(r#"{"maxRounds": 500, "maxPlayers": 6}"#)).await, 201);
    let [game] = &games(&bench).await[..] else { panic!("one game") };
    let join = put(format!("/games/{}/players/{}", game.game_id, me.player_id))
        .json(&json!({"playerId": me.player_id}));
    has_status(&bench.ask(join).await, 200);
    let [game] = &games(&bench).await[..] else { panic!("one game") };
    assert_eq!(game.participating_players, [me.player_id.to_string()]);
}

#[tokio::test]
async fn it_changes_a_game_in_its_own_spelling() {
    let bench = Bench::msd_in_memory().await;
    let game = bench.create(3, 2).await;
    let change = |what: &str, body: &'static str| patch(format!("/games/{game}/{what}")).text(body);
    has_status(&bench.ask(change("maxRounds", r#"{"maxrounds": 7}"#).undocumented()).await, 200);
    has_status(&bench.ask(change("duration", r#"{"duration": 5000}"#)).await, 200);
    let [changed] = &games(&bench).await[..] else { panic!("one game") };
    assert_eq!((changed.max_rounds, changed.max_players), (7, 2));
    assert_eq!(changed.round_length_in_millis, 5000);
}

#[tokio::test]
async fn it_starts_a_game_before_it_ends_it_and_misses_it_afterwards() {
    let bench = Bench::msd_in_memory().await;
    let id = bench.create(3, 2).await;
    let order = |what: &str| post(format!("/games/{id}/gameCommands/{what}")).text("");
    let [game] = &games(&bench).await[..] else { panic!("one game") };
    assert!(game.game_status.contains("created"));
    has_status(&bench.ask(order("start")).await, 201);
    let [game] = &games(&bench).await[..] else { panic!("one game") };
    assert!(game.game_status.contains("started"));
    bench.advance(3_000).await;
    bench.advance(2_000).await;
    has_status(&bench.ask(order("end")).await, 201);
    assert!(games(&bench).await.is_empty());
}

#[tokio::test]
async fn its_commands_are_taken_with_all_their_empty_texts() {
    let it = running_match().await;
    let (planet, target) = ("00000000-0000-0000-0000-000000000080", "00000000-0000-0000-0000-000000000081");
    let mut sent = Vec::new();
    for (number, (kind, planet, target, item, quantity)) in [
        ("selling", "", "", "", 0),
        ("buying", "", "", "MINING_SPEED_1", 1),
        ("movement", planet, "", "", 0),
        ("battle", "", target, "", 0),
        ("mining", planet, "", "", 0),
        ("regenerate", "", "", "", 0),
        ("buying", "", "", "ROBOT", 3),
    ]
    .into_iter()
    .enumerate()
    {
        let robot = Uuid::from_u128(0x100 + number as u128);
        it.bench.spawn(robot, it.ada.0).await;
        let robot = if item == "ROBOT" { String::new() } else { robot.to_string() };
        let body = json!({
            "gameId": it.game, "playerId": it.ada.0, "robotId": robot, "commandType": kind,
            "commandObject": {"commandType": kind, "planetId": planet, "targetId": target, "itemName": item,
                              "itemQuantity": quantity},
        });
        sent.push(
            read::<Transaction>(&it.bench.ask(post("/commands").json(&body)).await, 201).transaction_id,
        );
    }
    it.bench.advance(3_000).await;
    let [sell, upgrade, go, fight, mine, rest, robots] = sent[..] else { panic!("seven commands") };
    let trades = [(Kind::Selling, vec![sell]), (Kind::Buying, vec![upgrade, robots])];
    assert_eq!(it.bench.trading.sent(), trades);
    let acts =
        [(Kind::Movement, go), (Kind::Battle, fight), (Kind::Mining, mine), (Kind::Regeneration, rest)];
    assert_eq!(it.bench.robots.sent(), acts.map(|(kind, id)| (kind, vec![id])));
}

#[tokio::test]
async fn it_maps_every_event_of_a_game() {
    let (bench, game, _) = whole_game().await;
    let events: Vec<GameStatusEvent> = records(&bench, "status")
        .await
        .iter()
        .map(|record| {
            assert_eq!(record.header("type"), "game-status");
            record.read()
        })
        .collect();
    assert!(events.iter().all(|event| event.game_id == game && event.gameworld_id.is_none()));
    let words: Vec<_> = events.iter().map(|event| &*event.status).collect();
    assert_eq!(words, ["created", "started", "ended"]);
    assert!(records(&bench, "roundStatus").await.iter().all(|event| event.header("type") == "round-status"));
}
