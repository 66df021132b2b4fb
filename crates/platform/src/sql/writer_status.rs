//! Whether a database could be written the last time. Only changes are logged, not every attempt.

use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub struct WriterStatus(Mutex<Option<String>>);

impl WriterStatus {
    /// Why the last attempt to write failed, if it did.
    pub fn fault(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn record(&self, fault: Option<String>) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*last, &fault) {
            (None, Some(fault)) => tracing::error!(%fault, "the storage cannot be written"),
            (Some(_), None) => tracing::info!("the storage can be written again"),
            _ => {}
        }
        *last = fault;
    }
}
