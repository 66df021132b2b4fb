//! A move from SQLite to PostgreSQL and back: every row is carried, and on each of them the program shows the same, byte by byte, and
//! goes on with it.

use std::path::Path;

use serde_json::{Value, json};
use starkeep_contract::command::CommandState;
use starkeep_test_http::Caller;
use starkeep_test_postgres::{Server, shared};

use crate::archive::{Content, Place, stopped};
use crate::bot_game::BotGame;
use crate::journal::whole_log;
use crate::played_game::{PlayedGame, buy_robots, drawn_orders, state};
use crate::program::Program;
use crate::two_services::{START, new_game, path};
use crate::whole_game::assert_books_balance;
use crate::whole_game_of_bots::check;
use starkeep_fault_harness::Chance;

/// Columns that hold positions in event logs, as the services declare them. In documents they stand in a form of their own.
const POSITIONS: [(&str, &str, &str); 3] = [
    ("game", "stream_position", "position"),
    ("game", "batch", "position"),
    ("robot", "game_stream", "position"),
];

/// A game that bots have played, one that was stopped in its first round, a request whose answer is kept, and a game in the middle, which
/// is given back.
async fn played(place: &Place) -> PlayedGame {
    let program = place.serve_with(&["--max-running-games", "3"]).await;
    let service = program.game();
    let game = PlayedGame::start(&service, 100, 2, &json!({ "startMoney": 1000 })).await;
    game.play(&service, &vec![vec![buy_robots(2)]; 2]).await;
    play_a_round(&service, &game).await;
    check(&BotGame::play(&program, 7, 4, 30).await);
    let id = service.post("/games", &new_game()).await.expect(201)["gameId"].take();
    service.post(&path(&id, START), &Value::Null).await.expect(201);
    service.post(&path(&id, "/gameCommands/pause"), &Value::Null).await.expect(201);
    service.with_key("one").post("/games", &new_game()).await.expect(201);
    stopped(program).await;
    // From now on fewer may run than do.
    stopped(place.serve_with(&["--max-running-games", "1"]).await).await;
    game
}

async fn play_a_round(service: &Caller, game: &PlayedGame) {
    let (mut chance, mut orders) = (Chance(1), Vec::new());
    for seat in 0..game.seats.len() {
        orders.push(drawn_orders(&game.view(service, seat).await, &mut chance));
    }
    for command in game.play(service, &orders).await {
        assert_eq!(state(service, command).await, CommandState::Dispatched);
    }
}

/// Everything that can be read of it, as it comes; and a part of the log after a position that was seen before.
async fn shown(program: &Program, seen: Option<&Value>) -> Vec<String> {
    let services = [program.map(), program.robot(), program.trading(), program.game()];
    let game = program.game();
    let mut paths: Vec<(Caller, String)> = vec![(game.clone(), "/games".to_owned())];
    for id in game.get("/games").await.expect(200).as_array().unwrap() {
        let id = &id["gameId"];
        for rest in ["", "/scores", "/scoreboard", "/replay"] {
            paths.push((game.clone(), path(id, rest)));
        }
    }
    paths.push((program.map(), "/gameworlds".to_owned()));
    paths.extend((1..=3).map(|page| (program.map(), format!("/planets?page={page}"))));
    for path in ["/balances", "/resources", "/items"] {
        paths.push((program.trading(), path.to_owned()));
    }
    for service in services {
        let mut after = "start".to_owned();
        loop {
            let path = format!("/events?limit=1000&after={after}");
            let page = service.wanting_json().get(&path).await.expect(200);
            paths.push((service.wanting_json(), path));
            if page["events"].as_array().unwrap().is_empty() {
                break;
            }
            page["next"].as_str().unwrap().clone_into(&mut after);
        }
    }
    if let Some(position) = seen {
        let after = format!("/events?limit=5&after={}", position.as_str().unwrap());
        assert_eq!(game.wanting_json().get(&after).await.expect(200)["gap"], Value::Null);
        paths.push((game.wanting_json(), after));
    }
    let mut shown = Vec::new();
    for (service, path) in paths {
        shown.push(format!("{path}: {}", service.get(&path).await.expect_text(200)));
    }
    shown
}

/// What differs, and not all of it.
#[track_caller]
fn assert_same(one: &[String], other: &[String]) {
    for (one, other) in one.iter().zip(other) {
        let differs = one.bytes().zip(other.bytes()).position(|(one, other)| one != other);
        let near = |text: &str| {
            let at = differs.unwrap_or(0);
            String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(200)..text.len().min(at + 100)])
                .into_owned()
        };
        assert!(one == other, "{}\nand\n{}", near(one), near(other));
    }
    assert_eq!(one.len(), other.len());
}

fn assert_same_rows(one: &Path, other: &Path) {
    let (one, other) = (Content::read(one), Content::read(other));
    for (one, other) in one.rows.iter().zip(&other.rows) {
        assert_eq!(one, other);
    }
    assert_eq!(one.rows.len(), other.rows.len());
    assert_eq!(one.manifest["services"], other.manifest["services"], "epochs, schemas, tables and counts");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_is_the_same_on_postgresql_and_back_on_sqlite() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str| home.path().join(name);
    let [first, third] = ["first", "third"].map(|name| Place::directory(&home.path().join(name)));
    let server = Server::start();
    let second = Place::url(&server.url());
    let game = played(&first).await;

    let program = first.serve().await;
    let seen = whole_log(&program.game()).await[40]["id"].clone();
    let before = shown(&program, Some(&seen)).await;
    stopped(program).await;
    first.done("export", &file("one")).await;
    assert_positions_are_declared(&Content::read(&file("one")));

    second.done("import", &file("one")).await;
    let is_beyond = "SELECT last_value >= (SELECT max(number) FROM starkeep_robot.executed) FROM starkeep_robot.executed_number_seq";
    assert_eq!(server.psql(is_beyond), "t", "PostgreSQL numbers what comes next");
    second.done("export", &file("two")).await;
    assert_same_rows(&file("one"), &file("two"));
    let program = second.serve().await;
    assert_same(&before, &shown(&program, Some(&seen)).await);
    goes_on(&program, &game).await;
    stopped(program).await;

    third.done("import", &file("two")).await;
    third.done("export", &file("three")).await;
    assert_same_rows(&file("two"), &file("three"));
    let program = third.serve().await;
    assert_same(&before, &shown(&program, Some(&seen)).await);
    goes_on(&program, &game).await;
}

/// The game in the middle is played on, an answer that was kept is given again, the books balance, and another game is played.
async fn goes_on(program: &Program, game: &PlayedGame) {
    play_a_round(&program.game(), game).await;
    let again = program.game().with_key("one").post("/games", &new_game()).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    for service in [program.map(), program.robot(), program.trading()] {
        assert_books_balance(&service).await;
    }
    for game in program.game().get("/games").await.expect(200).as_array().unwrap() {
        if game["gameStatus"] == "running" {
            let end = path(&game["gameId"], "/gameCommands/end");
            program.game().post(&end, &Value::Null).await.expect(201);
        }
    }
    check(&BotGame::play(program, 8, 4, 20).await);
}

/// Nothing else that is carried names a place in an event log: a restored log has another epoch.
fn assert_positions_are_declared(content: &Content) {
    let epochs = content.epochs();
    // Of a column of bytes, as it is written in the file.
    let digits = |text: &str| {
        text.bytes().flat_map(|byte| format!("{byte:02x}").into_bytes()).map(char::from).collect()
    };
    let as_bytes: Vec<String> = epochs.iter().map(|epoch| digits(epoch)).collect();
    let mut found = 0;
    for row in &content.rows {
        for (column, value) in content.columns_of(row).into_iter().zip(&row.values) {
            let Some(text) = value.as_str() else { continue };
            let names_a_log = epochs.iter().any(|epoch| text.contains(&format!("{epoch}-")))
                || as_bytes.iter().any(|epoch| text.contains(epoch.as_str()));
            let place = (row.service.as_str(), row.table.as_str(), column.as_str());
            let count = |before: &str| -> usize {
                epochs.iter().map(|epoch| text.matches(&format!("{before}{epoch}-")).count()).sum()
            };
            let is_marked =
                (place.1, place.2) == ("document", "body") && count("") == count(r#"{"position":""#);
            assert!(
                !names_a_log || is_marked || POSITIONS.contains(&place),
                "{place:?} has a position: {text}"
            );
            found += u32::from(names_a_log);
        }
    }
    assert!(found >= 4, "the services have read each other's events");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_postgresql_cannot_keep_is_said() {
    let home = tempfile::tempdir().unwrap();
    let (place, file) = (Place::directory(&home.path().join("data")), home.path().join("file"));
    let program = place.serve().await;
    let service = program.game();
    let game = PlayedGame::start(&service, 1, 1, &json!({})).await;
    game.play(&service, &[vec![buy_robots(1)]]).await;
    let robot = game.view(&service, 0).await["robots"][0]["id"].clone();
    let odd =
        json!({ "commandType": "buying", "robotId": robot, "commandObject": { "itemName": "MINING\0" } });
    game.play(&service, &[vec![odd]]).await;
    stopped(program).await;
    place.done("export", &file).await;

    let database = Place::database(shared(), "nul");
    let printed = database.done("import", &file).await;
    assert!(printed.contains("NUL character, which PostgreSQL cannot keep"), "{printed}");
    let program = database.serve().await;
    assert_books_balance(&program.trading()).await;
}
