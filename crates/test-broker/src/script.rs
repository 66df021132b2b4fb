//! `scripts/kafka` as child processes: the script fetches, starts and ends brokers; here it is called.
//! `scripts/kafka keep` ends its broker when its stdin is closed, so a broker does not outlive the process of its test.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tokio::sync::{Mutex, OnceCell};
use tokio::task::spawn_blocking;

use crate::time_limits::{FETCH_LIMIT, WAIT_LIMIT, within};

/// Locked while a process is started: between fork and exec it has a copy of every open socket, so that one that is closed
/// meanwhile stays open. A test that needs a socket to be closed at once locks it, too.
pub static STARTING: Mutex<()> = Mutex::const_new(());

/// Which Kafka.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Release {
    Current,
    Old,
}

/// Whether everything is there that a broker needs; checked once in a process. If not, the reason.
pub(crate) async fn jars(release: Release) -> Result<(), &'static str> {
    static OUTCOMES: [OnceCell<Result<(), String>>; 2] = [const { OnceCell::const_new() }; 2];
    let outcome = OUTCOMES[release as usize].get_or_init(async || {
        let child = spawn(script(release, "jars").stdout(Stdio::null()).stderr(Stdio::piped())).await?;
        let output = blocking(FETCH_LIMIT, "the broker's jars", move || child.wait_with_output()).await;
        outcome(&output.map_err(|error| error.to_string())?)
    });
    outcome.await.as_ref().copied().map_err(String::as_str)
}

/// The last line on the script's stderr is its reason.
fn outcome(output: &Output) -> Result<(), String> {
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(complaint.lines().last().map_or_else(|| output.status.to_string(), str::to_owned))
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    Stop,
    Kill,
}

/// `scripts/kafka keep`, which runs as long as its broker.
pub(crate) struct Keeper(Child);

impl Keeper {
    /// Returns once the broker answers, with its address.
    pub(crate) async fn start(release: Release, folder: &Path) -> (Self, String) {
        let mut command = script(release, "keep");
        // A process group of its own: a Ctrl-C ends this process, and the keeper can still end its broker.
        command.arg(folder).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = spawn(&mut command).await.unwrap_or_else(|error| panic!("{error}"));
        // From here on the broker ends with the keeper, also when it never prints its address.
        let mut keeper = Self(child);
        let mut stdout = BufReader::new(keeper.0.stdout.take().expect("it is piped"));
        let mut line = String::new();
        let (keeper, line) = blocking(WAIT_LIMIT, "a broker", move || {
            // No line is the same as a pipe that cannot be read.
            let _ = stdout.read_line(&mut line);
            (keeper, line)
        })
        .await;
        let address = line.trim_end();
        assert!(!address.is_empty(), "no broker came up; see the output of scripts/kafka");
        (keeper, address.to_owned())
    }

    /// Returns when the broker has ended.
    pub(crate) async fn end(mut self, order: Order) {
        let word = match order {
            Order::Stop => "stop\n",
            Order::Kill => "kill\n",
        };
        let written = self.0.stdin.as_mut().expect("it is piped").write_all(word.as_bytes());
        written.unwrap_or_else(|error| panic!("scripts/kafka keep has ended: {error}"));
        let ended = blocking(WAIT_LIMIT, "the broker's end", move || self.0.wait()).await;
        assert!(
            ended.is_ok_and(|status| status.success()),
            "the broker did not end; see the output of scripts/kafka"
        );
    }
}

/// Blocks for the moment that a SIGKILL takes, so that nothing runs on when the test is over.
impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It fails only for a keeper that has already gone.
        let _ = self.0.wait();
    }
}

fn script(release: Release, verb: &str) -> Command {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/kafka"));
    if let Release::Old = release {
        command.arg("--old");
    }
    command.arg(verb).stdin(Stdio::null());
    command
}

async fn spawn(command: &mut Command) -> Result<Child, String> {
    let _only_one = STARTING.lock().await;
    command.spawn().map_err(|error| format!("scripts/kafka cannot be run: {error}"))
}

async fn blocking<T: Send + 'static>(
    limit: Duration,
    awaited: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    within(limit, awaited, spawn_blocking(work)).await.expect("this work does not panic")
}
