//! The README's commands do what it says: its block of curl commands is run by a shell, against the real program.
//! Only the addresses are replaced, by free ones.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts both services on free ports; their addresses, game first.
fn start(data: &Path) -> (Program, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_starkeep"))
        .args(["serve", "--game-listen", "127.0.0.1:0", "--map-listen", "127.0.0.1:0", "--data-dir"])
        .arg(data)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let (mut game, mut map) = (None, None);
    for line in lines {
        if let Some(address) = line.strip_prefix("game service listening on ") {
            game = Some(address.to_owned());
        }
        if let Some(address) = line.strip_prefix("map service listening on ") {
            map = Some(address.to_owned());
        }
        if line.starts_with("Stop with") {
            break;
        }
    }
    (Program(child), game.unwrap(), map.unwrap())
}

#[test]
fn a_game_is_played_with_curl_as_the_readme_shows() {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let block = readme.split("<!-- This block is run by a test").nth(1).expect("the marked block");
    let block = block.split("```sh").nth(1).and_then(|rest| rest.split("```").next()).expect("a shell block");
    let data = tempfile::tempdir().unwrap();
    let (_program, game, map) = start(data.path());
    let script = block.replace("http://127.0.0.1:8080", &game).replace("http://127.0.0.1:8081", &map);
    assert_ne!(script, block, "the README names the default addresses");
    // Each answer on a line of its own.
    let script = script.replace("curl -s", "curl -s --fail-with-body -w '\\n'");
    let run = Command::new("bash").args(["-euo", "pipefail", "-c", &script]).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{output}\n{}", String::from_utf8_lossy(&run.stderr));
    let answers: Vec<serde_json::Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let [
        rounds,
        duration,
        joined,
        started,
        ordered,
        time,
        mining,
        paused,
        stepped,
        carried_out,
        resumed,
        ended,
        shown,
    ] = &answers[..]
    else {
        panic!("{output}")
    };
    assert_eq!([&paused["paused"], &stepped["paused"], &resumed["paused"]], [true, true, false]);
    assert_eq!(stepped["currentRoundNumber"], 2);
    assert!(joined["transactionId"].is_string(), "{joined}");
    assert_eq!(rounds["maxRounds"], 3);
    assert_eq!(duration["roundLengthInMillis"], 5000);
    assert_eq!((&started["gameStatus"], &started["currentRoundNumber"]), (&"running".into(), &1.into()));
    assert_eq!([&ordered["state"], &carried_out["state"]], ["pending", "undelivered"]);
    assert_eq!(time["phase"], "collection");
    assert_eq!((&mining["amount_mined"], &mining["amount_left"]), (&25.into(), &9975.into()));
    assert_eq!(ended["gameStatus"], "ended");
    assert_eq!(shown, ended);
}
