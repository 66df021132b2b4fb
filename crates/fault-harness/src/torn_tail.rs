//! The end of a SQLite write-ahead log as a power loss may leave it: what is behind the last commit is cut or garbled.
//! What is acknowledged is before it, and has to be found again. See "WAL-mode File Format" of SQLite's documentation.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::Chance;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The last bit says in which order of bytes checksums are made.
const MAGIC: u32 = 0x377f_0682;

/// Tears what is behind the last commit; at least some bytes that are no frame are there then. How many bytes were there before.
pub fn tear_tail(wal: &Path, chance: &mut Chance) -> io::Result<u64> {
    let mut bytes = Vec::new();
    File::open(wal)?.read_to_end(&mut bytes)?;
    let end = end_of_commits(&bytes);
    let behind = bytes.len() - end;
    let mut file = OpenOptions::new().write(true).open(wal)?;
    // A log that is reused has old frames behind the last commit: some of them stay as they are.
    let kept = usize::try_from(chance.draw(&(0..=behind as u64))).unwrap_or(0);
    file.set_len((end + kept) as u64)?;
    file.seek(SeekFrom::Start(end as u64))?;
    file.write_all(&half_a_frame(&bytes, chance))?;
    file.sync_all()?;
    Ok(behind as u64)
}

/// What a write that was under way may leave: a frame of this log, as far as its salts say, that breaks off.
fn half_a_frame(log: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut frame = vec![0, 0, 0, 1, 0, 0, 0, 2];
    frame.extend_from_slice(log.get(16..24).unwrap_or_default());
    let rest = chance.draw(&(1..=4000));
    frame.extend((0..rest).map(|_| u8::try_from(chance.draw(&(0..=255))).unwrap_or(0)));
    frame
}

/// Where the last commit ends that has whole frames before it; 0 where there is not even a header.
fn end_of_commits(log: &[u8]) -> usize {
    let Some(header) = log.get(..HEADER) else { return 0 };
    let magic = number(header, 0);
    if magic & !1 != MAGIC {
        return 0;
    }
    let order = if magic & 1 == 1 { u32::from_be_bytes } else { u32::from_le_bytes };
    let mut sums = checksum((0, 0), &header[..24], order);
    if sums != (number(header, 24), number(header, 28)) {
        return 0;
    }
    let (page_size, salts) = (number(header, 8) as usize, &header[16..24]);
    let mut end = HEADER;
    let mut place = HEADER;
    while let Some(frame) = log.get(place..place + FRAME_HEADER + page_size) {
        sums = checksum(sums, &frame[..8], order);
        sums = checksum(sums, &frame[FRAME_HEADER..], order);
        if &frame[8..16] != salts || sums != (number(frame, 16), number(frame, 20)) {
            break;
        }
        place += frame.len();
        let is_commit = number(frame, 4) != 0;
        if is_commit {
            end = place;
        }
    }
    end
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().copied().map_or(0, u32::from_be_bytes)
}

fn checksum((mut one, mut other): (u32, u32), bytes: &[u8], order: fn([u8; 4]) -> u32) -> (u32, u32) {
    let (words, _) = bytes.as_chunks::<4>();
    let (pairs, _) = words.as_chunks::<2>();
    for [first, second] in pairs {
        one = one.wrapping_add(order(*first)).wrapping_add(other);
        other = other.wrapping_add(order(*second)).wrapping_add(one);
    }
    (one, other)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// Rows that were committed, each by itself, as another process would find them after a kill.
    fn committed(rows: i64) -> (tempfile::TempDir, std::path::PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("live.db");
        let connection = Connection::open(&file).unwrap();
        connection.pragma_update(None, "journal_mode", "wal").unwrap();
        connection.execute_batch("CREATE TABLE row (number INTEGER, text TEXT)").unwrap();
        for number in 0..rows {
            connection.execute("INSERT INTO row VALUES (?1, hex(randomblob(2000)))", [number]).unwrap();
        }
        let killed = home.path().join("killed.db");
        std::fs::copy(&file, &killed).unwrap();
        std::fs::copy(home.path().join("live.db-wal"), home.path().join("killed.db-wal")).unwrap();
        (home, killed)
    }

    fn count(file: &Path) -> i64 {
        let connection = Connection::open(file).unwrap();
        connection.query_row("SELECT count(*) FROM row", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn nothing_that_was_committed_is_torn() {
        for seed in 0..20 {
            let (home, killed) = committed(30);
            tear_tail(&home.path().join("killed.db-wal"), &mut Chance(seed)).unwrap();
            assert_eq!(count(&killed), 30, "seed {seed}");
        }
    }

    #[test]
    fn the_last_commit_ends_where_the_last_whole_one_does() {
        let (home, killed) = committed(30);
        let wal = home.path().join("killed.db-wal");
        let bytes = std::fs::read(&wal).unwrap();
        assert_eq!(end_of_commits(&bytes), bytes.len());
        // Without its last byte the last row is none.
        let end = end_of_commits(&bytes[..bytes.len() - 1]);
        std::fs::write(&wal, &bytes[..end]).unwrap();
        assert_eq!(count(&killed), 29);
    }
}
