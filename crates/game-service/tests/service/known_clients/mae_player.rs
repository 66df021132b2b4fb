//! mae-player, the Java skeleton's newer line: no token, commands without a game, and a join that may come twice.
//! In its development mode it clears the games away and makes one of its own.

use serde::Deserialize;
use serde_json::{Value, json};
use starkeep_game_core::Kind;
use starkeep_test_harness::{TestRequest, get, patch, post, put};
use uuid::Uuid;

use super::{GameStatus, Transaction, has_status, read, records, running_match, whole_game};
use crate::harness::Bench;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlayerRegistry {
    player_id: Uuid,
    name: Option<String>,
    player_exchange: String,
    player_queue: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    game_id: Uuid,
    game_status: GameStatus,
    current_round_number: Option<i32>,
    round_length_in_millis: Option<i32>,
    #[serde(default)]
    participating_players: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GameStatusEvent {
    game_id: Uuid,
    gameworld_id: Option<Uuid>,
    status: GameStatus,
}

/// Declared as JSON, with nothing to read.
fn look_up() -> TestRequest {
    get("/players?name=mae&mail=mae@example.org").text("")
}

fn register() -> TestRequest {
    post("/players").json(&json!({"name": "mae", "email": "mae@example.org", "playerId": null,
                                  "playerExchange": null, "playerQueue": null}))
}

async fn registered(bench: &Bench) -> PlayerRegistry {
    read(&bench.ask(register()).await, 201)
}

fn join(game: Uuid, player: Uuid) -> TestRequest {
    put(format!("/games/{game}/players/{player}")).text("")
}

#[tokio::test]
async fn it_registers_if_it_is_not_found_and_gets_the_queue_it_listens_to() {
    let bench = Bench::msd_in_memory().await;
    has_status(&bench.ask(look_up()).await, 404);
    let me = registered(&bench).await;
    assert_eq!((&*me.player_exchange, &*me.player_queue), ("player-mae", "player-mae"));
    let found: PlayerRegistry = read(&bench.ask(look_up()).await, 200);
    assert_eq!((found.player_id, found.name.as_deref()), (me.player_id, Some("mae")));
}

#[tokio::test]
async fn having_joined_before_is_no_failure_to_it() {
    let bench = Bench::msd_in_memory().await;
    let me = registered(&bench).await;
    let game = bench.create(3, 2).await;
    has_status(&bench.ask(join(game, me.player_id)).await, 200);
    let again = bench.ask(join(game, me.player_id)).await;
    assert!(again.status >= 400, "{again:?}");
    let text = std::str::from_utf8(&again.bytes).expect("a text");
    // Its framework makes this a part of the error's message; versions that shorten it keep so much.
    assert!(text[..200.min(text.len())].contains("Player is already participating"), "{text}");
}

#[tokio::test]
async fn it_clears_the_games_away_and_makes_one_of_its_own() {
    let bench = Bench::msd_in_memory().await;
    bench.create(3, 2).await;
    let games = async || read::<Vec<Listed>>(&bench.ask(get("/games")).await, 200);
    let order = |game: Uuid, what: &str| post(format!("/games/{game}/gameCommands/{what}"));
    for game in games().await {
        assert_eq!(game.game_status, GameStatus::Created);
        has_status(&bench.ask(order(game.game_id, "start")).await, 201);
        has_status(&bench.ask(order(game.game_id, "end")).await, 201);
    }
    assert!(games().await.is_empty());

    let create = post("/games").json(&json!({"maxRounds": 10, "maxPlayers": 1}));
    let made: Value = read(&bench.ask(create.header("accept", "application/json")).await, 201);
    let made: Uuid = made["gameId"].as_str().and_then(|id| id.parse().ok()).expect("a game's id");
    let me = registered(&bench).await;
    has_status(&bench.ask(join(made, me.player_id)).await, 200);
    has_status(&bench.ask(order(made, "start")).await, 201);
    let faster = patch(format!("/games/{made}/duration")).json(&json!({"duration": 10_000}));
    has_status(&bench.ask(faster.header("accept", "application/json")).await, 200);
    let [game] = &games().await[..] else { panic!("one game") };
    assert_eq!((game.game_id, game.game_status), (made, GameStatus::Started));
    assert_eq!((game.current_round_number, game.round_length_in_millis), (Some(1), Some(10_000)));
    assert_eq!(game.participating_players.len(), 1);
}

#[tokio::test]
async fn its_commands_name_neither_game_nor_token() {
    let it = running_match().await;
    let send = async |kind: &str, purchase: bool, data: Value| {
        let body = json!({"playerId": it.ada.0, "type": kind, "data": data, "robotPurchase": purchase});
        read::<Transaction>(&it.bench.ask(post("/commands").json(&body)).await, 201).transaction_id
    };
    let robots =
        json!({"robotId": null, "planetId": null, "targetId": null, "itemName": "ROBOT", "itemQuantity": 2});
    let bought = send("buying", true, robots).await;
    let rest = json!({"robotId": it.robot, "planetId": null, "targetId": null, "itemName": null, "itemQuantity": null});
    let rested = send("regenerate", false, rest).await;
    it.bench.advance(3_000).await;
    assert_eq!(it.bench.trading.sent(), [(Kind::Buying, vec![bought])]);
    assert_eq!(it.bench.robots.sent(), [(Kind::Regeneration, vec![rested])]);
}

#[tokio::test]
async fn every_event_of_a_game_has_the_fields_it_knows() {
    let (bench, game, _) = whole_game().await;
    let events: Vec<GameStatusEvent> =
        records(&bench, "status").await.iter().map(super::Record::read).collect();
    assert!(events.iter().all(|event| event.game_id == game && event.gameworld_id.is_none()));
    let words: Vec<_> = events.iter().map(|event| event.status).collect();
    assert_eq!(words, [GameStatus::Created, GameStatus::Started, GameStatus::Ended]);
}
