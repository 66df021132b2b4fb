//! The program on a real PostgreSQL: a whole game, processes that are killed, one that takes over from another, and a server that goes
//! away. Every test has a database of its own.

use serde_json::Value;
use starkeep_platform::clock::{Clock as _, SystemClock};
use starkeep_test_http::{Caller, within_limit};
use starkeep_test_postgres::{Server, shared};

use crate::archive::stopped;
use crate::bot_game::BotGame;
use crate::program::{Program, run};
use crate::rounds::started;
use crate::two_services::{new_game, path};
use crate::whole_game::assert_books_balance;
use crate::whole_game_of_bots::check;

async fn serve(url: &str) -> Program {
    Program::serve("all", &["--database-url", url]).await
}

async fn games(service: &Caller) -> Vec<Value> {
    let games = service.get("/games").await.expect(200);
    games.as_array().unwrap().iter().map(|game| game["gameId"].clone()).collect()
}

#[tokio::test]
async fn bots_play_a_whole_game() {
    let program = serve(&shared().database("whole_game")).await;
    let game = BotGame::play(&program, 7, 4, 40).await;
    check(&game);
    for service in [program.map(), program.robot(), program.trading()] {
        assert_books_balance(&service).await;
    }
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_kill_and_the_rounds_go_on() {
    let url = shared().database("killed");
    let program = serve(&url).await;
    let game = started(&program.game(), 400).await;
    let mut created = vec![game.clone()];
    for _ in 0..5 {
        created.push(program.game().post("/games", &new_game()).await.expect(201)["gameId"].clone());
    }
    program.kill().await;
    let program = serve(&url).await;
    let mut found = games(&program.game()).await;
    found.sort_by_key(ToString::to_string);
    created.sort_by_key(ToString::to_string);
    assert_eq!(found, created);
    rounds_go_on(&program.game(), &game).await;
}

#[tokio::test]
async fn a_second_process_shows_what_the_first_acknowledged_and_takes_over_when_that_dies() {
    let url = shared().database("two_processes");
    let (first, second) = (serve(&url).await, serve(&url).await);
    for _ in 0..5 {
        let (writer, reader) = (first.game(), second.game());
        let game = writer.post("/games", &new_game()).await.expect(201)["gameId"].clone();
        assert!(games(&reader).await.contains(&game), "a stale read");
        let game = reader.post("/games", &new_game()).await.expect(201)["gameId"].clone();
        assert!(games(&writer).await.contains(&game), "a stale read");
    }
    let game = started(&first.game(), 400).await;
    let clock = SystemClock::start();
    first.kill().await;
    let killed = clock.monotonic();
    second.logged("lease gained", 4).await;
    // What was measured is to be read: how long it takes is up to the machine.
    println!("taken over after {:?} (at most 5 s is wanted)", clock.monotonic().since(killed));
    rounds_go_on(&second.game(), &game).await;
}

/// Two rounds more than now.
pub(crate) async fn rounds_go_on(service: &Caller, game: &Value) {
    let round =
        async || service.get(&path(game, "")).await.expect(200)["currentRoundNumber"].as_u64().unwrap();
    let now = round().await;
    let later = async { while round().await < now + 2 {} };
    within_limit("the rounds to go on", later).await;
}

#[tokio::test]
async fn while_postgresql_is_away_requests_are_told_and_afterwards_all_is_well() {
    let server = Server::start();
    let program = serve(&server.database("restarted")).await;
    let game = started(&program.game(), 400).await;
    server.stop();
    // They are answered before it is back.
    for _ in 0..3 {
        program.game().post("/games", &new_game()).await.expect(503);
    }
    server.run();
    let created = async { while program.game().post("/games", &new_game()).await.status != 201 {} };
    within_limit("PostgreSQL to be written again", created).await;
    rounds_go_on(&program.game(), &game).await;
}

#[tokio::test]
async fn a_schema_of_an_earlier_development_version_is_refused_and_not_touched() {
    let url = shared().database("earlier_version");
    stopped(serve(&url).await).await;
    let ask = |sql: &str| shared().psql_in("earlier_version", sql);
    ask("ALTER TABLE starkeep_game.installation RENAME COLUMN format TO schema_version");
    let before = ask("SELECT * FROM starkeep_game.installation");
    let listen = ["--game-listen", "127.0.0.1:0", "--map-listen", "127.0.0.1:0"];
    let refused = run(&[&["serve", "all", "--database-url", &url], &listen[..]].concat()).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("earlier development version"), "{}", refused.stderr);
    assert_eq!(ask("SELECT * FROM starkeep_game.installation"), before);
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    let export = run(&["export", file.to_str().unwrap(), "--database-url", &url]).await;
    assert_eq!(export.code, Some(2), "{export:?}");
    assert!(export.stderr.contains("earlier development version") && !file.exists(), "{}", export.stderr);
}
