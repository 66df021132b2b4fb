//! Runs the real program as child processes and does harm to them: kills, stops, freezes, full disks, torn files, bad links.
//! `starkeep selftest` and the black-box tests share it; what is done when, and what must hold then, is theirs.

mod chance;
mod journal;
mod kept_port;
mod link;
mod server_process;
mod torn_tail;

pub use self::chance::Chance;
pub use self::journal::Journal;
pub use self::kept_port::KeptPort;
pub use self::link::{Link, LinkState};
pub use self::server_process::{EndedProcess, ServerProcess};
pub use self::torn_tail::tear_tail;

/// What could not be done to a process, or what it did not do, with what it logged where that tells more.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HarnessError(pub String);

impl HarnessError {
    /// With what was tried.
    pub fn during(what: &str) -> impl FnOnce(std::io::Error) -> Self {
        move |fault| Self(format!("{what}: {fault}"))
    }
}
