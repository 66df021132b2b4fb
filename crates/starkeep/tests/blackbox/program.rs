//! The program under test as a child process: started with flags, ready once it has printed its addresses, and ended by
//! the test: killed, stopped, or at the latest with its handle. It sees no variable of the test's own environment.
//!
//! With `STARKEEP_TEST_STORE=postgres` each data directory becomes a database of a real PostgreSQL, so that what is tested with files can be
//! tested there as well.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Mutex;

// One lock for all: a broker is a process, too.
pub(crate) use starkeep_test_broker::STARTING;
use starkeep_test_postgres::shared;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::http::Caller;
use crate::time_limit::within_limit;

pub(crate) struct Program {
    child: Child,
    addresses: HashMap<String, SocketAddr>,
    log: Log,
    /// What it printed on standard output after it had come up.
    printed: Log,
    reading: Vec<JoinHandle<()>>,
}

type Log = watch::Sender<String>;

pub(crate) async fn start(command: &mut Command) -> Child {
    let _nobody_else = STARTING.lock().await;
    command.spawn().unwrap()
}

/// A program that has come to its end.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

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
        let mut command = command();
        command.args(["serve", which]);
        for service in ["game", "map", "robot", "trading"] {
            let flag = format!("--{service}-listen");
            if !arguments.iter().any(|argument| argument.as_ref() == flag.as_str()) {
                command.args([&flag, "127.0.0.1:0"]);
            }
        }
        let mut child = start(command.args(stored(arguments)).envs(variables.iter().copied())).await;
        let log = Log::default();
        let mut stderr = child.stderr.take().unwrap();
        let kept = log.clone();
        let logging = tokio::spawn(async move {
            let mut bytes = Vec::new();
            while stderr.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {
                kept.send_modify(|log| log.push_str(&String::from_utf8_lossy(&bytes)));
                bytes.clear();
            }
        });
        let mut program =
            Self { child, addresses: HashMap::new(), log, printed: Log::default(), reading: vec![logging] };
        let mut lines = BufReader::new(program.child.stdout.take().unwrap()).lines();
        program.addresses = within_limit("the program to serve", announced(&mut lines)).await;
        let needed = if which == "all" { "game" } else { which };
        assert!(program.addresses.contains_key(needed), "the {needed} service did not come up");
        // Read on, so that it never meets a full pipe.
        let printed = program.printed.clone();
        program.reading.push(tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                printed.send_modify(|printed| printed.push_str(&line));
            }
        }));
        program
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub(crate) fn address(&self, service: &str) -> SocketAddr {
        self.addresses[service]
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
        let mut log = self.log.subscribe();
        let logged = log.wait_for(|log| log.matches(word).count() >= times);
        within_limit("the program to log it", logged).await.unwrap();
    }

    /// SIGKILL. Returns when the process has ended.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// SIGTERM: asks it to stop. `ended` waits for it.
    pub(crate) async fn terminate(&self) {
        self.signal("-TERM").await;
    }

    /// SIGSTOP: none of its threads runs any further.
    pub(crate) async fn freeze(&self) {
        self.signal("-STOP").await;
    }

    /// SIGCONT: all of them go on.
    pub(crate) async fn shift_after_stall(&self) {
        self.signal("-CONT").await;
    }

    async fn signal(&self, signal: &str) {
        let mut sending = start(Command::new("kill").args([signal, &self.id().to_string()])).await;
        assert!(within_limit("the signal to be sent", sending.wait()).await.unwrap().success());
    }

    /// Waits for its end and gives back the exit code and all that it logged.
    pub(crate) async fn ended(mut self) -> Ended {
        let status = within_limit("the program's end", self.child.wait()).await.unwrap();
        for reading in self.reading.drain(..) {
            within_limit("the end of its output", reading).await.unwrap();
        }
        let text = |log: &Log| log.borrow().clone();
        Ended { code: status.code(), stdout: text(&self.printed), stderr: text(&self.log) }
    }
}

/// What the program logged is worth reading where a test fails.
impl Drop for Program {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("process {:?} logged:\n{}", self.child.id(), *self.log.borrow());
        }
    }
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
    command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Where its services listen, once it has named all of them.
async fn announced(lines: &mut Lines<BufReader<ChildStdout>>) -> HashMap<String, SocketAddr> {
    let mut addresses = HashMap::new();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some((service, address)) = line.split_once(" service listening on http://") {
            addresses.insert(service.to_owned(), address.parse().unwrap());
        } else if line == "Try next:" {
            break;
        }
    }
    addresses
}
