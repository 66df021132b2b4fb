//! `starkeep serve` as a child process: ready once it has printed its addresses, and ended by its user: killed, stopped, or at the
//! latest with its handle. What it logs and prints is kept.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::process::Stdio;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process, prlimit, waitid};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::HarnessError;

pub struct ServerProcess {
    child: Child,
    addresses: HashMap<String, SocketAddr>,
    log: Output,
    /// On standard output, after it had come up.
    printed: Output,
    reading: Vec<JoinHandle<()>>,
}

type Output = watch::Sender<String>;

/// A process that has come to its end.
#[derive(Debug)]
pub struct EndedProcess {
    /// None where a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl ServerProcess {
    /// Returns once it serves. It has no time limit: its user knows how long it may take.
    pub async fn start(command: &mut Command) -> Result<Self, HarnessError> {
        Box::pin(Self::spawn(command)?.serving()).await
    }

    /// Returns at once. It has no addresses before it is `serving`.
    pub fn spawn(command: &mut Command) -> Result<Self, HarnessError> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        Self::of(command.spawn().map_err(HarnessError::during("starting a service"))?)
    }

    /// Waits until it serves, without a time limit.
    pub async fn serving(mut self) -> Result<Self, HarnessError> {
        let stdout = self.child.stdout.take().ok_or_else(no_pipe)?;
        let mut lines = BufReader::new(stdout).lines();
        self.addresses = announced(&mut lines).await;
        if self.addresses.is_empty() {
            let ended = self.ended().await?;
            return Err(HarnessError(format!("a service did not come up:\n{}", ended.stderr.trim_end())));
        }
        // Read on, so that it never meets a full pipe.
        let printed = self.printed.clone();
        self.reading.push(tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                printed.send_modify(|printed| printed.push_str(&line));
            }
        }));
        Ok(self)
    }

    fn of(mut child: Child) -> Result<Self, HarnessError> {
        let stderr = child.stderr.take().ok_or_else(no_pipe)?;
        let log = Output::default();
        let reading = vec![tokio::spawn(keep(stderr, log.clone()))];
        Ok(Self { child, addresses: HashMap::new(), log, printed: Output::default(), reading })
    }

    /// None after its end.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Where the service listens, if it is one of this process.
    pub fn address(&self, service: &str) -> Option<SocketAddr> {
        self.addresses.get(service).copied()
    }

    /// What it has logged so far.
    pub fn log(&self) -> watch::Receiver<String> {
        self.log.subscribe()
    }

    /// SIGKILL. Returns when the process has ended.
    pub async fn kill(mut self) -> Result<(), HarnessError> {
        self.child.kill().await.map_err(HarnessError::during("killing a service"))
    }

    /// SIGTERM: asks it to stop. `ended` waits for it.
    pub fn terminate(&self) -> Result<(), HarnessError> {
        self.signal(Signal::TERM)
    }

    /// SIGSTOP: none of its threads runs any further.
    pub fn freeze(&self) -> Result<(), HarnessError> {
        self.signal(Signal::STOP)?;
        let (of, seen) = (
            WaitId::Pid(self.pid()?),
            WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        );
        let stopped = retry_on_intr(|| waitid(of.clone(), seen));
        stopped.map(|_| ()).map_err(io::Error::from).map_err(HarnessError::during("a freeze"))
    }

    /// SIGCONT: all of them go on.
    pub fn unfreeze(&self) -> Result<(), HarnessError> {
        self.signal(Signal::CONT)
    }

    /// No file can be written past so many bytes, as on a full disk; none: past any. The process has to ignore SIGXFSZ.
    pub fn limit_file_size(&self, bytes: Option<u64>) -> Result<(), HarnessError> {
        let limit = Rlimit { current: bytes, maximum: None };
        let limited = prlimit(Some(self.pid()?), Resource::Fsize, limit);
        limited.map(|_| ()).map_err(io::Error::from).map_err(HarnessError::during("a full disk"))
    }

    fn signal(&self, signal: Signal) -> Result<(), HarnessError> {
        kill_process(self.pid()?, signal).map_err(io::Error::from).map_err(HarnessError::during("a signal"))
    }

    fn pid(&self) -> Result<Pid, HarnessError> {
        let id = self.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        id.ok_or_else(|| HarnessError("a service has ended by itself".to_owned()))
    }

    /// Waits for its end and gives back the exit code and all that it logged.
    pub async fn ended(mut self) -> Result<EndedProcess, HarnessError> {
        let status = self.child.wait().await.map_err(HarnessError::during("waiting for a service's end"))?;
        for reading in self.reading.drain(..) {
            let _ = reading.await;
        }
        let text = |output: &Output| output.borrow().clone();
        Ok(EndedProcess { code: status.code(), stdout: text(&self.printed), stderr: text(&self.log) })
    }
}

/// What it logged is worth reading where a test fails.
impl Drop for ServerProcess {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("process {:?} logged:\n{}", self.id(), *self.log.borrow());
        }
    }
}

fn no_pipe() -> HarnessError {
    HarnessError("a service was started without pipes".to_owned())
}

async fn keep(mut from: impl AsyncRead + Unpin, output: Output) {
    let mut bytes = Vec::new();
    while from.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {
        output.send_modify(|output| output.push_str(&String::from_utf8_lossy(&bytes)));
        bytes.clear();
    }
}

/// Where its services listen, once it has named all of them.
async fn announced(lines: &mut Lines<BufReader<ChildStdout>>) -> HashMap<String, SocketAddr> {
    let mut addresses = HashMap::new();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some((service, address)) = line.split_once(" service listening on http://") {
            addresses.extend(address.parse().ok().map(|address| (service.to_owned(), address)));
        } else if line == "In a browser:" {
            break;
        }
    }
    addresses
}
