//! Ctrl-C and SIGTERM while a file is written or read: it is ended at the next row, so that nothing half-done stays behind.
//! The second signal ends the process at once.

use starkeep_platform::tasks::Stop;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::CommandError;

/// Cancelled by the first signal.
pub(super) fn on_signals() -> Result<Stop, CommandError> {
    let mut terminate = signal(SignalKind::terminate()).map_err(CommandError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(CommandError::Signals)?;
    let stop = Stop::new();
    let announced = stop.clone();
    tokio::spawn(async move {
        for is_first in [true, false] {
            tokio::select! {
                biased;
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if is_first {
                announced.cancel();
            } else {
                std::process::exit(1);
            }
        }
    });
    Ok(stop)
}
