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
use crate::load::{Sample, Slice, sample};
use crate::program::Server;

pub(crate) struct Starting {
    pub(crate) executable: PathBuf,
    pub(crate) home: Arc<TempDir>,
}

impl Starting {
    pub(crate) fn run(&self, slice: Slice) -> Result<Sample, Failure> {
        let begin = clock::now() + slice.warm_up;
        let mut nanos = Vec::new();
        let mut took = Duration::ZERO;
        while took < slice.counted {
            let started_at = clock::now();
            let starkeep = Server::starkeep_map(&self.executable, &self.home)?;
            http::exchange(starkeep.address, &http::get(starkeep.address, "/health"), 200, |_| Ok(()))
                .map_err(|failure| starkeep.explained(failure))?;
            let latency = clock::now() - started_at;
            if started_at >= begin {
                nanos.push(u32::try_from(latency.as_nanos()).unwrap_or(u32::MAX));
                took += latency;
            }
        }
        nanos.sort_unstable();
        sample(&nanos, took)
    }
}
