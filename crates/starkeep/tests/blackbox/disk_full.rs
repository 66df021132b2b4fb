//! A real file system without space: every refusal and the command line say so, the log says it once, and all goes on by itself.
//! It is mounted by the test, which has to be root for it.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use starkeep_test_broker::leave_out;
use starkeep_test_postgres::{Server, give_to_servers};
use tempfile::TempDir;

use crate::archive::{Place, stopped};
use crate::program::{Program, run};
use crate::two_services::{new_game, path};

/// A small file system of its own. Unmounted at the end.
struct Disk(TempDir);

impl Disk {
    /// None where it cannot be mounted.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"])
            .arg(folder.path())
            .output();
        match mount {
            Ok(output) if output.status.success() => Some(Self(folder)),
            Ok(output) => {
                leave_out(&format!(
                    "no file system can be mounted: {}",
                    String::from_utf8_lossy(&output.stderr).trim()
                ));
                None
            }
            Err(fault) => {
                leave_out(&format!("no file system can be mounted: {fault}"));
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    /// To the last byte.
    fn fill(&self) {
        let mut filler = OpenOptions::new().create(true).append(true).open(self.filler()).unwrap();
        loop {
            match filler.write_all(&[0; 4096]) {
                Ok(()) => {}
                Err(fault) if fault.kind() == ErrorKind::StorageFull => return,
                Err(fault) => panic!("{fault}"),
            }
        }
    }

    fn make_space(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["--lazy"]).arg(self.path()).output();
    }
}

fn player(number: u32) -> Value {
    json!({ "name": format!("player-{number}"), "email": format!("player-{number}@example.org") })
}

const SAYS_SO: &str = "the server's disk is full";

#[tokio::test]
async fn a_full_disk_is_told_to_everybody_logged_once_and_left_behind_when_there_is_space_again() {
    let Some(disk) = Disk::mount() else { return };
    let program = refusing(&disk, &Place::directory(&disk.path().join("data"))).await;
    let health = program.game().get("/health").await.expect(503);
    assert!(health["parts"]["storage"]["detail"].as_str().unwrap().contains(SAYS_SO), "{health}");
    disk.make_space();
    // Nobody writes meanwhile.
    program.logged("the disk has space again", 1).await;
    going_on(program).await;
}

#[tokio::test]
async fn a_full_disk_of_postgresql_is_told_and_logged_in_the_same_way() {
    let Some(disk) = Disk::mount() else { return };
    let server = Server::start();
    let folder = disk.path().join("tables");
    std::fs::create_dir(&folder).unwrap();
    give_to_servers(&folder);
    let url = server.database("small");
    server.psql(&format!("CREATE TABLESPACE small LOCATION '{}'", folder.display()));
    server.psql("ALTER DATABASE small SET TABLESPACE small");
    let program = refusing(&disk, &Place::url(&url)).await;
    disk.make_space();
    // How much is free there nobody knows: it has to be written to.
    let game = program.game();
    let writing = async {
        for number in 100_000.. {
            game.post("/players", &player(number)).await.expect(201);
        }
    };
    tokio::select! {
        () = program.logged("the disk has space again", 1) => {}
        () = writing => {}
    }
    going_on(program).await;
}

/// Everybody is told that the disk is full.
async fn refusing(disk: &Disk, place: &Place) -> Program {
    let program = place.serve().await;
    let (game, url) = (program.game(), format!("http://{}", program.address("game")));
    let id = game.post("/games", &new_game()).await.expect(201)["gameId"].take();
    game.post("/players", &player(0)).await.expect(201);
    disk.fill();
    // What the log of changes has room for already still succeeds.
    let (mut number, mut refusals) = (1, 0);
    while refusals < 200 {
        let answer = game.post("/players", &player(number)).await;
        number += 1;
        if answer.status == 201 {
            assert!(number < 20_000, "the disk is not full");
            continue;
        }
        refusals += 1;
        assert_eq!(answer.headers["retry-after"], "1");
        let problem = answer.expect(503);
        assert_eq!(problem["code"], "disk-full", "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(SAYS_SO), "{problem}");
    }
    let created = run(&["game", "create", "--game-url", &url]).await;
    assert_eq!(created.code, Some(1), "{created:?}");
    assert!(created.stderr.contains(SAYS_SO), "{created:?}");
    game.get(&path(&id, "")).await.expect(200);
    program
}

/// The log has said it when it began, and nobody else has.
async fn going_on(program: Program) {
    program.game().post("/players", &player(1_000_000)).await.expect(201);
    program.game().get("/health").await.expect(200);
    program.terminate();
    let log = program.ended().await.stderr;
    assert_eq!(log.matches("the disk is full: nothing can be changed").count(), 1, "{log}");
    let complaints: Vec<_> =
        log.lines().filter(|line| line.contains("WARN") || line.contains("ERROR")).collect();
    assert!(complaints.len() <= 3, "{complaints:#?}");
}

#[tokio::test]
async fn commands_that_need_space_say_that_there_is_none() {
    let Some(disk) = Disk::mount() else { return };
    let home = tempfile::tempdir().unwrap();
    let (place, file) = (Place::directory(&home.path().join("data")), home.path().join("file"));
    stopped(place.serve().await).await;
    place.done("export", &file).await;
    disk.fill();
    let says_so = |said: &str| said.contains("the disk is full") || said.contains("No space left on device");
    let target = disk.path().join("target");
    let file = file.to_str().unwrap();
    let commands: [&[&str]; 3] =
        [&["serve", "map", "--map-listen", "127.0.0.1:0"], &["import", file], &["restore", file]];
    for command in commands {
        let ended = run(&[command, &["--data-dir", target.to_str().unwrap()]].concat()).await;
        assert!(ended.code != Some(0) && says_so(&ended.stderr), "{command:?}: {ended:?}");
    }
    let copy = disk.path().join("copy");
    let ended = place.run("export", &copy).await;
    assert!(ended.code == Some(1) && says_so(&ended.stderr), "{ended:?}");
    // With room for the directories and not for the databases.
    disk.make_space();
    let targets = [0, 1, 2].map(|number| disk.path().join(format!("target-{number}")));
    for target in &targets {
        std::fs::create_dir(target).unwrap();
        std::fs::write(target.join("lock"), "process 123456").unwrap();
    }
    disk.fill();
    for (command, target) in commands.iter().zip(&targets) {
        let ended = run(&[command, &["--data-dir", target.to_str().unwrap()][..]].concat()).await;
        assert!(ended.code != Some(0) && says_so(&ended.stderr), "{command:?}: {ended:?}");
    }
}
