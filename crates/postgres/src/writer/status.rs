//! Whether the last attempt to write succeeded.

use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub(crate) struct WriterStatus(Mutex<Option<String>>);

impl WriterStatus {
    pub(crate) fn fault(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Logs only changes, not every attempt.
    pub(crate) fn record(&self, fault: Option<String>) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*last, &fault) {
            (None, Some(fault)) => tracing::error!(%fault, "PostgreSQL cannot be written"),
            (Some(_), None) => tracing::info!("PostgreSQL can be written again"),
            _ => {}
        }
        *last = fault;
    }
}
