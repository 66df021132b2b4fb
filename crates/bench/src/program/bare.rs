//! Starts the bare programs, which are this very executable under another command.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Server, home};
use crate::bare::Stored;
use crate::failure::{During, Failure};
use crate::lateness::Deadlines;

const LISTENING: &str = "listening on http://";

impl Server {
    /// Answers what is looked up with `body`, and commits minings.
    pub(crate) fn bare_static(body: &[u8], content_type: &str) -> Result<Self, Failure> {
        let home = home()?;
        let file = home.path().join("body");
        fs::write(&file, body).during("writing the static body")?;
        let mut command = bare("static")?;
        command.args([
            OsStr::new("--bytes-file"),
            file.as_os_str(),
            "--dir".as_ref(),
            home.path().as_os_str(),
        ]);
        command.args(["--content-type", content_type]);
        Self::start(command, home, LISTENING)
    }

    /// Streams an event with this text without end.
    pub(crate) fn bare_stream(data: &str) -> Result<Self, Failure> {
        let home = home()?;
        let file = home.path().join("data");
        fs::write(&file, data).during("writing the event")?;
        let mut command = bare("stream")?;
        command.arg("--data-file").arg(file);
        Self::start(command, home, LISTENING)
    }

    /// Commits for every mining.
    pub(crate) fn bare_commit(stored: Stored) -> Result<Self, Failure> {
        let home = home()?;
        let stored = match stored {
            Stored::Row => "row",
            Stored::RowAndEvent => "row-and-event",
        };
        let mut command = bare("commit")?;
        command.arg("--dir").arg(home.path()).args(["--stored", stored]);
        Self::start(command, home, LISTENING)
    }

    /// Keeps the deadlines of so many games.
    pub(crate) fn bare_deadlines(deadlines: Deadlines) -> Result<Self, Failure> {
        let home = home()?;
        let (timers, round) = (deadlines.games.to_string(), deadlines.round_millis.to_string());
        let mut command = bare("deadlines")?;
        command.arg("--dir").arg(home.path()).args(["--timers", &timers, "--round-millis", &round]);
        Self::start(command, home, LISTENING)
    }
}

/// The command that sends so many records to the broker and prints how long it took.
pub(crate) fn producing(broker: &str, topic: &str, records: u32, record: &Path) -> Result<Command, Failure> {
    let mut command = bare("produce")?;
    command.args(["--broker", broker, "--topic", topic, "--records", &records.to_string(), "--record-file"]);
    command.arg(record).env_clear();
    Ok(command)
}

fn bare(which: &str) -> Result<Command, Failure> {
    let own = std::env::current_exe().during("finding the benchmark's own executable")?;
    let mut command = Command::new(own);
    command.args(["bare", which]);
    Ok(command)
}
