//! Child processes: the real program and the bare ones, each with a directory for its data, ended when dropped.
//! A program is ready once it has printed the addresses it listens on; what it logs is kept to be shown if it
//! fails.

mod bare;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

pub(crate) use self::bare::producing;
use crate::failure::{During, Failure};
use crate::process;
use crate::sample::Sample;

pub(crate) const GAME: &str = "game service listening on http://";
pub(crate) const MAP: &str = "map service listening on http://";
const LOG: &str = "stderr.log";
const DATA: &str = "data";
const START_LIMIT: Duration = Duration::from_mins(2);

/// A running child process and the address that the load goes to.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    child: Child,
    home: Arc<TempDir>,
}

impl Server {
    /// The real program with everything it serves by default; the address is that of the map service. What it
    /// finds in its home it goes on with.
    pub(crate) fn starkeep_map(executable: &Path, home: &Arc<TempDir>) -> Result<Self, Failure> {
        Self::starkeep(executable, home, MAP, &[])
    }

    /// The map service alone, with a directory of its own or on a database that other replicas may share.
    pub(crate) fn starkeep_map_alone(executable: &Path, database: Option<&str>) -> Result<Self, Failure> {
        let home = home()?;
        let mut command = Command::new(executable);
        command.args(["serve", "map", "--map-listen", "127.0.0.1:0", "--replenish-every", "0"]);
        match database {
            Some(url) => command.args(["--database-url", url]),
            None => command.arg("--data-dir").arg(home.path().join(DATA)),
        };
        Self::start(command, home, MAP)
    }

    /// The real program with as many running games as that; the address is that of the game service.
    pub(crate) fn starkeep_game(executable: &Path, home: &Arc<TempDir>, games: u32) -> Result<Self, Failure> {
        Self::starkeep(executable, home, GAME, &["--max-running-games", &games.to_string()])
    }

    /// The real program with further flags and either service's address.
    pub(crate) fn starkeep(
        executable: &Path,
        home: &Arc<TempDir>,
        announcement: &'static str,
        flags: &[&str],
    ) -> Result<Self, Failure> {
        let mut command = serve(executable, home);
        command.args(flags);
        Self::start(command, home.clone(), announcement)
    }

    fn start(mut command: Command, home: Arc<TempDir>, announcement: &'static str) -> Result<Self, Failure> {
        let name = command.get_program().display().to_string();
        let log = File::create(home.path().join(LOG)).during("creating a log file")?;
        // Neither side sees the variables of the shell: what is measured is the defaults.
        command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().during(format!("starting {name}"))?;
        let announced = child.stdout.take().map(|stdout| announced(stdout, announcement));
        // From here on the child is ended by the drop, also when it never prints its address.
        let mut server = Self { address: SocketAddr::from(([127, 0, 0, 1], 0)), child, home };
        match announced.and_then(|announced| announced.recv_timeout(START_LIMIT).ok()) {
            Some(address) => {
                server.address = address;
                Ok(server)
            }
            None => Err(server.explained(Failure::new(format!("{name} did not print \"{announcement}…\"")))),
        }
    }

    /// What was measured, with the CPU time that the process took meanwhile. A failure is explained.
    pub(crate) fn metered(
        &self,
        measure: impl FnOnce() -> Result<Sample, Failure>,
    ) -> Result<Sample, Failure> {
        let before = self.cpu_seconds();
        let sample = measure().map_err(|failure| self.explained(failure))?;
        let taken = before.zip(self.cpu_seconds()).map(|(before, after)| after - before);
        Ok(Sample { cpu_seconds: taken, ..sample })
    }

    pub(crate) fn cpu_seconds(&self) -> Option<f64> {
        process::cpu_seconds(self.child.id())
    }

    pub(crate) fn peak_memory(&self) -> Result<u64, Failure> {
        process::peak_memory(self.child.id())
    }

    pub(crate) fn resident_memory(&self) -> Result<u64, Failure> {
        process::resident_memory(self.child.id())
    }

    /// The failure with the last lines that the program logged.
    pub(crate) fn explained(&self, failure: Failure) -> Failure {
        let log = fs::read(self.home.path().join(LOG)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        let last = &lines[lines.len().saturating_sub(20)..];
        if last.is_empty() {
            return failure;
        }
        Failure::new(format!("{failure}\nits log ends:\n{}", last.join("\n")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only for a child that has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The executable beside this one, built first: what is measured is the code as it stands.
pub(crate) fn build() -> Result<PathBuf, Failure> {
    let directory = directory()?;
    let executable = directory.join("starkeep").with_extension(std::env::consts::EXE_EXTENSION);
    eprintln!("building the program (cargo build --release -p starkeep --features full)");
    let status = Command::new(option_env!("CARGO").unwrap_or("cargo"))
        .args(["build", "--release", "-p", "starkeep", "--features", "full", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .arg("--target-dir")
        .arg(directory.parent().unwrap_or(&directory))
        .status()
        .during("running cargo")?;
    if status.success() && executable.is_file() {
        return Ok(executable);
    }
    Err(Failure::new(format!(
        "cargo build --release -p starkeep --features full left no {} ({status})",
        executable.display()
    )))
}

fn directory() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe().during("finding the benchmark's own executable")?;
    own.parent().map(Path::to_path_buf).ok_or_else(|| Failure::new("the benchmark lies in no directory"))
}

/// Beside the builds of this workspace.
pub(crate) fn report_directory() -> Result<PathBuf, Failure> {
    let directory = directory()?;
    Ok(directory.parent().unwrap_or(&directory).join("bench"))
}

/// Beside the executable and not in the system's place for temporary files: that is often memory, where a
/// commit costs nothing.
pub(crate) fn home() -> Result<Arc<TempDir>, Failure> {
    let home = tempfile::Builder::new().prefix("bench-").tempdir_in(directory()?);
    home.map(Arc::new).during("making a directory for data")
}

/// The database of a service in a home where the real program has been.
pub(crate) fn database(home: &TempDir, service: &str) -> PathBuf {
    home.path().join(DATA).join(service).with_extension("db")
}

fn serve(executable: &Path, home: &TempDir) -> Command {
    let mut command = Command::new(executable);
    command.arg("serve").arg("--data-dir").arg(home.path().join(DATA));
    command.args(["--game-listen", "127.0.0.1:0", "--map-listen", "127.0.0.1:0", "--replenish-every", "0"]);
    command
}

/// The address that the program prints. The thread reads on until the program ends, so that it never meets a
/// full pipe.
fn announced(stdout: impl Read + Send + 'static, announcement: &'static str) -> mpsc::Receiver<SocketAddr> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(address) = announced_in(&line, announcement) {
                // Nobody receives any more once the first address was taken.
                let _ = sender.send(address);
            }
        }
    });
    receiver
}

fn announced_in(line: &str, announcement: &str) -> Option<SocketAddr> {
    let (_, after) = line.split_once(announcement)?;
    after.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_the_service_that_was_asked_for() {
        let game = "game service listening on http://127.0.0.1:40001";
        let map = "map service listening on http://127.0.0.1:40002";
        assert_eq!(announced_in(game, MAP), None);
        assert_eq!(announced_in(map, MAP), Some(SocketAddr::from(([127, 0, 0, 1], 40_002))));
        assert_eq!(announced_in("map service listening on http://nowhere", MAP), None);
    }

    #[test]
    fn other_lines_are_passed_over() {
        let stdout = "starting\nmap service listening on http://127.0.0.1:7\nready\n".as_bytes();
        assert_eq!(announced(stdout, MAP).recv(), Ok(SocketAddr::from(([127, 0, 0, 1], 7))));
    }

    #[test]
    fn a_program_that_ends_silently_is_noticed() {
        assert!(announced("goodbye\n".as_bytes(), MAP).recv().is_err());
    }
}
