//! A Kafka broker, for what an unreachable one costs requests and for the relay's speed.
//! It is that of the tests, started by `scripts/kafka`; it runs as long as the side that it belongs to.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

use crate::failure::{During, Failure};
use crate::program::home;

/// An address on which nothing listens.
pub(crate) const UNREACHABLE: &str = "127.0.0.1:1";

pub(crate) struct Broker {
    pub(crate) address: String,
    keeper: Child,
    _home: Arc<TempDir>,
}

impl Broker {
    /// It is left out where none can be started.
    pub(crate) fn start() -> Result<Self, Failure> {
        Self::kept().map_err(Failure::into_absence)
    }

    fn kept() -> Result<Self, Failure> {
        let home = home()?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/kafka");
        let mut keeper = Command::new(script)
            .arg("keep")
            .arg(home.path().join("broker"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .during("starting a Kafka broker")?;
        let mut address = String::new();
        if let Some(stdout) = keeper.stdout.take() {
            BufReader::new(stdout).read_line(&mut address).during("waiting for the Kafka broker")?;
        }
        let broker = Self { address: address.trim().to_owned(), keeper, _home: home };
        if broker.address.is_empty() {
            return Err(Failure::new("no Kafka broker came up; see the output of scripts/kafka"));
        }
        Ok(broker)
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // `scripts/kafka keep` ends the broker when its input is closed.
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
