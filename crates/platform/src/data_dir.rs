//! The data directory of one process: made if missing, locked while the process lives.
//! The error of a second process says who holds it.

mod filling;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

pub use self::filling::FillingDataDir;

/// Locked by the process that uses the directory, and says which one that is.
const LOCK: &str = "lock";

/// In a directory that is being filled: its files are here until all are complete.
const UNFINISHED: &str = "import-unfinished";

#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// The operating system releases the lock with the file, however the process ends.
    _lock: File,
}

#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    #[error("cannot use {path} as the data directory: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "the data directory {path} is in use by {holder}; stop that process or choose another --data-dir"
    )]
    Held { path: PathBuf, holder: String },
    #[error(
        "an import into the data directory {path} was interrupted; repeat it, or empty the directory to begin anew"
    )]
    Unfinished { path: PathBuf },
    #[error(
        "the data directory {path} is not empty, it has {found} in it; choose another --data-dir, or move away what is there"
    )]
    NotEmpty { path: PathBuf, found: String },
}

impl DataDir {
    pub fn open(path: &Path) -> Result<Self, DataDirError> {
        let opened = Self::lock(path)?;
        // Under the lock: whoever fills it has ended.
        Self::refuse_unfinished(path)?;
        Ok(opened)
    }

    /// Refuses a directory that was not filled to the end, also for those who only read it.
    pub fn refuse_unfinished(path: &Path) -> Result<(), DataDirError> {
        if path.join(UNFINISHED).exists() {
            return Err(DataDirError::Unfinished { path: path.to_owned() });
        }
        Ok(())
    }

    fn lock(path: &Path) -> Result<Self, DataDirError> {
        let failed = |source| DataDirError::Io { path: path.to_owned(), source };
        std::fs::create_dir_all(path).map_err(failed)?;
        let mut lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path.join(LOCK))
            .map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = lock.read_to_string(&mut holder);
                let holder = holder.trim().to_owned();
                let holder = if holder.is_empty() { "another process".to_owned() } else { holder };
                return Err(DataDirError::Held { path: path.to_owned(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        lock.set_len(0).map_err(failed)?;
        lock.rewind().map_err(failed)?;
        writeln!(lock, "process {}", std::process::id()).map_err(failed)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_holds_it_and_may_enter_when_the_first_has_left() {
        let folder = tempfile::tempdir().unwrap();
        let first = DataDir::open(folder.path()).unwrap();
        let refusal = DataDir::open(folder.path()).unwrap_err().to_string();
        assert!(refusal.contains(&format!("in use by process {}", std::process::id())), "{refusal}");
        drop(first);
        DataDir::open(folder.path()).unwrap();
    }
}
