//! The data directory and the listen addresses: what cannot be used is refused with exit code 2 and a text that helps, and
//! nothing in it is touched.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rusqlite::Connection;
use starkeep_platform::data_dir::DataDir;
use tempfile::TempDir;

use crate::program::{Ended, Program, run};

/// How databases of earlier development versions are marked.
pub(crate) const EARLIER_APPLICATION_ID: i32 = 0x5374_6172;

/// Tries to serve there, in vain.
async fn refused(data: &Path, flags: &[&str]) -> Ended {
    let listen = ["--game-listen", "127.0.0.1:0", "--map-listen", "127.0.0.1:0"];
    let arguments = ["serve", "all", "--data-dir", data.to_str().unwrap()];
    let ended = run(&[&arguments, listen.as_slice(), flags].concat()).await;
    assert_eq!(ended.code, Some(2), "{ended:?}");
    ended
}

/// A directory that was used and left in good order.
async fn used(data: &Path) {
    let program = Program::serve("all", &["--data-dir", data.to_str().unwrap()]).await;
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
}

/// Name and content of every file, without the lock, which names the process that last tried.
fn files(data: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| !path.ends_with("lock"));
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

#[tokio::test]
async fn a_second_process_is_told_which_one_holds_the_directory() {
    let home = tempfile::tempdir().unwrap();
    let first = Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await;
    let second = refused(home.path(), &[]).await;
    assert!(second.stderr.contains(&format!("in use by process {};", first.id())), "{}", second.stderr);
    assert!(second.stderr.contains("--data-dir"), "{}", second.stderr);
    first.game().get("/games").await.expect(200);

    // The lock ends with the process, however that ends.
    first.kill().await;
    used(home.path()).await;
}

#[tokio::test]
async fn the_files_of_a_directory_in_use_are_not_judged() {
    let home = tempfile::tempdir().unwrap();
    let _first = DataDir::open(home.path()).unwrap();
    // As it may look while the first process makes it.
    fs::write(home.path().join("map.db"), "half a database").unwrap();
    let second = refused(home.path(), &[]).await;
    assert!(second.stderr.contains("in use by process"), "{}", second.stderr);
}

/// A used directory in which this database says that a newer version wrote it; its files, and what the program says.
async fn with_newer(database: &str) -> (TempDir, BTreeMap<String, Vec<u8>>, Ended) {
    with(database, "user_version", 999).await
}

/// The same with another mark.
async fn with(database: &str, mark: &str, value: i32) -> (TempDir, BTreeMap<String, Vec<u8>>, Ended) {
    let home = tempfile::tempdir().unwrap();
    used(home.path()).await;
    let connection = Connection::open(home.path().join(database)).unwrap();
    connection.pragma_update(None, mark, value).unwrap();
    connection.close().unwrap();
    let before = files(home.path());
    let ended = refused(home.path(), &[]).await;
    (home, before, ended)
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_not_touched() {
    for newer in ["game.db", "map.db"] {
        let (home, before, ended) = with_newer(newer).await;
        assert!(ended.stderr.contains(newer) && ended.stderr.contains("newer version"), "{}", ended.stderr);
        assert!(files(home.path())[newer] == before[newer], "{newer} was changed");
    }
}

#[tokio::test]
async fn nothing_in_a_directory_of_a_newer_version_is_touched() {
    for newer in ["game.db", "map.db"] {
        let (home, before, ended) = with_newer(newer).await;
        assert!(!ended.stdout.contains("listening"), "{}", ended.stdout);
        let after = files(home.path());
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
        for (name, content) in &before {
            assert!(after[name] == *content, "{newer} is newer, and {name} was changed");
        }
    }
}

#[tokio::test]
async fn a_directory_of_an_earlier_development_version_is_refused_and_not_touched() {
    for earlier in ["game.db", "trading.db"] {
        let (home, before, ended) = with(earlier, "application_id", EARLIER_APPLICATION_ID).await;
        for words in [earlier, "earlier development version", "nothing was changed"] {
            assert!(ended.stderr.contains(words), "{}", ended.stderr);
        }
        assert!(files(home.path()) == before, "{earlier} is earlier, and something was changed");
    }
}

#[tokio::test]
async fn a_file_that_is_not_ours_is_refused_and_not_touched() {
    let text = b"dear diary, ".repeat(1_000);
    let home = tempfile::tempdir().unwrap();
    let database = home.path().join("diary");
    let connection = Connection::open(&database).unwrap();
    connection.execute_batch("CREATE TABLE diary (day TEXT); INSERT INTO diary VALUES ('monday')").unwrap();
    connection.close().unwrap();
    for (kind, content) in [("a text", text), ("another program's database", fs::read(database).unwrap())] {
        for name in ["game.db", "map.db"] {
            let home = tempfile::tempdir().unwrap();
            let file = home.path().join(name);
            fs::write(&file, &content).unwrap();
            let ended = refused(home.path(), &[]).await;
            assert!(ended.stderr.contains(name), "{kind} as {name}: {}", ended.stderr);
            assert!(fs::read(&file).unwrap() == content, "{kind} as {name} was changed");
        }
    }
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_or_written_is_named() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let ended = refused(&path, &[]).await;
        assert!(ended.stderr.contains(path.to_str().unwrap()), "{}", ended.stderr);
    }

    let data = home.path().join("data");
    fs::create_dir_all(data.join("map.db")).unwrap();
    let ended = refused(&data, &[]).await;
    assert!(ended.stderr.contains("the database cannot be opened"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_port_that_is_taken_is_named_with_the_flag_that_chooses_another() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (which, flag) in [("game", "--game-listen"), ("map", "--map-listen")] {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().to_str().unwrap();
        let ended = run(&["serve", which, "--data-dir", data, flag, &address]).await;
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(&address) && ended.stderr.contains(flag), "{}", ended.stderr);
    }
}

#[tokio::test]
async fn only_the_owner_can_read_what_holds_tokens() {
    let home = tempfile::tempdir().unwrap();
    let program = Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await;
    program.game().get("/games").await.expect(200);
    let mut databases = 0;
    for entry in std::fs::read_dir(home.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_str().unwrap().contains(".db") {
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{entry:?}");
            databases += 1;
        }
    }
    assert!(databases >= 4, "{databases}");
}
