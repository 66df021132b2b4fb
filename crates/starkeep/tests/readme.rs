//! The README's commands do what it says: its block of curl commands is run by a shell, against the real program.
//! Only the addresses are replaced, by free ones.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// What it prints is kept open, so that it never meets a closed pipe.
struct Program(Child, #[expect(dead_code, reason = "only held")] ChildStdout);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts all services on free ports; the address of the game service.
fn start(data: &Path) -> (Program, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starkeep"));
    command.args(["serve", "--data-dir"]).arg(data);
    for service in ["game", "map", "robot", "trading"] {
        command.args([&format!("--{service}-listen"), "127.0.0.1:0"]);
    }
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut lines = stdout.by_ref().lines().map(Result::unwrap);
    let game = lines.find_map(|line| Some(line.strip_prefix("game service listening on ")?.to_owned()));
    (Program(child, stdout.into_inner()), game.expect("the game service"))
}

/// The lines of the marked block.
fn block() -> String {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let block = readme.split("<!-- This block is run by a test").nth(1).expect("the marked block");
    block.split("```sh").nth(1).and_then(|rest| rest.split("```").next()).expect("a shell block").to_owned()
}

/// Runs it as it stands, except that it stops at the first command that fails.
fn run(script: &str) -> Vec<Value> {
    let run = Command::new("bash").args(["-euo", "pipefail", "-c", script]).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{output}\n{}", String::from_utf8_lossy(&run.stderr));
    output.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

#[test]
fn a_game_is_played_with_curl_as_the_readme_shows() {
    let block = block();
    let commands = block.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    assert!(commands < 30, "{commands} lines are too many to type");
    let data = tempfile::tempdir().unwrap();
    let (_program, game) = start(data.path());
    let script = block.replace("http://127.0.0.1:8080", &game);
    assert_ne!(script, block, "the README names the default address");
    // On the same data as often as one likes.
    for _ in 0..2 {
        let answers = run(&script);
        let [.., sold, ended] = &answers[..] else { panic!("{answers:?}") };
        let views: Vec<_> = answers.iter().filter(|answer| answer.get("money").is_some()).collect();
        assert_eq!(views.len(), 2, "{answers:?}");
        assert_eq!((&views[0]["money"], views[0]["robots"].as_array().unwrap().len()), (&json!(100), 1));
        assert_eq!(views[1], sold);
        assert_eq!(sold["money"], 110);
        assert_eq!(sold["robots"][0]["inventory"]["usedStorage"], 0, "what was mined is sold: {sold}");
        assert_eq!((&ended["gameStatus"], &ended["currentRoundNumber"]), (&json!("ended"), &json!(6)));
    }
}

#[test]
fn a_command_that_fails_shows_why() {
    let data = tempfile::tempdir().unwrap();
    let (_program, game) = start(data.path());
    let functions: Vec<_> =
        block().lines().take_while(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let script = functions.join("\n").replace("http://127.0.0.1:8080", &game)
        + "\nask $GAME/games -H \"$JSON\" -d '{}'";
    let run = Command::new("bash").args(["-c", &script]).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(output.contains("maxRounds") && output.contains("detail"), "{output}");
}
