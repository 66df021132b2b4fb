//! What somebody at a terminal sees of a file that is written or read, and how it is stopped.

use starkeep_platform::tasks::Stop;
use starkeep_transfer::Progress;

use crate::progress::ProgressBar;

pub(super) struct Watched {
    bar: Option<ProgressBar>,
    stop: Stop,
}

impl Watched {
    pub(super) fn new(stop: Stop) -> Self {
        Self { bar: None, stop }
    }

    /// The line is free again.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.end();
        }
    }
}

impl Progress for Watched {
    fn begin(&mut self, unit: &str, total: u64) {
        self.end();
        self.bar = Some(ProgressBar::new(unit, total));
    }

    fn done(&mut self, steps: u64) {
        if let Some(bar) = &mut self.bar {
            bar.show(steps);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}
