//! `scripts/kafka` as child processes: it fetches, starts and ends; here it is called and held on to.
//! A keeper's stdin is the line on which a broker's life hangs: it breaks with this process, and the script sees that.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tokio::sync::{Mutex, OnceCell};
use tokio::task::spawn_blocking;

use crate::patience::{FETCHING, PATIENCE, patiently};

/// Held while a process is started: until it has become another program it has a copy of every open socket, so that one
/// that is closed meanwhile stays open. Who needs a socket to be closed at once holds it, too.
pub static STARTING: Mutex<()> = Mutex::const_new(());

/// Whether there is everything that a broker needs; asked once in a process. If not, the reason.
pub(crate) async fn jars() -> Result<(), &'static str> {
    static OUTCOME: OnceCell<Result<(), String>> = OnceCell::const_new();
    let outcome = OUTCOME.get_or_init(async || {
        let child = spawn(script("jars").stdout(Stdio::null()).stderr(Stdio::piped())).await?;
        let output = blocking(FETCHING, "the broker's jars", move || child.wait_with_output()).await;
        verdict(&output.map_err(|error| error.to_string())?)
    });
    outcome.await.as_ref().copied().map_err(String::as_str)
}

/// The last line of what the script complains about is its reason.
fn verdict(output: &Output) -> Result<(), String> {
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

/// The process beside a running broker.
pub(crate) struct Keeper(Child);

impl Keeper {
    /// Returns once the broker answers, with its address.
    pub(crate) async fn start(folder: &Path) -> (Self, String) {
        let mut command = script("keep");
        // A group of its own: a Ctrl-C ends this process, and the keeper then does its work undisturbed.
        command.arg(folder).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = spawn(&mut command).await.unwrap_or_else(|error| panic!("{error}"));
        // From here on the broker ends with the keeper, also when it never says where it listens.
        let mut keeper = Self(child);
        let mut stdout = BufReader::new(keeper.0.stdout.take().expect("it is piped"));
        let mut line = String::new();
        let (keeper, line) = blocking(PATIENCE, "a broker", move || {
            // Silence is the same as a pipe that cannot be read.
            let _ = stdout.read_line(&mut line);
            (keeper, line)
        })
        .await;
        let address = line.trim_end();
        assert!(!address.is_empty(), "no broker came up; scripts/kafka has said why");
        (keeper, address.to_owned())
    }

    /// Returns when the broker is gone.
    pub(crate) async fn end(mut self, order: Order) {
        let word = match order {
            Order::Stop => "stop\n",
            Order::Kill => "kill\n",
        };
        let told = self.0.stdin.as_mut().expect("it is piped").write_all(word.as_bytes());
        told.unwrap_or_else(|error| panic!("the broker's keeper is gone: {error}"));
        let ended = blocking(PATIENCE, "the broker's end", move || self.0.wait()).await;
        assert!(ended.is_ok_and(|status| status.success()), "no end to a broker; scripts/kafka has said why");
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

fn script(verb: &str) -> Command {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/kafka"));
    command.arg(verb).stdin(Stdio::null());
    command
}

async fn spawn(command: &mut Command) -> Result<Child, String> {
    let _nobody_else = STARTING.lock().await;
    command.spawn().map_err(|error| format!("scripts/kafka cannot be run: {error}"))
}

async fn blocking<T: Send + 'static>(
    limit: Duration,
    awaited: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    patiently(limit, awaited, spawn_blocking(work)).await.expect("this work does not panic")
}
