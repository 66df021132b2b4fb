//! The services of one installation, each in a process of its own, with a link in front of each that the other services use.
//! Processes are harmed and come back where they were; clients call them directly.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::{Clock, within};
use starkeep_fault_harness::{EndedProcess, HarnessError, KeptPort, Link, ServerProcess};
use starkeep_http_client::ServiceUrl;
use tempfile::TempDir;
use tokio::process::Command;

use crate::targets::{RUNNING_GAMES, SERVICES, Targets};

/// Between two attempts of a client.
const PAUSE: Duration = Duration::from_millis(20);
/// A start or a stop takes far less.
const LONGEST_CHANGE: Duration = Duration::from_mins(2);

/// Where the data is kept.
#[derive(Clone, Debug)]
pub enum Place {
    /// In a temporary directory.
    Files,
    /// In a PostgreSQL, in schemas whose names begin so.
    Postgres { url: String, schema_prefix: String },
}

pub(crate) struct Installation {
    executable: PathBuf,
    place: Place,
    home: TempDir,
    clock: Arc<dyn Clock>,
    processes: BTreeMap<&'static str, ServerProcess>,
    /// Where each service listens, also after a restart.
    ports: BTreeMap<&'static str, KeptPort>,
    links: BTreeMap<&'static str, Link>,
}

impl Installation {
    pub(crate) async fn start(
        executable: &Path,
        place: Place,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, HarnessError> {
        let home = tempfile::tempdir().map_err(HarnessError::during("a temporary directory"))?;
        let (mut ports, mut links) = (BTreeMap::new(), BTreeMap::new());
        for service in SERVICES {
            let port = KeptPort::new().map_err(HarnessError::during("a free port"))?;
            links.insert(service, Link::to(port.address(), clock.clone()).await?);
            ports.insert(service, port);
        }
        let executable = executable.to_owned();
        let processes = BTreeMap::new();
        let mut installation = Self { executable, place, home, clock, processes, ports, links };
        for service in SERVICES {
            installation.serve(service, 0).await?;
        }
        Ok(installation)
    }

    /// Starts a service where it was. Its wall clock is ahead by so many seconds, or behind.
    pub(crate) async fn serve(
        &mut self,
        service: &'static str,
        clock_shift: i64,
    ) -> Result<(), HarnessError> {
        // A write past the limit on files is to fail, not to end the process.
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(&self.executable);
        command.args(self.arguments(service)).env_clear();
        if let Place::Postgres { url, .. } = &self.place {
            // It may have a password in it, which would stand in the list of processes.
            command.env("STARKEEP_DATABASE_URL", url);
        }
        if clock_shift != 0 {
            command.arg(format!("--shift-wall-clock={clock_shift}"));
        }
        let process = self.in_time("the start of a service", ServerProcess::start(&mut command)).await?;
        self.processes.insert(service, process);
        Ok(())
    }

    fn arguments(&self, service: &str) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["serve".into(), service.into()];
        match &self.place {
            Place::Files => arguments.extend(["--data-dir".into(), self.data(service).into()]),
            Place::Postgres { schema_prefix, .. } => {
                arguments.extend(["--schema-prefix".into(), schema_prefix.into()]);
            }
        }
        for (other, port) in &self.ports {
            arguments.extend([format!("--{other}-listen").into(), port.address().to_string().into()]);
            if *other != service {
                let link = format!("http://{}", self.links[other].address());
                arguments.extend([format!("--{other}-url").into(), link.into()]);
            }
        }
        let rules = [
            "--max-running-games".to_owned(),
            RUNNING_GAMES.to_string(),
            "--replenish-every".to_owned(),
            "0".to_owned(),
            "--log".to_owned(),
            "warn".to_owned(),
        ];
        arguments.extend(rules.into_iter().map(OsString::from));
        arguments
    }

    /// Where a service keeps its files.
    pub(crate) fn data(&self, service: &str) -> PathBuf {
        self.home.path().join(service)
    }

    pub(crate) fn has_files(&self) -> bool {
        matches!(self.place, Place::Files)
    }

    /// For clients, who call the services directly.
    pub(crate) fn targets(&self) -> Targets {
        let url = |(name, port): (&&'static str, &KeptPort)| (*name, ServiceUrl::local(port.address()));
        Targets { urls: self.ports.iter().map(url).collect(), clock: self.clock.clone(), pause: PAUSE }
    }

    pub(crate) fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.ports.values().map(KeptPort::address)
    }

    pub(crate) fn link(&self, name: &'static str) -> &Link {
        &self.links[name]
    }

    pub(crate) fn process(&self, name: &'static str) -> Result<&ServerProcess, HarnessError> {
        self.processes.get(name).ok_or_else(|| HarnessError(format!("the {name} service does not run")))
    }

    /// All of them die before the first of them is started again.
    pub(crate) async fn kill(&mut self, services: &[&'static str]) -> Result<(), HarnessError> {
        for service in services {
            self.process(service)?.freeze()?;
        }
        for service in services {
            if let Some(process) = self.processes.remove(service) {
                process.kill().await?;
            }
        }
        Ok(())
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(&mut self, service: &'static str) -> Result<(), HarnessError> {
        let Some(process) = self.processes.remove(service) else { return Ok(()) };
        process.terminate()?;
        let ended = self.in_time("the stop of a service", process.ended()).await?;
        if ended.code == Some(0) {
            return Ok(());
        }
        let EndedProcess { code, stderr, .. } = ended;
        Err(HarnessError(format!(
            "the {service} service was asked to stop, and ended with {code:?}:\n{stderr}"
        )))
    }

    async fn in_time<T>(
        &self,
        what: &str,
        done: impl Future<Output = Result<T, HarnessError>>,
    ) -> Result<T, HarnessError> {
        let limit = LONGEST_CHANGE;
        let late = || HarnessError(format!("{what} took longer than {} s", limit.as_secs()));
        within(&*self.clock, limit, done).await.ok_or_else(late)?
    }
}
