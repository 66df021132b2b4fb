//! Checkpoints: what was committed is copied from the write-ahead log into the database's file, mostly beside the writer.
//!
//! SQLite would do it within every commit that finds the log long, and that commit would take ten times as long as others.
//! Here (1) a thread with a connection of its own copies what is in the log and syncs the file while the writer goes on, and
//! (2) the writer copies and syncs the little that was added meanwhile, between two batches. Then SQLite begins the log anew.
//! Without (2) a log that is written without a pause would only grow.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode};

use super::open;

/// A checkpoint begins when so many pages were added to the log. As many as SQLite's own default.
const PAGES: i32 = 1000;

/// The same after one that could not copy everything, because somebody still read what was there before.
const RETRY_PAGES: i32 = 100;

/// The writer's part of the checkpoints.
pub(super) struct Checkpoints {
    /// How many pages are in the log.
    pages: Arc<AtomicI32>,
    /// How many were there at the last checkpoint.
    pages_before: i32,
    /// Whether that copied everything.
    is_complete: bool,
    copier: Copier,
    is_copying: bool,
}

impl Checkpoints {
    /// From now on SQLite makes none by itself in the writer's commits.
    pub(super) fn start(path: &Path, writer: &mut Connection) -> io::Result<Self> {
        let pages = Arc::new(AtomicI32::new(0));
        let counted = pages.clone();
        writer
            .wal_hook(Some(move |_: &mut _, pages| {
                counted.store(pages, Ordering::Relaxed);
                Ok(())
            }))
            .map_err(io::Error::other)?;
        let copier = Copier::start(path)?;
        Ok(Self { pages, pages_before: 0, is_complete: true, copier, is_copying: false })
    }

    /// Called by the writer between two batches.
    pub(super) fn step(&mut self, writer: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.pages_before {
            // The log was begun anew.
            (self.pages_before, self.is_complete) = (0, true);
        }
        let added = if self.is_complete { PAGES } else { RETRY_PAGES };
        if self.is_copying {
            if self.copier.is_done() {
                self.finish(writer);
            }
        } else if pages >= self.pages_before.saturating_add(added) {
            self.is_copying = self.copier.begin();
            if !self.is_copying {
                // Its thread has ended: all of it is left to the writer.
                self.finish(writer);
            }
        }
    }

    fn finish(&mut self, writer: &Connection) {
        self.is_copying = false;
        self.is_complete = copy(writer);
        self.pages_before = self.pages.load(Ordering::Relaxed);
    }

    /// To be dropped after all connections: where a process closes a file, all its locks on it are gone.
    pub(super) fn file(&self) -> Arc<File> {
        self.copier.file.clone()
    }
}

/// Copies what it can without waiting for anybody; true if that is everything.
fn copy(connection: &Connection) -> bool {
    match connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE) {
        Ok((in_log, copied)) => copied == in_log,
        Err(fault) => {
            // Nothing is lost: it stays in the log, and is tried again. That the disk is full the writer says.
            if fault.sqlite_error_code() != Some(ErrorCode::DiskFull) {
                tracing::warn!(%fault, "the write-ahead log could not be copied into the database yet");
            }
            false
        }
    }
}

/// The thread that copies beside the writer. It ends with this value.
struct Copier {
    /// The database's.
    file: Arc<File>,
    /// `None` only while it is being dropped.
    requests: Option<Sender<()>>,
    done: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl Copier {
    fn start(path: &Path) -> io::Result<Self> {
        let (requests, asked) = channel();
        let (finished, done) = channel();
        let file = Arc::new(File::open(path)?);
        let (path, synced) = (path.to_owned(), file.clone());
        let thread = std::thread::Builder::new()
            .name("checkpointer".to_owned())
            .spawn(move || run(&path, &synced, &asked, &finished))?;
        Ok(Self { file, requests: Some(requests), done, thread: Some(thread) })
    }

    /// False if the thread has ended.
    fn begin(&self) -> bool {
        self.requests.as_ref().is_some_and(|requests| requests.send(()).is_ok())
    }

    /// Also if the thread has ended.
    fn is_done(&self) -> bool {
        self.done.try_recv() != Err(TryRecvError::Empty)
    }
}

impl Drop for Copier {
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(path: &Path, file: &File, asked: &Receiver<()>, finished: &Sender<()>) {
    // Opened when it is needed: a service that is hardly written does without it.
    let mut connection = None;
    while asked.recv().is_ok() {
        if connection.is_none() {
            connection = open::checkpointer(path)
                .inspect_err(|fault| tracing::warn!(%fault, "no connection for checkpoints"))
                .ok();
        }
        // If it copies nothing the writer does it all. SQLite itself syncs only what nobody has written after.
        if connection.as_ref().is_some_and(|connection| !copy(connection)) {
            let _ = file.sync_data();
        }
        if finished.send(()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Database {
        folder: tempfile::TempDir,
        writer: Connection,
        checkpoints: Checkpoints,
    }

    impl Database {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("some.db");
            let mut writer = open::writer(&path, &[&["CREATE TABLE t (x)"]]).unwrap();
            let checkpoints = Checkpoints::start(&path, &mut writer).unwrap();
            Self { folder, writer, checkpoints }
        }

        /// A commit of at least so many pages.
        fn commit(&self, pages: i32) {
            self.writer.execute("INSERT INTO t VALUES (randomblob(4096 * ?1))", [pages]).unwrap();
        }

        /// Waits until the copier is done, and takes the writer's step with one more commit before it.
        fn finish(&mut self) {
            self.checkpoints.copier.done.recv().unwrap();
            self.commit(1);
            self.checkpoints.finish(&self.writer);
        }

        fn pages(&self) -> i32 {
            self.checkpoints.pages.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn the_log_begins_anew_while_it_is_written_without_a_pause() {
        let mut database = Database::new();
        for _ in 0..3 {
            database.commit(PAGES - 100);
            database.checkpoints.step(&database.writer);
            assert!(!database.checkpoints.is_copying, "it is not worth it yet");
            database.commit(100);
            database.checkpoints.step(&database.writer);
            assert!(database.checkpoints.is_copying);
            database.finish();
            database.commit(1);
            assert!(database.pages() < 10, "{} pages", database.pages());
        }
    }

    #[test]
    fn without_the_thread_the_writer_copies_all_of_it() {
        let mut database = Database::new();
        drop(database.checkpoints.copier.requests.take());
        database.checkpoints.copier.thread.take().unwrap().join().unwrap();
        for _ in 0..3 {
            database.commit(PAGES);
            database.checkpoints.step(&database.writer);
            database.commit(1);
            database.checkpoints.step(&database.writer);
            assert!(database.pages() < 10, "{} pages", database.pages());
        }
        // It ends while it is asked.
        database.checkpoints.is_copying = true;
        database.checkpoints.step(&database.writer);
        assert!(!database.checkpoints.is_copying);
    }

    #[test]
    fn what_somebody_reads_is_copied_later() {
        let mut database = Database::new();
        database.commit(1);
        let reader = open::reader(&database.folder.path().join("some.db")).unwrap();
        let reading = reader.unchecked_transaction().unwrap();
        let count =
            |reader: &Connection| reader.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
        assert_eq!(count(&reading).unwrap(), 1);
        database.commit(PAGES);
        database.checkpoints.step(&database.writer);
        database.finish();
        assert!(!database.checkpoints.is_complete);
        assert_eq!(count(&reading).unwrap(), 1, "it sees what it saw");
        drop(reading);

        database.commit(RETRY_PAGES / 2);
        database.checkpoints.step(&database.writer);
        assert!(!database.checkpoints.is_copying, "not again after every commit");
        database.commit(RETRY_PAGES / 2);
        database.checkpoints.step(&database.writer);
        database.finish();
        assert!(database.checkpoints.is_complete);
        database.commit(1);
        assert!(database.pages() < 10, "{} pages", database.pages());
        assert_eq!(count(&reader).unwrap(), 7);
    }
}
