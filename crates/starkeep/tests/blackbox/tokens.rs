//! The admin token: what a host does needs it, what players do does not, and the two services show it to one another.
//! How a token is compared is tested beside the code that does it.

use std::fs;

use serde_json::{Value, json};
use starkeep_contract::events::Channel;
use starkeep_test_http::{Caller, Reply};
use tempfile::TempDir;

use crate::bot_game::BotGame;
use crate::program::Program;
use crate::two_services::{END, START, new_game, path};

const TOKEN: &str = "a-long-secret";

/// Both services with the token in a file, and where they keep their data.
async fn guarded(flags: &[&str]) -> (Program, TempDir) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("token");
    fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let data = home.path().join("data");
    let own = ["--data-dir", data.to_str().unwrap(), "--admin-token-file", file.to_str().unwrap()];
    (Program::serve("all", &[own.as_slice(), flags].concat()).await, home)
}

fn assert_unauthorized(answer: Reply) {
    assert_eq!(answer.headers["www-authenticate"], "Bearer");
    assert_eq!(answer.expect(401)["code"], "unauthorized");
}

/// The minings of some planet that holds a deposit.
async fn some_minings(map: &Caller) -> String {
    for page in 1..10 {
        let planets = map.get(&format!("/planets?page={page}")).await.expect(200);
        let rich = planets.as_array().unwrap().iter().find(|planet| !planet["resource"].is_null());
        if let Some(planet) = rich {
            return format!("/planets/{}/minings", planet["id"].as_str().unwrap());
        }
    }
    panic!("no planet holds a deposit")
}

#[tokio::test]
async fn what_a_host_does_needs_the_token_and_reading_does_not() {
    let (program, _home) = guarded(&[]).await;
    let (game, map) = (program.game(), program.map());
    let host = game.with_token(TOKEN);

    assert_unauthorized(game.post("/games", &new_game()).await);
    assert_unauthorized(game.with_token("a-wrong-secret").post("/games", &new_game()).await);
    let id = host.post("/games", &new_game()).await.expect(201)["gameId"].take();
    let rounds = json!({ "maxRounds": 7 });
    for command in [START, END] {
        assert_unauthorized(game.post(&path(&id, command), &Value::Null).await);
    }
    assert_unauthorized(game.patch(&path(&id, "/maxRounds"), &rounds).await);
    assert_unauthorized(game.patch(&path(&id, "/duration"), &json!({ "duration": 5_000 })).await);
    assert_unauthorized(game.delete(&path(&id, "")).await);

    let shown = game.get(&path(&id, "")).await.expect(200);
    assert_eq!((&shown["gameStatus"], &shown["maxRounds"]), (&"created".into(), &5.into()));
    let world = format!("/gameworlds/{}", shown["gameworldId"].as_str().unwrap());
    let inactive = json!({ "gameworld": { "status": "inactive" } });
    assert_unauthorized(map.post("/gameworlds", &json!({ "gameworld": { "player_amount": 1 } })).await);
    assert_unauthorized(map.patch(&world, &inactive).await);
    assert_unauthorized(map.delete(&world).await);
    assert_unauthorized(map.get(&format!("{world}/planets")).await);
    assert_eq!(map.get(&world).await.expect(200)["status"], "active");
    map.with_token(TOKEN).get(&format!("{world}/planets")).await.expect(200);

    host.post(&path(&id, START), &Value::Null).await.expect(201);
    host.post(&path(&id, END), &Value::Null).await.expect(201);
}

#[tokio::test]
async fn mining_is_open_unless_it_is_closed() {
    let order = json!({ "mining": { "amount_requested": 5 } });
    for closed in [false, true] {
        let (program, _home) = guarded(if closed { &["--closed-mining"] } else { &[] }).await;
        let (host, map) = (program.game().with_token(TOKEN), program.map());
        host.post("/games", &new_game()).await.expect(201);
        let minings = some_minings(&map).await;
        if closed {
            assert_unauthorized(map.post(&minings, &order).await);
            let mined = map.with_token(TOKEN).post(&minings, &order).await.expect(201);
            assert_eq!(mined["amount_left"], 9_995);
        } else {
            assert_eq!(map.post(&minings, &order).await.expect(201)["amount_left"], 9_995);
        }
    }
}

/// The bots are given no token but their own: they see where their robots stand, and that has to do.
#[tokio::test]
async fn bots_play_with_a_closed_map() {
    let (program, _home) = guarded(&["--closed-map"]).await;
    let game = BotGame::play_for_host(&program, Some(TOKEN), 1, 4, 60).await;
    for channel in [Channel::Movement, Channel::Mining] {
        let carried_out = game.on(channel).filter(|event| event["payload"]["success"] == true);
        assert!(carried_out.count() > 0, "nothing came of {channel:?}: {}", game.summary);
    }
    let map = program.map();
    let worlds = map.get("/gameworlds").await.expect(200);
    let planet = format!("/planets/{}", worlds[0]["spacestation_ids"][0].as_str().unwrap());
    assert_eq!(worlds[0]["status"], "inactive");
    map.get(&planet).await.expect(200);
    assert_unauthorized(map.get("/planets").await);
    map.with_token(TOKEN).get("/planets").await.expect(200);
}

#[tokio::test]
async fn a_game_service_without_the_maps_token_is_told_so() {
    let home = tempfile::tempdir().unwrap();
    let [map_data, game_data] = ["map", "game"].map(|name| home.path().join(name));
    let map_flags = ["--data-dir", map_data.to_str().unwrap(), "--admin-token", TOKEN];
    let map = Program::serve("map", &map_flags).await;
    let url = format!("http://{}", map.address("map"));
    let game = Program::serve("game", &["--data-dir", game_data.to_str().unwrap(), "--map-url", &url]).await;
    let problem = game.game().post("/games", &new_game()).await.expect(503);
    assert!(problem["detail"].as_str().unwrap().contains("401"), "{problem}");
    assert_eq!(map.map().get("/gameworlds").await.expect(200), json!([]));
}

#[tokio::test]
async fn the_token_is_written_to_no_log() {
    let (program, _home) = guarded(&["--log", "trace"]).await;
    program.game().with_token(TOKEN).post("/games", &new_game()).await.expect(201);
    program.terminate();
    let ended = program.ended().await;
    assert_eq!(ended.code, Some(0));
    assert!(!ended.stderr.contains(TOKEN), "{}", ended.stderr);
}
