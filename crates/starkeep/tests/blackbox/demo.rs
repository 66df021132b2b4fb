//! `starkeep demo` from outside: in a pipe and on a terminal of 80×24, and what it leaves behind.

use std::path::Path;

use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_test_http::{Caller, within_limit};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::program::{command, start};
use crate::terminal::{Terminal, Typed};

pub(crate) const LISTEN: [&str; 8] = [
    "--game-listen",
    "localhost:0",
    "--map-listen",
    "127.0.0.1:0",
    "--robot-listen",
    "127.0.0.1:0",
    "--trading-listen",
    "127.0.0.1:0",
];

pub(crate) async fn demo(temporary: &Path, flags: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = command();
    command.arg("demo").args(LISTEN).args(flags).env("TMPDIR", temporary);
    let mut child = start(&mut command).await;
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

pub(crate) async fn signal(name: &str, process: u32) {
    let mut sending = start(Command::new("kill").args([name, &process.to_string()])).await;
    assert!(within_limit("the signal to be sent", sending.wait()).await.unwrap().success());
}

/// Say that the machine was too slow for a round: an execution phase of the demo lasts half a second.
const TOO_SLOW: [&str; 3] = [
    "no heartbeat for longer than a round",
    "no answer within ",
    "too little of the execution phase was left",
];

/// Ends with exit code 0 on the signal, and from then on without a complaint about anything but the machine.
pub(crate) async fn ends_quietly(name: &str, child: &mut Child, lines: &mut Lines<BufReader<ChildStdout>>) {
    let signalled = SystemClock::start().wall();
    signal(name, child.id().unwrap()).await;
    while within_limit("its end", lines.next_line()).await.unwrap().is_some() {}
    let status = within_limit("its end", child.wait()).await.unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).await.unwrap();
    let is_earlier = |line: &&str| {
        let stamp = line.split(' ').next().and_then(|stamp| stamp.parse::<jiff::Timestamp>().ok());
        stamp.is_some_and(|stamp| stamp < signalled)
    };
    let is_of_the_machine = |line: &&str| TOO_SLOW.iter().any(|slow| line.contains(slow));
    let complaints: Vec<&str> =
        said.lines().filter(|line| !is_earlier(line) && !is_of_the_machine(line)).collect();
    assert_eq!((status.code(), complaints), (Some(0), vec![]), "{name}");
}

/// Its bots play.
pub(crate) async fn reaches_round_2(service: &Caller, mut meanwhile: impl FnMut()) {
    let is_reached = async || {
        let games =
            service.get_unless_gone("/games").await.map(|games| games.expect(200)).unwrap_or_default();
        let mut games = games.as_array().into_iter().flatten();
        games.any(|game| game["currentRoundNumber"].as_u64() >= Some(2))
    };
    within_limit("round 2", async {
        while !is_reached().await {
            meanwhile();
        }
    })
    .await;
}

#[tokio::test]
async fn in_a_pipe_robots_move_and_mine_and_nothing_stays_behind() {
    for name in ["-INT", "-TERM"] {
        let temporary = tempfile::tempdir().unwrap();
        let (mut child, mut lines) = demo(temporary.path(), &["--admin-token", "a-long-secret"]).await;
        let mut next = async || within_limit("a line", lines.next_line()).await.unwrap().unwrap();
        let first = next().await;
        assert!(first.starts_with("open http://127.0.0.1:"), "{first}");
        let (mut has_moved, mut has_mined) = (false, false);
        while !(has_moved && has_mined) {
            let line = next().await;
            assert!(!line.chars().any(char::is_control), "{line}");
            assert_ne!(line, "the game is ended", "{has_moved}, {has_mined}");
            has_moved |= line.starts_with("bot-") && line.ends_with(" moved a robot");
            let place = line.split_once(" on planet ").filter(|(what, _)| what.contains(" mined "));
            has_mined |= line.starts_with("bot-") && place.is_some_and(|(_, place)| place.contains(','));
        }
        ends_quietly(name, &mut child, &mut lines).await;
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "{name}");
    }
}

#[tokio::test]
async fn data_that_is_asked_for_is_kept() {
    let (temporary, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = home.path().join("data");
    let (mut child, mut lines) = demo(temporary.path(), &["--data-dir", data.to_str().unwrap()]).await;
    within_limit("its address", lines.next_line()).await.unwrap().unwrap();
    ends_quietly("-INT", &mut child, &mut lines).await;
    assert!(data.join("game.db").exists());
}

#[tokio::test]
async fn on_a_terminal_it_shows_the_game_and_restores_the_screen() {
    let temporary = tempfile::tempdir().unwrap();
    let terminal = Terminal::new(&[&["demo"], LISTEN.as_slice()].concat())
        .with("TMPDIR", temporary.path().to_str().unwrap());
    let has_all = |screen: &vt100::Screen| {
        assert!(screen.alternate_screen() && screen.hide_cursor());
        let text = screen.contents();
        ["open http://127.0.0.1:", "round ", "bot-1", " moved a robot"].iter().all(|word| text.contains(word))
    };
    let left =
        terminal.watched(move |screen| if has_all(screen) { Typed::Interrupt } else { Typed::Nothing }).await;
    assert_eq!(left.code, 0);
    assert!(!left.screen().alternate_screen() && !left.screen().hide_cursor(), "the screen is restored");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}
