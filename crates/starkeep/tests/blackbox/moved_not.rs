//! What cannot be exported, imported or restored: it is said why and what to do, with exit code 2, and nothing is touched.

use std::path::Path;

use rusqlite::Connection;
use starkeep_test_postgres::shared;

use crate::archive::{Place, stopped};
use crate::data_dir::EARLIER_APPLICATION_ID;
use crate::program::{command, run, start};
use crate::terminal::Terminal;
use crate::two_services::new_game;

/// A place with a game in it.
async fn used(place: &Place) {
    let program = place.serve().await;
    program.game().post("/games", &new_game()).await.expect(201);
    stopped(program).await;
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_place_on_which_services_run_is_not_exported() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    let directory = Place::directory(&home.path().join("data"));
    let program = directory.serve().await;
    let refusal = directory.refused("export", &file).await;
    assert!(refusal.contains(&format!("in use by process {}", program.id())), "{refusal}");
    assert!(refusal.contains("starkeep backup"), "{refusal}");
    stopped(program).await;
    directory.done("export", &file).await;

    let (database, file) = (Place::database(shared(), "running"), home.path().join("other"));
    let program = database.serve().await;
    let refusal = database.refused("export", &file).await;
    let runs = format!("service runs on {}", shared().address());
    assert!(refusal.contains(&runs) && refusal.contains("stop it"), "{refusal}");
    // Also right after it was killed: nobody has to wait and try again.
    program.kill().await;
    database.done("export", &file).await;
    assert_eq!(names(home.path()), ["data", "file", "other"]);
}

#[tokio::test]
async fn a_place_that_is_not_empty_is_not_filled() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    let directory = Place::directory(&home.path().join("data"));
    let database = Place::database(shared(), "not_empty");
    used(&directory).await;
    used(&database).await;
    directory.done("export", &file).await;
    for command in ["import", "restore"] {
        let refusal = directory.refused(command, &file).await;
        assert!(refusal.contains("is not empty, it has"), "{refusal}");
        let refusal = database.refused(command, &file).await;
        assert!(
            refusal.contains("not empty") && refusal.contains("DROP SCHEMA starkeep_map CASCADE"),
            "{refusal}"
        );
    }
    for (place, file) in [(directory, "one"), (database, "two")] {
        let program = place.serve().await;
        assert_eq!(program.game().get("/games").await.expect(200).as_array().unwrap().len(), 1, "{file}");
    }
}

#[tokio::test]
async fn where_there_is_no_installation_nothing_is_made() {
    let home = tempfile::tempdir().unwrap();
    let (file, missing) = (home.path().join("file"), home.path().join("nowhere"));
    for command in ["export", "backup"] {
        let refusal = Place::directory(&missing).refused(command, &file).await;
        assert!(refusal.contains("there is no installation in") && refusal.contains("nowhere"), "{refusal}");
    }
    let refusal = Place::database(shared(), "without").refused("export", &file).await;
    let nothing = format!("there is no installation in {}", shared().address());
    assert!(refusal.contains(&nothing), "{refusal}");
    let refusal = Place::directory(&missing).refused("export", home.path()).await;
    assert!(refusal.contains("exists already"), "{refusal}");
    assert_eq!(names(home.path()), [] as [&str; 0]);
}

#[tokio::test]
async fn a_file_that_is_not_whole_or_not_ours_is_refused_and_the_place_stays_empty() {
    let home = tempfile::tempdir().unwrap();
    let (file, bad) = (home.path().join("file"), home.path().join("bad"));
    let source = Place::directory(&home.path().join("data"));
    used(&source).await;
    source.done("export", &file).await;
    let text = std::fs::read_to_string(&file).unwrap();
    let newer = text.replacen("\"version\":2", "\"version\":9", 1);
    let earlier = text.replacen("\"version\":2", "\"version\":1", 1);
    let newer_schema = text.replacen("\"schema\":1", "\"schema\":2", 1);
    let (database, target) =
        (Place::database(shared(), "stays_empty"), Place::directory(&home.path().join("target")));
    for (content, reason) in [
        (&text[..1000], "damaged and nothing was taken from it"),
        (&text[..text.len() - 1000], "damaged and nothing was taken from it"),
        (&text.replacen("Game 1", "Game 2", 1), "damaged and nothing was taken from it"),
        ("dear diary", "is no file of `starkeep export`"),
        (&newer, "it has the format 9"),
        (&earlier, "was written by an earlier development version"),
        (&newer_schema, "service has schema 2, this program knows 1"),
    ] {
        std::fs::write(&bad, content).unwrap();
        for place in [&target, &database] {
            let refusal = place.refused("import", &bad).await;
            assert!(refusal.contains(reason), "{refusal}");
        }
        assert_eq!(names(home.path()), ["bad", "data", "file"]);
    }
    let missing = target.run("import", &home.path().join("missing")).await;
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.stderr.contains("missing: No such file"), "{}", missing.stderr);
    // Nothing is in its way.
    database.done("import", &file).await;
    target.done("import", &file).await;
}

#[tokio::test]
async fn other_versions_and_places_that_cannot_be_reached_are_named() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    let source = Place::directory(&home.path().join("data"));
    used(&source).await;
    let connection = Connection::open(home.path().join("data/game.db")).unwrap();
    for (pragma, value, reason) in [
        ("user_version", 999, "newer version"),
        ("application_id", EARLIER_APPLICATION_ID, "written by an earlier development version"),
    ] {
        connection.pragma_update(None, pragma, value).unwrap();
        for command in ["export", "backup"] {
            let refusal = source.refused(command, &file).await;
            assert!(refusal.contains("game.db") && refusal.contains(reason), "{refusal}");
        }
    }
    let nowhere =
        run(&["export", file.to_str().unwrap(), "--database-url", "postgresql://127.0.0.1:1/x"]).await;
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
    assert!(nowhere.stderr.contains("127.0.0.1:1/x cannot be reached"), "{}", nowhere.stderr);
    let url = ("STARKEEP_DATABASE_URL", "postgresql://127.0.0.1:1/x");
    let elsewhere = start(command().args(["backup", file.to_str().unwrap()]).env(url.0, url.1)).await;
    let elsewhere = elsewhere.wait_with_output().await.unwrap();
    let said = String::from_utf8(elsewhere.stderr).unwrap();
    assert!(elsewhere.status.code() == Some(2) && said.contains("PostgreSQL's own tools"), "{said}");
    let secret = run(&["export", file.to_str().unwrap(), "--database-url", "mysql://ada:secret@x/y"]).await;
    assert_eq!(secret.code, Some(2), "{secret:?}");
    assert!(!secret.stderr.contains("secret"), "{}", secret.stderr);
}

#[tokio::test]
async fn on_a_terminal_there_is_a_bar_and_programs_get_a_document() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    used(&Place::directory(&data)).await;
    let [file, other] = ["file", "other"].map(|name| home.path().join(name).to_str().unwrap().to_owned());
    let left = Terminal::new(&["export", &file, "--data-dir", data.to_str().unwrap()]).left().await;
    assert_eq!(left.code, 0);
    let written = String::from_utf8_lossy(&left.bytes);
    assert!(written.contains("] 100 %, ") && written.contains(" rows "), "{written}");
    assert!(
        left.screen().contents().starts_with("wrote "),
        "the line is free again: {}",
        left.screen().contents()
    );

    let ended = run(&["backup", &other, "--data-dir", data.to_str().unwrap(), "--json"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&document["kind"], &document["services"]["game"]["schema"]), (&"backup".into(), &1.into()));
    let ended =
        run(&["restore", &other, "--data-dir", home.path().join("x").to_str().unwrap(), "--json"]).await;
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["newEpochs"], true);
}
