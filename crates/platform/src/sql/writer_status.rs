//! Whether a database could be written the last time. Only changes are logged, not every attempt.

use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub struct WriterStatus(Mutex<Option<Fault>>);

#[derive(Debug)]
struct Fault {
    text: String,
    is_said: bool,
}

impl WriterStatus {
    /// Why the last attempt to write failed, if it did.
    pub fn fault(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|fault| fault.text.clone())
    }

    /// Why it failed, where somebody else logs it.
    pub fn record_unsaid(&self, fault: String) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Fault { text: fault, is_said: false });
    }

    pub fn record(&self, fault: Option<String>) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let was_said = last.as_ref().is_some_and(|last| last.is_said);
        match &fault {
            Some(fault) if !was_said => tracing::error!(%fault, "the storage cannot be written"),
            None if was_said => tracing::info!("the storage can be written again"),
            _ => {}
        }
        *last = fault.map(|text| Fault { text, is_said: true });
    }
}
