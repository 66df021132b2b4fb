//! Whether a database could be written the last time. Only changes are logged, not every attempt.

use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::disk_log::DiskLog;

pub struct WriterStatus {
    last: Mutex<Option<Fault>>,
    disk: Arc<DiskLog>,
}

#[derive(Debug)]
struct Fault {
    text: String,
    is_said: bool,
}

impl WriterStatus {
    pub fn new(disk: Arc<DiskLog>) -> Arc<Self> {
        Arc::new(Self { last: Mutex::default(), disk })
    }

    /// Why the last attempt to write failed, if it did.
    pub fn fault(&self) -> Option<String> {
        self.lock().as_ref().map(|fault| fault.text.clone())
    }

    /// The disk is full: of this file, or of a database elsewhere. That is logged for all stores together.
    pub fn record_full_disk(&self, fault: &str, file: Option<&Arc<File>>) {
        self.disk.failed(file);
        *self.lock() = Some(Fault { text: format!("the disk is full: {fault}"), is_said: false });
    }

    /// A batch was written. Maintenance says nothing of a full disk: it may need no space.
    pub fn record_batch(&self) {
        self.disk.succeeded();
        self.record(None);
    }

    pub fn record(&self, fault: Option<String>) {
        let mut last = self.lock();
        let was_said = last.as_ref().is_some_and(|last| last.is_said);
        match &fault {
            Some(fault) if !was_said => tracing::error!(%fault, "the storage cannot be written"),
            None if was_said => tracing::info!("the storage can be written again"),
            _ => {}
        }
        *last = fault.map(|text| Fault { text, is_said: true });
    }

    fn lock(&self) -> MutexGuard<'_, Option<Fault>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
