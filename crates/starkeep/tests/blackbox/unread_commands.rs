//! Commands whose output nobody reads: into a closed pipe they do what they do otherwise, and into a full one they can be stopped.
//! Those that run until they are stopped are in `unread_output`.

use std::cell::Cell;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use starkeep_test_http::within_limit;
use tokio::process::Command;

use crate::demo::signal;
use crate::host::Host;
use crate::program::{Program, command, run};
use crate::unread_output::{Unheard, Unread};

const SIGNALS: [(&str, i32); 2] = [("-INT", 2), ("-TERM", 15)];

/// The command into each kind of pipe. `is_done` waits until it has done all but print.
async fn assert_ends(command: impl Fn(&Path) -> Command, is_done: impl AsyncFn(&Path)) {
    let place = tempfile::tempdir().unwrap();
    let mut unheard = Unheard::start(command(place.path()), Unread::Closed, None).await;
    unheard.ends(Unread::Closed).await;
    for (name, number) in SIGNALS {
        let place = tempfile::tempdir().unwrap();
        let mut unheard = Unheard::start(command(place.path()), Unread::Full, None).await;
        within_limit("the work of the command", is_done(place.path())).await;
        signal(name, unheard.child.id().unwrap()).await;
        let status = within_limit("its end", unheard.child.wait()).await.unwrap();
        assert!(status.success() || status.signal() == Some(number), "{name}: {status}");
    }
}

/// Waits for what no message tells.
async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn commands_that_write_files() {
    let home = tempfile::tempdir().unwrap();
    let (data, archive) = (home.path().join("data"), home.path().join("archive"));
    let (data, archive) = (data.to_str().unwrap(), archive.to_str().unwrap());
    let program = Program::serve("all", &["--data-dir", data]).await;
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    assert_eq!(run(&["export", archive, "--data-dir", data]).await.code, Some(0));
    // The words, and what is there when the rest is to print.
    for (words, written) in [
        ("export PLACE/archive --data-dir DATA", "archive"),
        ("backup PLACE/archive --data-dir DATA", "archive"),
        ("import ARCHIVE --data-dir PLACE/data", "data/game.db"),
        ("restore ARCHIVE --data-dir PLACE/data", "data/game.db"),
        ("world preview --players 1 --svg PLACE/world.svg", "world.svg"),
    ] {
        let command = |place: &Path| {
            let words = words.replace("PLACE", place.to_str().unwrap());
            let mut command = command();
            command.args(words.replace("DATA", data).replace("ARCHIVE", archive).split(' '));
            command
        };
        assert_ends(command, async |place| until(|| place.join(written).exists()).await).await;
    }
}

#[tokio::test]
async fn what_is_typed_wrongly() {
    for words in [["--no-such-flag"].as_slice(), &["nonsense"], &["game", "nonsense"]] {
        let mut typed = command();
        typed.args(words);
        let mut unheard = Unheard::start(typed, Unread::Closed, None).await;
        let status = within_limit("its end", unheard.child.wait()).await.unwrap();
        assert_eq!(status.code(), Some(2), "{words:?}");
    }
}

#[tokio::test]
async fn a_command_that_asks_a_service() {
    let host = Host::start(&[]).await;
    let service = host.program.game();
    let asked = async || {
        let metrics = service.get("/metrics").await.expect_text(200);
        let mut lines = metrics.lines();
        let line = lines.find(|line| line.contains("\"GET\"") && line.contains("\"/games\""));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<u32>().ok()).unwrap_or(0)
    };
    let list = |_: &Path| {
        let mut command = command();
        command.args(["game", "list", "--game-url", &host.url]);
        command
    };
    let before = Cell::new(0);
    assert_ends(list, async |_| {
        before.set(before.get() + 1);
        while asked().await <= before.get() {}
    })
    .await;
}

#[tokio::test]
async fn a_self_test_without_faults() {
    let mut selftest = command();
    selftest.args(["selftest", "--seconds", "0"]).env("PATH", "/usr/bin:/bin");
    Unheard::start(selftest, Unread::Closed, None).await.ends(Unread::Closed).await;
}
