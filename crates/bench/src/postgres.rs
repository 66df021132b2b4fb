//! A PostgreSQL server of its own, with the durability that it has by default, in a directory beside the executable.
//! It is found where Debian's packages put it, or else in the `PATH`; it runs as long as the sides that it belongs to.

use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::TcpSocket;

use crate::clock;
use crate::failure::{During, Failure};
use crate::program::home;

const INSTALLED: &str = "/usr/lib/postgresql";
const USER: &str = "starkeep";
const LOG: &str = "postgres.log";

/// However slow the machine is, and how often the server is asked whether it is ready.
const START_LIMIT: Duration = Duration::from_mins(1);
const ASKED_EVERY: Duration = Duration::from_millis(20);

pub(crate) struct Postgres {
    port: u16,
    _kept: Option<TcpSocket>,
    process: Child,
    home: Arc<TempDir>,
}

impl Postgres {
    /// It is left out where none can be started.
    pub(crate) fn start() -> Result<Self, Failure> {
        Self::started().map_err(Failure::into_absence)
    }

    fn started() -> Result<Self, Failure> {
        let home = home()?;
        give_away(home.path()).during("giving a directory to PostgreSQL's user")?;
        let data = home.path().join("data");
        let mut initdb = as_its_user("initdb", home.path());
        initdb.args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
        done(initdb.args(["--username", USER, "--pgdata"]).arg(&data))?;

        let (port, kept) = kept_port().during("finding a free port")?;
        let log = File::create(home.path().join(LOG)).during("creating PostgreSQL's log file")?;
        let mut postgres = as_its_user("postgres", home.path());
        postgres.arg("-D").arg(&data).args(["-p", &port.to_string(), "-k", ""]);
        postgres.args(["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"]);
        let process = postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        // From here on the process is ended by the drop, also when it never becomes ready.
        let mut postgres =
            Self { port, _kept: kept, process: process.map_err(|error| absent("postgres", &error))?, home };
        postgres.await_ready()?;
        Ok(postgres)
    }

    fn await_ready(&mut self) -> Result<(), Failure> {
        let limit = clock::now() + START_LIMIT;
        while !self.client("pg_isready").stdout(Stdio::null()).status().is_ok_and(|status| status.success()) {
            let has_ended = self.process.try_wait().during("waiting for PostgreSQL")?.is_some();
            if has_ended || clock::now() > limit {
                let log = fs::read_to_string(self.home.path().join(LOG)).unwrap_or_default();
                return Err(Failure::new(format!("PostgreSQL does not come up; its log:\n{log}")));
            }
            clock::wait_until(clock::now() + ASKED_EVERY);
        }
        Ok(())
    }

    /// The address of a new database.
    pub(crate) fn new_database(&self, name: &str) -> Result<String, Failure> {
        done(self.client("createdb").arg(name))?;
        Ok(format!("postgresql://{USER}@127.0.0.1:{}/{name}", self.port))
    }

    /// One of PostgreSQL's programs that talk to this server, over TCP.
    pub(crate) fn client(&self, name: &str) -> Command {
        let mut client = program(name);
        client.env_clear().args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", USER]);
        client
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // With all of its processes; a server that has ended already is not found, and nothing else can fail.
        let mut stop = as_its_user("pg_ctl", self.home.path());
        let _ = stop.args(["stop", "-m", "immediate", "-D"]).arg(self.home.path().join("data")).output();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a program printed that has to succeed.
pub(crate) fn done(command: &mut Command) -> Result<String, Failure> {
    let name = command.get_program().display().to_string();
    let output = command.stdin(Stdio::null()).output().map_err(|error| absent(&name, &error))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(Failure::new(format!("{name} ended with {}: {}", output.status, errors.trim_end())));
    }
    Ok(format!("{}{errors}", String::from_utf8_lossy(&output.stdout)))
}

fn absent(name: &str, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::NotFound {
        return Failure::new(format!(
            "PostgreSQL has no {name} here, neither in {INSTALLED} nor in the PATH"
        ));
    }
    Failure::new(format!("starting {name}: {error}"))
}

fn program(name: &str) -> Command {
    let installed = fs::read_dir(INSTALLED).into_iter().flatten().flatten().map(|entry| entry.path());
    Command::new(
        newest(installed).map_or_else(|| PathBuf::from(name), |version| version.join("bin").join(name)),
    )
}

/// The directory of the newest version.
fn newest(installed: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let versions =
        installed.filter_map(|path| Some((path.file_name()?.to_str()?.parse::<u32>().ok()?, path)));
    versions.max_by_key(|(version, _)| *version).map(|(_, path)| path)
}

/// PostgreSQL refuses to run as root: Debian's user without rights does it instead.
#[cfg(unix)]
const NOBODY: u32 = 65_534;

#[cfg(unix)]
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn as_its_user(name: &str, home: &Path) -> Command {
    let mut command = program(name);
    command.current_dir(home);
    #[cfg(unix)]
    if is_root() {
        use std::os::unix::process::CommandExt as _;
        command.gid(NOBODY).uid(NOBODY);
    }
    command
}

#[cfg(unix)]
fn give_away(home: &Path) -> io::Result<()> {
    if is_root() { std::os::unix::fs::chown(home, Some(NOBODY), Some(NOBODY)) } else { Ok(()) }
}

#[cfg(not(unix))]
fn give_away(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Bound and not listening, so that on Linux nobody else gets the port before PostgreSQL has it, which sets SO_REUSEADDR as this does.
/// Elsewhere PostgreSQL could not have it either.
fn kept_port() -> io::Result<(u16, Option<TcpSocket>)> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    Ok((socket.local_addr()?.port(), cfg!(target_os = "linux").then_some(socket)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_taken_by_its_number() {
        let installed = ["9", "15", "common"].map(|name| Path::new(INSTALLED).join(name));
        assert_eq!(newest(installed.into_iter()), Some(Path::new(INSTALLED).join("15")));
        assert_eq!(newest(std::iter::empty()), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let failure = done(&mut Command::new("no-such-initdb")).unwrap_err().to_string();
        assert_eq!(
            failure,
            "PostgreSQL has no no-such-initdb here, neither in /usr/lib/postgresql nor in the PATH"
        );
    }
}
