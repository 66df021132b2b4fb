//! The program under test as a child process: started with flags, ready once it has printed its addresses, and ended by
//! the test: killed, stopped, or at the latest with its handle. It sees no variable of the test's own environment.
//!
//! With `STARKEEP_TEST_STORE=postgres` each data directory becomes a database of a real PostgreSQL, so that what is tested with files can be
//! tested there as well.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;

use starkeep_fault_harness::ServerProcess;
use starkeep_test_http::{Caller, within_limit};
// One lock for all: a broker is a process, too.
pub(crate) use starkeep_test_broker::STARTING;
use starkeep_test_postgres::shared;
use tempfile::TempDir;
use tokio::process::{Child, Command};

pub(crate) struct Program {
    process: ServerProcess,
    /// For the tokens of its bots.
    bots: TempDir,
}

pub(crate) async fn start(command: &mut Command) -> Child {
    let _nobody_else = STARTING.lock().await;
    command.spawn().unwrap()
}

/// A program that has come to its end.
pub(crate) use starkeep_fault_harness::EndedProcess as Ended;

impl Program {
    /// `serve` with the arguments, on free ports unless they say otherwise; returns once it serves.
    pub(crate) async fn serve(which: &str, arguments: &[impl AsRef<OsStr>]) -> Self {
        Self::serve_with(which, arguments, &[]).await
    }

    /// The same with variables in its environment.
    pub(crate) async fn serve_with(
        which: &str,
        arguments: &[impl AsRef<OsStr>],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = serve_command(which, arguments);
        command.envs(variables.iter().copied());
        let program = Self::spawned(&mut command).await.serving().await;
        let needed = if which == "all" { "game" } else { which };
        assert!(program.process.address(needed).is_some(), "the {needed} service did not come up");
        program
    }

    /// Only starts it: it has no addresses before it is `serving`.
    pub(crate) async fn spawn(which: &str, arguments: &[impl AsRef<OsStr>]) -> Self {
        Self::spawned(&mut serve_command(which, arguments)).await
    }

    async fn spawned(command: &mut Command) -> Self {
        let _nobody_else = STARTING.lock().await;
        Self { process: ServerProcess::spawn(command).unwrap(), bots: tempfile::tempdir().unwrap() }
    }

    pub(crate) async fn serving(self) -> Self {
        let process = within_limit("the program to serve", self.process.serving()).await.unwrap();
        Self { process, bots: self.bots }
    }

    /// Where bots keep their tokens that play several games there.
    pub(crate) fn bot_tokens(&self) -> PathBuf {
        self.bots.path().join("bots.jsonl")
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id().unwrap()
    }

    pub(crate) fn address(&self, service: &str) -> SocketAddr {
        self.process.address(service).unwrap()
    }

    /// Megabytes that the process holds, as the operating system counts them.
    pub(crate) fn resident_megabytes(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }

    pub(crate) fn game(&self) -> Caller {
        Caller::new(self.address("game"))
    }

    pub(crate) fn robot(&self) -> Caller {
        Caller::new(self.address("robot"))
    }

    pub(crate) fn trading(&self) -> Caller {
        Caller::new(self.address("trading"))
    }

    pub(crate) fn map(&self) -> Caller {
        Caller::new(self.address("map"))
    }

    /// Waits until its log has the word so often.
    pub(crate) async fn logged(&self, word: &str, times: usize) {
        let mut log = self.process.log();
        let logged = log.wait_for(|log| log.matches(word).count() >= times);
        within_limit("the program to log it", logged).await.unwrap();
    }

    pub(crate) fn has_logged(&self, word: &str) -> bool {
        self.process.log().borrow().contains(word)
    }

    /// SIGKILL. Returns when the process has ended.
    pub(crate) async fn kill(self) {
        self.process.kill().await.unwrap();
    }

    /// SIGTERM: asks it to stop. `ended` waits for it.
    pub(crate) fn terminate(&self) {
        self.process.terminate().unwrap();
    }

    /// SIGSTOP: none of its threads runs any further.
    pub(crate) fn freeze(&self) {
        self.process.freeze().unwrap();
    }

    /// SIGCONT: all of them go on.
    pub(crate) fn unfreeze(&self) {
        self.process.unfreeze().unwrap();
    }

    /// Waits for its end and gives back the exit code and all that it logged.
    pub(crate) async fn ended(self) -> Ended {
        within_limit("the program's end", self.process.ended()).await.unwrap()
    }
}

/// On free ports unless the arguments say otherwise.
pub(crate) fn serve_command(which: &str, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = command();
    command.args(["serve", which]);
    for service in ["game", "map", "robot", "trading"] {
        let flag = format!("--{service}-listen");
        if !arguments.iter().any(|argument| argument.as_ref() == flag.as_str()) {
            command.args([&flag, "127.0.0.1:0"]);
        }
    }
    command.args(stored(arguments));
    command
}

/// The arguments, with a database in the place of a directory where that is asked for.
#[expect(clippy::disallowed_methods, reason = "how the tests are run is said by whoever runs them")]
fn stored(arguments: &[impl AsRef<OsStr>]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.iter().map(|argument| argument.as_ref().into()).collect();
    let place = arguments.iter().position(|argument| argument == "--data-dir");
    if let Some(place) =
        place.filter(|_| std::env::var_os("STARKEEP_TEST_STORE").is_some_and(|store| store == "postgres"))
    {
        arguments[place] = "--database-url".into();
        arguments[place + 1] = database_for(&arguments[place + 1]).into();
    }
    arguments
}

/// The database of the directory: the same one whenever it is asked for.
fn database_for(directory: &OsStr) -> String {
    static DATABASES: Mutex<BTreeMap<OsString, String>> = Mutex::new(BTreeMap::new());
    let mut databases = DATABASES.lock().unwrap();
    let name = format!("in_place_of_{}", databases.len());
    databases.entry(directory.into()).or_insert_with(|| shared().database(&name)).clone()
}

/// Runs the program to its end: for arguments with which it does not serve.
pub(crate) async fn run(arguments: &[impl AsRef<OsStr>]) -> Ended {
    let program = start(command().args(arguments)).await;
    let output = within_limit("the program's end", program.wait_with_output()).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The program with nothing but what is given to it.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starkeep"));
    // Bots keep no tokens, unless a test says where.
    command.env_clear().env("STARKEEP_BOT_TOKEN_FILE", "/dev/null");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}
