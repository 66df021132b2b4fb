//! The executor in `examples/` carries out the commands of a game, started as `docs/write-an-executor.md` says.
//! Only the addresses are replaced, by free ones, and the data is elsewhere.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../docs/write-an-executor.md");
const MARK: &str = "tests/executor_example.rs runs";
/// The address that the page has for the executor.
const ADDRESS: &str = "http://127.0.0.1:9082";

/// A robot is bought, mines in round 2, and sells what it has in round 3. `$1` is the game's address.
const GAME: &str = r#"
GAME=$1
JSON='Content-Type: application/json'
ask() { curl -sS --fail-with-body "$@"; }
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d'"' -f4; }
ID=$(ask $GAME/games -H "$JSON" -d '{"maxRounds":9,"maxPlayers":1,"seed":8}' | field gameId)
ADA=$(ask $GAME/players -H "$JSON" -d '{"name":"ada","email":"ada@example.org"}' | field bearerToken)
order() { ask $GAME/commands -H "$JSON" -d '{"gameId":"'$ID'","playerToken":"'$ADA'","commandType":"'$1'"'"$2"'}' | field transactionId; }
host() { ask -X POST $GAME/games/$ID/gameCommands/$1 > /dev/null; }
view() { ask $GAME/games/$ID/view -H "Authorization: Bearer $ADA"; }
ask -X PUT $GAME/games/$ID/players/$ADA > /dev/null
host start; host pause
BOUGHT=$(order buying ',"commandObject":{"itemName":"ROBOT","itemQuantity":1}'); host step
ROBOT=$(view | field id) STATION=$(view | field planet)
MINED=$(order mining ',"robotId":"'$ROBOT'"'); host step
view
SOLD=$(order selling ',"robotId":"'$ROBOT'","commandObject":{"planetId":"'$STATION'"}'); host step
view
starkeep events --game-url $GAME --service game --channels scores --after start --limit 3 --json
for COMMAND in $BOUGHT $MINED $SOLD; do ask $GAME/commands/$COMMAND -H "Authorization: Bearer $ADA"; done
"#;

/// What it prints is kept open, so that it never meets a closed pipe.
struct Program {
    child: Child,
    url: String,
    _stdout: ChildStdout,
}

impl Program {
    /// Returns when it has printed the address after these words.
    fn start(command: &mut Command, before_address: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut lines = stdout.by_ref().lines().map(Result::unwrap);
        let url = lines.find_map(|line| Some(line.strip_prefix(before_address)?.to_owned()));
        Self { child, url: url.expect("an address"), _stdout: stdout.into_inner() }
    }

    /// As the page starts it.
    fn executor(home: &Path) -> Self {
        let line = fence(0).lines().next().unwrap();
        let [python, script, "--port", port] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        assert!(ADDRESS.ends_with(port), "the page names one port");
        let script = root().join(script);
        let mut command = Command::new(python);
        Self::start(
            command.arg(script).args(["--port", "0"]).current_dir(home),
            "robot service listening on ",
        )
    }

    /// As the page starts it.
    fn starkeep(home: &Path, executor: &str) -> Self {
        let line = fence(0).lines().nth(1).unwrap().replace(ADDRESS, executor);
        let arguments = line.strip_prefix("starkeep ").unwrap().split(' ');
        let mut command = Command::new(env!("CARGO_BIN_EXE_starkeep"));
        command.args(arguments).current_dir(home);
        for service in ["game", "map", "trading"] {
            command.args([&format!("--{service}-listen"), "127.0.0.1:0"]);
        }
        Self::start(&mut command, "game service listening on ")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The marked blocks of the page.
fn fence(number: usize) -> &'static str {
    let rest = PAGE.split(MARK).nth(number + 1).expect("a marked block");
    rest.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a shell block")
}

/// Runs it with `starkeep` on the path; what it prints.
fn bash(script: &str, argument: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_starkeep")).parent().unwrap().to_str().unwrap();
    let script = format!("PATH={folder}:$PATH\n{script}");
    let mut command = Command::new("bash");
    let run = command.args(["-euo", "pipefail", "-c", &script, "bash", argument]).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{output}\n{}", String::from_utf8_lossy(&run.stderr));
    output
}

#[test]
fn a_game_is_played_with_the_executor() {
    let home = tempfile::tempdir().unwrap();
    let executor = Program::executor(home.path());
    let starkeep = Program::starkeep(home.path(), &executor.url);
    let printed = bash(GAME, &starkeep.url);
    let printed: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [mined, sold, _, _, scores, receipts @ ..] = &printed[..] else { panic!("{printed:?}") };
    let state = |view: &Value| (view["money"].clone(), view["robots"][0]["inventory"]["storedCoal"].clone());
    assert_eq!(state(mined), (json!(100), json!(2)), "{mined}");
    assert_eq!(state(sold), (json!(110), json!(0)), "{sold}");
    // The game service has read both logs: those of the trades, and those of the executor.
    let ada = &scores["payload"]["players"][0];
    let known = json!([ada["money"], ada["robotsAlive"], ada["mined"]]);
    assert_eq!(known, json!([110, 1, 2]), "{scores}");
    let channels: Vec<_> = receipts.iter().map(|receipt| receipt["result"]["channel"].clone()).collect();
    assert_eq!(channels, ["trades", "mining", "trades"], "{receipts:?}");
    for receipt in receipts {
        let became = json!([receipt["state"], receipt["result"]["payload"]["success"]]);
        assert_eq!(became, json!(["dispatched", true]), "{receipt}");
    }
}

/// The positions with which the page's batch is answered.
fn positions(executor: &Program) -> Vec<String> {
    let answers = bash(&fence(1).replace(ADDRESS, &executor.url), "");
    let position = |line: &str| Some(line.strip_prefix("Starkeep-Position: ")?.trim().to_owned());
    answers.lines().filter_map(position).collect()
}

#[test]
fn a_batch_that_comes_twice_is_carried_out_once_also_after_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let before = positions(&Program::executor(home.path()));
    let [first, second] = &before[..] else { panic!("{before:?}") };
    assert_eq!(first, second);
    assert_eq!(first.split('-').nth(1), Some("1"), "one command, one event: {first}");
    // It was killed. What it was writing is not whole.
    let mut journal = OpenOptions::new().append(true).open(home.path().join("robots.jsonl")).unwrap();
    journal.write_all(br#"{"robots": [], "ev"#).unwrap();
    for _ in 0..2 {
        assert_eq!(positions(&Program::executor(home.path())), before);
    }
}
