//! Imports and exports that are killed or interrupted in the middle: nothing is left that the program would take for an
//! installation or a file, and it can be repeated. Whoever starts meanwhile waits.

use std::path::Path;
use std::process::Stdio;

use rusqlite::Connection;
use starkeep_test_http::within_limit;
use starkeep_test_postgres::Server;
use tokio::process::Child;

use crate::archive::{Content, Place, stopped};
use crate::demo::signal;
use crate::program::{Program, command, start};
use crate::two_services::new_game;

/// So many rows that carrying them takes a while.
const EVENTS: u32 = 100_000;

/// A place with a game and a long log.
async fn with_long_log(data: &Path) -> Place {
    let place = Place::directory(data);
    let program = place.serve().await;
    program.game().post("/games", &new_game()).await.expect(201);
    stopped(program).await;
    let connection = Connection::open(data.join("game.db")).unwrap();
    let events = "INSERT INTO event_log (position, event_id, channel, subject, about, at_millis, payload)
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
        SELECT n + (SELECT max(position) FROM event_log), randomblob(16), 'status', randomblob(16), x'', 0, '{}' FROM number";
    connection.execute(events, [EVENTS]).unwrap();
    place
}

async fn begun(name: &str, file: &Path, place: &Place) -> Child {
    start(command().args([name, file.to_str().unwrap()]).args(place.arguments())).await
}

/// Waits until it has come so far; it has not ended before.
async fn reaches(child: &mut Child, is_so_far: impl Fn() -> bool) {
    let reached = async {
        while !is_so_far() {
            assert_eq!(child.try_wait().unwrap(), None, "it has ended before");
            tokio::task::yield_now().await;
        }
    };
    within_limit("it to come so far", reached).await;
}

#[tokio::test]
async fn an_import_that_is_killed_is_no_installation_and_can_be_repeated() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    with_long_log(&home.path().join("source")).await.done("export", &file).await;
    let data = home.path().join("data");
    let place = Place::directory(&data);
    for sign in ["", "map.db", "game.db"] {
        let mut import = begun("import", &file, &place).await;
        let sign = data.join("import-unfinished").join(sign);
        reaches(&mut import, || sign.exists()).await;
        import.kill().await.unwrap();
        let file = home.path().join("never");
        let listen = ["--game-listen", "127.0.0.1:0", "--map-listen", "127.0.0.1:0"];
        let serve =
            [&["serve", "all"][..], &listen, &place.arguments().each_ref().map(String::as_str)].concat();
        let refused = crate::program::run(&serve).await;
        assert_eq!(refused.code, Some(2), "{refused:?}");
        for refusal in
            [refused.stderr, place.refused("export", &file).await, place.refused("backup", &file).await]
        {
            assert!(refusal.contains("interrupted") || refusal.contains("no installation"), "{refusal}");
        }
    }
    place.done("import", &file).await;
    let copy = home.path().join("copy");
    place.done("export", &copy).await;
    assert!(Content::read(&file).rows == Content::read(&copy).rows);
    let program = place.serve().await;
    assert_eq!(program.game().get("/games").await.expect(200).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_export_that_is_interrupted_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let place = with_long_log(&home.path().join("data")).await;
    let folder = home.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    let names = || std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    for name in ["-INT", "-TERM"] {
        let mut export = begun("export", &folder.join("file"), &place).await;
        reaches(&mut export, || names().count() > 0).await;
        signal(name, export.id().unwrap()).await;
        let ended = within_limit("its end", export.wait_with_output()).await.unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(
            (ended.status.code(), said.as_str()),
            (Some(1), "starkeep: interrupted; nothing was left behind\n")
        );
        assert_eq!(names().count(), 0, "{name}");
    }
    // One that is killed leaves a file that nobody takes for a whole one.
    let mut export = begun("export", &folder.join("file"), &place).await;
    reaches(&mut export, || names().count() > 0).await;
    export.kill().await.unwrap();
    let left: Vec<_> = names().map(|name| name.into_string().unwrap()).collect();
    assert!(left.len() == 1 && left[0].ends_with(".unfinished"), "{left:?}");
    place.done("export", &folder.join("file")).await;
}

#[tokio::test]
async fn where_there_is_no_room_it_is_said_and_nothing_is_left() {
    let home = tempfile::tempdir().unwrap();
    let place = with_long_log(&home.path().join("data")).await;
    let file = home.path().join("file");
    let full = async |name: &str, file: &Path, place: &Place| {
        // No file may become larger: writing more of it fails, as on a full disk.
        let limited = "trap '' XFSZ; ulimit -f 2000; exec \"$@\"";
        let mut shell = tokio::process::Command::new("sh");
        shell.args(["-c", limited, "sh", env!("CARGO_BIN_EXE_starkeep"), name, file.to_str().unwrap()]);
        let child =
            start(shell.args(place.arguments()).env_clear().stdout(Stdio::piped()).stderr(Stdio::piped()))
                .await;
        let ended = within_limit("its end", child.wait_with_output()).await.unwrap();
        (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
    };
    for name in ["export", "backup"] {
        let (code, said) = full(name, &file, &place).await;
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("file: File too large"), "{said}");
    }
    let names = || -> Vec<_> {
        std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    assert_eq!(names(), ["data"]);
    place.done("export", &file).await;
    let (code, said) = full("import", &file, &Place::directory(&home.path().join("target"))).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("table event_log: disk I/O error"), "{said}");
    assert!(!home.path().join("target").exists());
}

/// An import into PostgreSQL that has come to the last service, and waits there because somebody is making the same schema.
async fn waiting_import(server: &Server, file: &Path) -> (Child, starkeep_test_postgres::OpenSession, Place) {
    let operator = server.session("starkeep", "BEGIN; CREATE SCHEMA starkeep_game;");
    let place = Place::url(&server.url());
    let mut import = begun("import", file, &place).await;
    reaches(&mut import, || waits(server, "starkeep_transfer")).await;
    (import, operator, place)
}

fn waits(server: &Server, name: &str) -> bool {
    let waiting = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}' AND wait_event_type = 'Lock'"
    );
    server.psql(&waiting) != "0"
}

const SCHEMAS: &str = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'starkeep%'";

#[tokio::test(flavor = "multi_thread")]
async fn an_import_into_postgresql_that_is_killed_leaves_nothing() {
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let file = home.path().join("file");
    with_long_log(&home.path().join("source")).await.done("export", &file).await;
    let (mut import, operator, place) = waiting_import(&server, &file).await;
    assert_eq!(server.psql(SCHEMAS), "0", "three services are complete, and nobody sees them");
    import.kill().await.unwrap();
    drop(operator);
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'starkeep_transfer'";
    within_limit("its session to end", async { while server.psql(sessions) != "0" {} }).await;
    assert_eq!(server.psql(SCHEMAS), "0");
    place.done("import", &file).await;
    let copy = home.path().join("copy");
    place.done("export", &copy).await;
    assert!(Content::read(&file).rows == Content::read(&copy).rows);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_during_which_a_service_appears_is_given_up() {
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let (place, file) = (Place::url(&server.url()), home.path().join("file"));
    stopped(place.serve().await).await;
    // It was about to start when the locks were taken.
    let operator =
        server.session("starkeep", "BEGIN; LOCK TABLE starkeep_game.event_log IN ACCESS EXCLUSIVE MODE;");
    let mut export = begun("export", &file, &place).await;
    reaches(&mut export, || waits(&server, "starkeep_transfer")).await;
    let lives = "INSERT INTO starkeep_game.replica
        VALUES ('00000000-0000-0000-0000-000000000001', '', '{}', clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at";
    server.psql(lives);
    drop(operator);
    while export.try_wait().unwrap().is_none() {
        server.psql(lives);
    }
    let ended = export.wait_with_output().await.unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("the game service runs on") && !file.exists(), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_was_frozen_during_an_import_shows_what_came() {
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let (place, file) = (Place::url(&server.url()), home.path().join("file"));
    with_long_log(&home.path().join("source")).await.done("export", &file).await;
    let program = place.serve().await;
    program.freeze();
    for service in ["map", "robot", "trading", "game"] {
        server.psql(&format!("DROP SCHEMA starkeep_{service} CASCADE"));
    }
    place.done("import", &file).await;
    program.unfreeze();
    let games = async || program.game().get("/games").await.body.as_array().map_or(0, Vec::len);
    within_limit("the game that was imported", async { while games().await != 1 {} }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_starts_during_an_import_waits_and_finds_all_of_it() {
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let file = home.path().join("file");
    with_long_log(&home.path().join("source")).await.done("export", &file).await;
    let (import, operator, place) = waiting_import(&server, &file).await;
    let program = Program::spawn("all", place.arguments()).await;
    program.logged("waiting: the schema is being exported or imported", 1).await;
    drop(operator);
    let imported = within_limit("the import", import.wait_with_output()).await.unwrap();
    assert_eq!(imported.status.code(), Some(0), "{imported:?}");
    let program = program.serving().await;
    assert_eq!(program.game().get("/games").await.expect(200).as_array().unwrap().len(), 1);
}
