//! Starts of the real program on a data directory that exists: from the start of the process until
//! `/health` answers.
//! Each is killed afterwards; the time until it has ended is not counted.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use crate::clock;
use crate::failure::Failure;
use crate::http;
use crate::program::Server;
use crate::sample::{Sample, Slice, nanos};

pub(crate) struct Starting {
    pub(crate) executable: PathBuf,
    pub(crate) home: Arc<TempDir>,
}

impl Starting {
    pub(crate) fn run(&self, slice: Slice) -> Result<Sample, Failure> {
        let begin = clock::now() + slice.warm_up;
        let (mut latencies, mut took, mut cpu_seconds) = (Vec::new(), Duration::ZERO, Some(0.0));
        while took < slice.counted {
            let started_at = clock::now();
            let starkeep = Server::starkeep_game(&self.executable, &self.home, 1)?;
            http::exchange(starkeep.address, &http::get(starkeep.address, "/health"), 200, |_| Ok(()))
                .map_err(|failure| starkeep.explained(failure))?;
            let latency = clock::now() - started_at;
            if started_at >= begin {
                latencies.push(nanos(latency));
                took += latency;
                cpu_seconds = cpu_seconds.zip(starkeep.cpu_seconds()).map(|(before, more)| before + more);
            }
        }
        Ok(Sample { cpu_seconds, ..Sample::of_latencies(latencies, took)? })
    }
}
