//! Reads how much SQLite has written into a write-ahead log, as <https://sqlite.org/walformat.html> describes it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

const HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;

pub(crate) struct WriteAheadLog {
    file: File,
    seen: Content,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) pages: u64,
    pub(crate) commits: u64,
}

/// Since the log was begun anew, which changes its salts.
#[derive(Clone, Copy)]
struct Content {
    salts: [u8; 8],
    written: Written,
}

impl WriteAheadLog {
    /// Of a database that is open.
    pub(crate) fn of(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        let file = File::open(path).expect("an open database has a write-ahead log");
        Self { seen: content(&file), file }
    }

    /// Since the last time. Where the log was begun anew meanwhile, what was written to it before is missing.
    pub(crate) fn added(&mut self) -> Written {
        let now = content(&self.file);
        let before = std::mem::replace(&mut self.seen, now);
        if now.salts != before.salts {
            return now.written;
        }
        Written {
            pages: now.written.pages - before.written.pages,
            commits: now.written.commits - before.written.commits,
        }
    }
}

/// Up to the first frame that is not there yet or is left over from before.
fn content(file: &File) -> Content {
    let mut content = Content { salts: [0; 8], written: Written::default() };
    let Some(header) = bytes::<24>(file, 0) else { return content };
    let page_size = u64::from(u32::from_be_bytes(part(&header, 8)));
    content.salts = part(&header, 16);
    while let Some(frame) = bytes::<16>(file, HEADER + content.written.pages * (FRAME_HEADER + page_size)) {
        if part::<8>(&frame, 8) != content.salts {
            break;
        }
        content.written.pages += 1;
        // The size of the database after the commit, in its last frame; zero in others.
        content.written.commits += u64::from(part::<4>(&frame, 4) != [0; 4]);
    }
    content
}

/// None where the file has ended.
fn bytes<const LENGTH: usize>(file: &File, position: u64) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    file.read_exact_at(&mut bytes, position).ok().map(|()| bytes)
}

fn part<const LENGTH: usize>(bytes: &[u8], position: usize) -> [u8; LENGTH] {
    bytes[position..position + LENGTH].try_into().expect("a part has its length")
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// Each row takes a page.
    #[test]
    fn pages_and_commits_are_counted_also_in_a_log_that_was_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.db");
        let database = Connection::open(&path).unwrap();
        database
            .execute_batch("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x)")
            .unwrap();
        let mut log = WriteAheadLog::of(&path);
        assert_eq!(log.added(), Written::default(), "what was there before is not counted");
        let put = |rows: usize| {
            let values = vec!["(zeroblob(3900))"; rows].join(", ");
            database.execute_batch(&format!("INSERT INTO t VALUES {values}")).unwrap();
        };
        put(1);
        assert_eq!(log.added(), Written { pages: 1, commits: 1 });
        put(3);
        put(2);
        let Written { pages, commits } = log.added();
        assert_eq!(commits, 2);
        assert!(pages >= 5 + 2, "five rows, and twice the page that leads to them: {pages}");
        database.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        assert_eq!(log.added(), Written::default());
        put(1);
        assert_eq!(log.added().commits, 1);
    }
}
