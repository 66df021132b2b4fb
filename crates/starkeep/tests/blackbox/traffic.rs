//! Traffic that fills the channels of both services: minings, games that come and go, and one whose rounds are played.
//! How much of it there is, and what becomes of its events, is the test's.

use std::sync::Arc;

use serde_json::{Value, json};
use starkeep_test_http::Caller;
use uuid::Uuid;

use crate::two_services::{END, START, new_game, path};

/// What a round of a played game takes.
pub(crate) const ROUND_MILLIS: usize = 200;
/// So many rounds that no test sees the last of them.
pub(crate) const ENDLESS: u32 = 100_000;

/// Where there is something to mine, in a new world.
pub(crate) async fn planets_of_a_new_world(map: &Caller) -> Arc<[String]> {
    let world = map.post("/gameworlds", &json!({ "gameworld": { "player_amount": 1 } })).await.expect(201);
    let chart = map.get(&format!("/gameworlds/{}/planets", world["id"].as_str().unwrap())).await.expect(200);
    let rich = chart.as_array().unwrap().iter().filter(|planet| !planet["resource"].is_null());
    rich.map(|planet| planet["id"].as_str().unwrap().to_owned()).collect()
}

/// False where no answer came: the program is gone, and whether the mining took effect nobody knows.
pub(crate) async fn mine(map: &Caller, planet: &str, transaction: Uuid) -> bool {
    let order = json!({ "mining": { "amount_requested": 1, "transaction_id": transaction } });
    let answer = map.post_meanwhile(&format!("/planets/{planet}/minings"), &order).await.unwrap();
    answer.map(|answer| answer.expect(201)).is_some()
}

/// A game comes and goes; false where the program is gone before it.
pub(crate) async fn create_and_end(game: &Caller) -> bool {
    let Some(created) = game.post_meanwhile("/games", &new_game()).await.unwrap() else { return false };
    let end = path(&created.expect(201)["gameId"], END);
    game.post_meanwhile(&end, &Value::Null).await.unwrap().map(|answer| answer.expect(201)).is_some()
}

/// A game that runs, with a hand on its clock before it did; its id.
pub(crate) async fn played_game(game: &Caller, rounds: u32) -> Value {
    let new = json!({ "maxRounds": rounds, "maxPlayers": 2, "duration": ROUND_MILLIS });
    let id = game.post("/games", &new).await.expect(201)["gameId"].take();
    change_pace(game, &id, "turbo").await;
    game.post(&path(&id, START), &Value::Null).await.expect(201);
    id
}

/// Published in the channel `gameClock`; a game without players keeps the same time at either pace.
pub(crate) async fn change_pace(game: &Caller, id: &Value, pace: &str) {
    game.patch(&path(id, "/pace"), &json!({ "pace": pace })).await.expect(200);
}
