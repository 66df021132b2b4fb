//! What the log says of a full disk: a line when it begins, one a minute while it lasts, and one when it is over.
//! All stores of a process share it, since their files are mostly on one disk.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use starkeep_clock::{Clock, Monotonic, SystemClock};
use tokio::sync::Notify;

const SAID_EVERY: Duration = Duration::from_mins(1);

/// On a full disk small writes still succeed now and then, so that it is over only after so long without a failure.
const WELL_AFTER: Duration = Duration::from_secs(2);

/// A disk with less than this is full: what SQLite writes at once, beside a row, is less.
const NEEDED_BYTES: u64 = 64 * 1024;

/// With this much it is over, also where nobody writes. More than what makes it full, so that the log does not say both again and again.
const ENOUGH_BYTES: u64 = 1024 * 1024;

/// Whether the disk of this file is full, for where the error itself does not say it: SQLite has one code for most of them.
pub(crate) fn is_full(file: &File) -> bool {
    free_bytes(file).is_some_and(|bytes| bytes < NEEDED_BYTES)
}

/// The same for a file that may be missing.
pub(crate) fn is_full_at(path: &Path) -> bool {
    let nearest = path.ancestors().find_map(|path| File::open(path).ok());
    nearest.is_some_and(|file| is_full(&file))
}

fn free_bytes(file: &File) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(file).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

pub struct DiskLog {
    clock: Arc<dyn Clock>,
    full: Mutex<Option<FullDisk>>,
    has_begun: Notify,
}

struct FullDisk {
    since: Monotonic,
    said: Monotonic,
    failed: Monotonic,
    /// What could not be written at last; none where it is not on a disk of this machine. A store that was closed has no file.
    file: Weak<File>,
}

impl DiskLog {
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, full: Mutex::default(), has_begun: Notify::new() })
    }

    /// For a store that is alone in its process.
    pub fn of_one_store() -> Arc<Self> {
        Self::new(SystemClock::start())
    }

    /// Says that it is over also where nobody writes. Never returns.
    pub async fn watch(&self) {
        loop {
            self.has_begun.notified().await;
            while self.lock().is_some() {
                self.clock.sleep_until(self.clock.monotonic().after(WELL_AFTER)).await;
                let mut full = self.lock();
                let file = full.as_ref().and_then(|full| full.file.upgrade());
                if file.and_then(|file| free_bytes(&file)).is_some_and(|bytes| bytes >= ENOUGH_BYTES) {
                    self.end(&mut full);
                }
            }
        }
    }

    /// A write has failed because the disk is full.
    pub(crate) fn failed(&self, file: Option<&Arc<File>>) {
        let mut full = self.lock();
        let line = failed(&mut full, self.clock.monotonic());
        if let Some(full) = &mut *full {
            full.file = file.map(Arc::downgrade).unwrap_or_default();
        }
        if let Some(line) = line {
            tracing::error!("{line}");
            self.has_begun.notify_one();
        }
    }

    /// A write has succeeded.
    pub(crate) fn succeeded(&self) {
        let mut full = self.lock();
        if full.is_some() {
            self.end(&mut full);
        }
    }

    fn end(&self, full: &mut Option<FullDisk>) {
        if let Some(line) = succeeded(full, self.clock.monotonic()) {
            tracing::info!("{line}");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<FullDisk>> {
        self.full.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(full: &mut Option<FullDisk>, now: Monotonic) -> Option<String> {
    let Some(known) = full else {
        *full = Some(FullDisk { since: now, said: now, failed: now, file: Weak::new() });
        return Some(
            "the disk is full: nothing can be changed until there is space again; all goes on by itself then"
                .to_owned(),
        );
    };
    known.failed = now;
    if now.since(known.said) < SAID_EVERY {
        return None;
    }
    known.said = now;
    Some(format!("the disk has been full for {} s", now.since(known.since).as_secs()))
}

fn succeeded(full: &mut Option<FullDisk>, now: Monotonic) -> Option<String> {
    let over = full.take_if(|full| now.since(full.failed) >= WELL_AFTER)?;
    Some(format!("the disk has space again; it was full for {} s", over.failed.since(over.since).as_secs()))
}

#[cfg(test)]
mod tests {
    use starkeep_clock::ManualClock;

    use super::*;

    #[test]
    fn it_is_said_when_it_begins_once_a_minute_and_when_it_is_over() {
        let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
        let (mut full, mut said) = (None, Vec::new());
        // Fifty refused writes a second for two and a half minutes, and between them some that need no space.
        for _ in 0..150 * 50 {
            said.extend(failed(&mut full, clock.monotonic()));
            said.extend(succeeded(&mut full, clock.monotonic()));
            clock.advance(Duration::from_millis(20));
        }
        for _ in 0..500 {
            said.extend(succeeded(&mut full, clock.monotonic()));
            clock.advance(Duration::from_millis(20));
        }
        said.extend(failed(&mut full, clock.monotonic()));
        let begin =
            "the disk is full: nothing can be changed until there is space again; all goes on by itself then";
        assert_eq!(
            said,
            [
                begin,
                "the disk has been full for 60 s",
                "the disk has been full for 120 s",
                "the disk has space again; it was full for 149 s",
                begin
            ]
        );
    }
}
