//! rustin, the newest skeleton, in Rust: small numbers, and everything it reads must be there.
//! It takes a taken name for a failure (it looks itself up at 400 alone, where older bots need 403): it needs a new one.

use serde::Deserialize;
use serde_json::{Value, json};
use starkeep_game_core::Kind;
use starkeep_test_harness::{get, patch, post, put};
use uuid::Uuid;

use super::{GameStatus, Transaction, has_status, read, running_match};
use crate::harness::Bench;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Registered {
    player_id: Option<String>,
    game_id: Option<String>,
    name: String,
    email: String,
    player_exchange: String,
    player_queue: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreatedGame {
    game_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GameInfo {
    game_id: String,
    game_status: GameStatus,
    max_players: u16,
    max_rounds: u16,
    current_round_number: Option<u16>,
    round_length_in_millis: u16,
    participating_players: Vec<String>,
}

async fn games(bench: &Bench) -> Vec<GameInfo> {
    read(&bench.ask(get("/games")).await, 200)
}

#[tokio::test]
async fn it_registers_and_finds_all_of_itself_before_it_joins() {
    let bench = Bench::msd_in_memory().await;
    let register = post("/players").json(&json!({"name": "rustin", "email": "rustin@example.org"}));
    let me: Registered = read(&bench.ask(register).await, 201);
    let found: Registered =
        read(&bench.ask(get("/players?name=rustin&mail=rustin%40example.org")).await, 200);
    assert_eq!((&found.player_id, &found.game_id), (&me.player_id, &None));
    assert_eq!((&*found.name, &*found.email), ("rustin", "rustin@example.org"));
    assert_eq!((&*found.player_exchange, &*found.player_queue), ("player-rustin", "player-rustin"));
    let game = bench.create(3, 2).await;
    let id = found.player_id.expect("an id");
    has_status(&bench.ask(put(format!("/games/{game}/players/{id}"))).await, 200);
    has_status(&bench.ask(put(format!("/games/{}/players/{id}", Uuid::from_u128(1)))).await, 404);
    has_status(&bench.ask(get("/players?name=nobody&mail=rustin%40example.org")).await, 404);
}

#[tokio::test]
async fn a_game_as_it_makes_one_fits_into_its_numbers() {
    let bench = Bench::msd_in_memory().await;
    let create = post("/games").json(&json!({"maxPlayers": 1, "maxRounds": 250}));
    let made: CreatedGame = read(&bench.ask(create).await, 201);
    let [game] = &games(&bench).await[..] else { panic!("one game") };
    assert_eq!((&game.game_id, game.game_status), (&made.game_id, GameStatus::Created));
    assert_eq!((game.max_players, game.max_rounds), (1, 250));
    assert_eq!((game.current_round_number, game.round_length_in_millis), (None, 60_000));
    let faster = patch(format!("/games/{}/duration", made.game_id)).json(&json!({"duration": 10_000}));
    has_status(&bench.ask(faster).await, 200);

    let order = |what: &str| post(format!("/games/{}/gameCommands/{what}", made.game_id));
    has_status(&bench.ask(order("start")).await, 201);
    let [game] = &games(&bench).await[..] else { panic!("one game") };
    assert_eq!((game.game_status, game.current_round_number), (GameStatus::Started, Some(1)));
    assert!((game.round_length_in_millis, game.participating_players.len()) == (10_000, 0));
    has_status(&bench.ask(order("end")).await, 201);
    assert!(games(&bench).await.is_empty());
}

#[tokio::test]
async fn its_commands_leave_out_what_does_not_apply() {
    let it = running_match().await;
    let send = async |kind: &str, data: Value| {
        let body = json!({"playerId": it.ada.0, "type": kind, "data": data});
        let reply = it.bench.ask(post("/commands").json(&body)).await;
        read::<Transaction>(&reply, 201).transaction_id
    };
    let robots = send("buying", json!({"itemName": "ROBOT", "itemQuantity": 1})).await;
    let item = json!({"robotId": it.robot, "itemName": "\"ENERGY_RESTORE\"", "itemQuantity": 1});
    let item = send("buying", item).await;
    it.bench.advance(3_000).await;
    assert_eq!(it.bench.trading.sent(), [(Kind::Buying, vec![robots, item])]);
    let nobody = json!({"playerId": Uuid::from_u128(1), "type": "mining", "data": {"robotId": it.robot}});
    has_status(&it.bench.ask(post("/commands").json(&nobody)).await, 404);
}
