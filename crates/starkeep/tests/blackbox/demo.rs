//! `starkeep demo` from outside: in a pipe and on a terminal of 80×24, and what it leaves behind.

use std::io::Read;
use std::path::Path;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::program::{STARTING, command, start};
use crate::time_limit::within_limit;

const LISTEN: [&str; 8] = [
    "--game-listen",
    "localhost:0",
    "--map-listen",
    "127.0.0.1:0",
    "--robot-listen",
    "127.0.0.1:0",
    "--trading-listen",
    "127.0.0.1:0",
];

async fn demo(temporary: &Path, flags: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = command();
    command.arg("demo").args(LISTEN).args(flags).env("TMPDIR", temporary);
    let mut child = start(&mut command).await;
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

async fn signal(name: &str, process: u32) {
    let mut sending = start(Command::new("kill").args([name, &process.to_string()])).await;
    assert!(within_limit("the signal to be sent", sending.wait()).await.unwrap().success());
}

#[tokio::test]
async fn in_a_pipe_robots_move_and_mine_and_nothing_stays_behind() {
    for name in ["-INT", "-TERM"] {
        let temporary = tempfile::tempdir().unwrap();
        let (mut child, mut lines) = demo(temporary.path(), &["--admin-token", "secret"]).await;
        let mut next = async || within_limit("a line", lines.next_line()).await.unwrap().unwrap();
        let first = next().await;
        assert!(first.starts_with("open http://127.0.0.1:"), "{first}");
        let (mut has_moved, mut has_mined) = (false, false);
        while !(has_moved && has_mined) {
            let line = next().await;
            assert!(!line.chars().any(char::is_control), "{line}");
            has_moved |= line.starts_with("bot-") && line.ends_with(" moved a robot");
            has_mined |= line.starts_with("bot-") && line.contains(" mined ");
        }
        signal(name, child.id().unwrap()).await;
        while within_limit("its end", lines.next_line()).await.unwrap().is_some() {}
        let status = within_limit("its end", child.wait()).await.unwrap();
        let mut complaints = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaints).await.unwrap();
        assert_eq!((status.code(), complaints.as_str()), (Some(0), ""), "{name}");
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "{name}");
    }
}

#[tokio::test]
async fn data_that_is_asked_for_is_kept() {
    let (temporary, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = home.path().join("data");
    let (mut child, mut lines) = demo(temporary.path(), &["--data-dir", data.to_str().unwrap()]).await;
    within_limit("its address", lines.next_line()).await.unwrap().unwrap();
    signal("-INT", child.id().unwrap()).await;
    assert_eq!(within_limit("its end", child.wait()).await.unwrap().code(), Some(0));
    assert!(data.join("game.db").exists());
}

/// The program on a terminal of its own. Blocks until `is_enough` of the screen, interrupts it, and gives back all bytes.
fn on_a_terminal(temporary: &Path, is_enough: impl Fn(&vt100::Screen) -> bool) -> (u32, vt100::Parser) {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_starkeep"));
    command.env_clear();
    command.env("TMPDIR", temporary);
    command.arg("demo");
    command.args(LISTEN);
    let mut child = {
        let _nobody_else = STARTING.blocking_lock();
        pair.slave.spawn_command(command).unwrap()
    };
    drop(pair.slave);
    let (mut reader, mut writer) =
        (pair.master.try_clone_reader().unwrap(), pair.master.take_writer().unwrap());
    let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    let (mut bytes, mut is_interrupted) = ([0; 4096], false);
    // At the end of the program reading ends, by an error or without.
    while let Ok(read @ 1..) = reader.read(&mut bytes) {
        parser.process(&bytes[..read]);
        if !is_interrupted && is_enough(parser.screen()) {
            assert!(parser.screen().alternate_screen() && parser.screen().hide_cursor());
            writer.write_all(b"\x03").unwrap();
            is_interrupted = true;
        }
    }
    (child.wait().unwrap().exit_code(), parser)
}

#[tokio::test]
async fn on_a_terminal_it_shows_the_game_and_restores_the_screen() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().to_owned();
    let is_enough = |screen: &vt100::Screen| {
        let text = screen.contents();
        let has_all = ["open http://127.0.0.1:", "round ", "bot-1", " moved a robot"];
        // The first lines are short: none of them was wrapped.
        has_all.iter().all(|word| text.contains(word)) && (0..24).all(|row| !screen.row_wrapped(row))
    };
    let watching = tokio::task::spawn_blocking(move || on_a_terminal(&path, is_enough));
    let (code, parser) = within_limit("the demo's end", watching).await.unwrap();
    assert_eq!(code, 0);
    assert!(!parser.screen().alternate_screen() && !parser.screen().hide_cursor(), "the screen is restored");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}
