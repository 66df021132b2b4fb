//! A real PostgreSQL server for tests: in a temporary folder, on an address of its own, stopped with the value or with the process.
//! Dev-only. It is found where Debian's packages put it; `scripts/test` installs it.
#![allow(clippy::expect_used, reason = "a test that cannot have its server fails")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Debian's user and group without rights: PostgreSQL does not run as root.
const NOBODY: u32 = 65_534;

/// Below those that the system chooses from.
const PORT: u16 = 15_432;

/// How often it is asked whether the server listens, and how many times.
const PROBE_EVERY: Duration = Duration::from_millis(20);
const PROBES: u32 = 15_000;

/// Waits until this process has ended, however that happens, then ends the server and removes its folder. A signal to all processes of a run
/// does not end it before.
const WATCHDOG: &str = r#"trap '' INT TERM
cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" 2>/dev/null
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
rm -rf "$1""#;

/// A server with one database, `starkeep`, and a superuser of the same name.
pub struct Server {
    folder: PathBuf,
    address: SocketAddrV4,
    process: Mutex<Option<Child>>,
    /// Closed with this process at the latest, which wakes the watchdog.
    _watchdog: ChildStdin,
}

/// The server that the tests of one process share; each uses a schema of its own.
pub fn shared() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(Server::start)
}

/// A schema name that no other test uses.
pub fn unique_schema(prefix: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("{prefix}_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Lets servers write into a folder, such as that of a tablespace: they do not run as root.
pub fn give_to_servers(folder: &Path) {
    if is_root() {
        chown(folder, Some(NOBODY), Some(NOBODY)).expect("the folder can be given away");
    }
}

impl Server {
    /// Makes a new database cluster and starts it.
    pub fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("starkeep-postgres-").tempdir();
        let folder = folder.expect("a folder can be made").keep();
        let watchdog = start_watchdog(&folder);
        give_to_servers(&folder);
        let mut initdb = program("initdb");
        initdb.args([
            "--username=starkeep",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--pgdata",
        ]);
        let made = as_nobody(&mut initdb, &folder).arg(folder.join("data")).output();
        let made = made.expect("initdb can be started");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let server = Self { address: own_address(), folder, process: Mutex::new(None), _watchdog: watchdog };
        server.run();
        server.database("starkeep");
        server
    }

    /// The address of its database.
    pub fn url(&self) -> String {
        self.url_of("starkeep")
    }

    /// The address of another database, which is made.
    pub fn database(&self, name: &str) -> String {
        self.psql_in("postgres", &format!("CREATE DATABASE {name}"));
        self.url_of(name)
    }

    fn url_of(&self, database: &str) -> String {
        format!("postgresql://starkeep@{}/{database}", self.address)
    }

    /// Where it listens: a part of its URLs, and of what is said about them.
    pub fn address(&self) -> SocketAddrV4 {
        self.address
    }

    /// Starts it again after it was stopped or killed.
    pub fn run(&self) {
        let mut command = program("postgres");
        let port = self.address.port().to_string();
        command.arg("-D").arg(self.folder.join("data")).args(["-p", &port, "-k", ""]);
        let listen = format!("listen_addresses={}", self.address.ip());
        for setting in [&listen, "max_connections=300", "log_min_messages=fatal"] {
            command.args(["-c", setting]);
        }
        // No test cuts the machine's power, and a busy disk may take longer for a sync than the program waits for an answer.
        command.args(["-c", "fsync=off", "-c", "full_page_writes=off"]);
        as_nobody(&mut command, &self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().expect("postgres can be started");
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
        let is_ready = || {
            let mut ready = self.client("pg_isready");
            ready.stdout(Stdio::null());
            TcpStream::connect(self.address).is_ok() && ready.status().is_ok_and(|status| status.success())
        };
        for _ in 0..PROBES {
            if is_ready() {
                return;
            }
            std::thread::park_timeout(PROBE_EVERY);
        }
        panic!("PostgreSQL does not come up");
    }

    /// Ends all sessions at once, as an operator's restart does.
    pub fn stop(&self) {
        self.signal("INT");
        self.reap();
    }

    /// Ends everything where it stands.
    pub fn kill(&self) {
        self.signal("QUIT");
        self.reap();
    }

    /// Runs a statement as an operator would, and returns what is printed.
    pub fn psql(&self, sql: &str) -> String {
        self.psql_in("starkeep", sql)
    }

    /// A session that an operator has left open after these statements. It ends with the value, and what it began is undone.
    pub fn session(&self, database: &str, sql: &str) -> OpenSession {
        let mut psql = self.client("psql");
        psql.args(["-At", "-q", database]);
        psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = psql.spawn().expect("psql can be started");
        let input = child.stdin.as_mut().expect("its input is a pipe");
        writeln!(input, "{sql}\n\\echo done").expect("it reads");
        let mut printed = BufReader::new(child.stdout.take().expect("its output is a pipe")).lines();
        let is_done = printed.any(|line| line.is_ok_and(|line| line == "done"));
        assert!(is_done, "{sql}: psql has ended");
        OpenSession(child)
    }

    /// The same in another database.
    pub fn psql_in(&self, database: &str, sql: &str) -> String {
        let mut psql = self.client("psql");
        psql.args(["-At", "-c", sql]);
        let output = psql.arg(database).output().expect("psql can be started");
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// One of PostgreSQL's own client programs, told where the server is.
    fn client(&self, name: &str) -> Command {
        let mut client = program(name);
        let (host, port) = (self.address.ip().to_string(), self.address.port().to_string());
        client.args(["-h", &host, "-p", &port, "-U", "starkeep"]);
        client
    }

    fn signal(&self, name: &str) {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(child) = &*process {
            let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
            assert!(sent.is_ok_and(|status| status.success()), "the server lives");
        }
    }

    fn reap(&self) {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut child) = process {
            child.wait().expect("the server is a child");
        }
    }
}

/// A session of an operator.
pub struct OpenSession(Child);

impl Drop for OpenSession {
    fn drop(&mut self) {
        // At the end of its input it ends.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.kill();
        }
    }
}

fn start_watchdog(folder: &Path) -> ChildStdin {
    let mut watchdog = Command::new("sh");
    watchdog.args(["-c", WATCHDOG, "sh"]).arg(folder);
    watchdog.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut watchdog = watchdog.spawn().expect("a shell can be started");
    let input = watchdog.stdin.take().expect("its input is a pipe");
    // It ends after this process, or after the server, and then nothing of it is to be left.
    std::thread::spawn(move || watchdog.wait());
    input
}

fn program(name: &str) -> Command {
    Command::new(binary(name))
}

/// The newest version that is installed.
fn binary(name: &str) -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = installed
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path())))
        .max_by_key(|(version, _)| *version);
    newest.map_or_else(|| PathBuf::from(name), |(_, folder)| folder.join("bin").join(name))
}

fn as_nobody<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    command.current_dir(folder);
    if is_root() {
        command.gid(NOBODY).uid(NOBODY);
    }
    command
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// No other server has this IP address, and the system gives the port to nobody who asks for any: so nobody takes it before the server
/// has it, or while the server is stopped.
fn own_address() -> SocketAddrV4 {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let [.., high, low] = std::process::id().to_be_bytes();
    let host = Ipv4Addr::new(127, NEXT.fetch_add(1, Ordering::Relaxed), high, low);
    SocketAddrV4::new(host, PORT)
}
