//! Opening a database: durable settings, the schema's version, migrations, and what every service's schema begins with.
//! A database of a newer version, or one that is not ours, is refused before anything in it is touched.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::sql::Migration;
use crate::store::OpenError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

/// "Stkp" in ASCII: marks the file as ours.
pub(super) const APPLICATION_ID: i32 = 0x5374_6b70;

/// The mark of earlier development versions, "Star".
const EARLIER_APPLICATION_ID: i32 = 0x5374_6172;

impl From<rusqlite::Error> for OpenError {
    fn from(fault: rusqlite::Error) -> Self {
        match fault.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull(fault.to_string()),
            _ => Self::Unopenable(fault.to_string()),
        }
    }
}

/// The writer's connection, its schema up to date.
pub(super) fn writer(path: &Path, migrations: &[Migration]) -> Result<Connection, OpenError> {
    refuse_newer(path, migrations.len())?;
    let mut connection = open_private(path)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    sync_always(&connection)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    keep_plans(&connection)?;
    connection.set_prepared_statement_cache_capacity(128);
    migrate(&mut connection, migrations)?;
    Ok(connection)
}

/// A file that is made here is readable for its owner only: tokens are in it. What SQLite makes beside it is like it.
pub(super) fn open_private(path: &Path) -> rusqlite::Result<Connection> {
    // Where it cannot be made SQLite says why.
    let _ = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path);
    Connection::open(path)
}

/// A connection that copies the write-ahead log into the database's file.
pub(super) fn checkpointer(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    sync_always(&connection)?;
    Ok(connection)
}

/// What is committed is on the disk, and what a checkpoint has copied is, before the log begins anew.
fn sync_always(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "full")
}

/// A connection that only reads. It sees what was committed when its statement began, and waits for no writer.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    keep_plans(&connection)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// To a database that exists, for one thread at a time.
pub(super) fn connect(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// A statement's plan must not depend on its parameters. Otherwise one on a table with a partial index is compiled anew whenever
/// its parameters change.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Refuses a database that is newer than this program, or not ours, and leaves it as it is.
pub(super) fn refuse_newer(path: &Path, known: usize) -> Result<(), OpenError> {
    if !path.exists() {
        return Ok(());
    }
    let connection = looked_at(path)?;
    let id: i32 = connection
        .query_row("PRAGMA application_id", [], |row| row.get(0))
        .map_err(|_| OpenError::Foreign)?;
    if id == EARLIER_APPLICATION_ID {
        return Err(OpenError::Development);
    }
    let found = schema_version(&connection)?;
    // A file that was made a moment before a crash is still empty; any other without our mark is somebody else's.
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if id != APPLICATION_ID && (id, found, tables) != (0, 0, 0) {
        return Err(OpenError::Foreign);
    }
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    Ok(())
}

/// A connection that leaves no trace: an ordinary one would make files beside a database that was closed well.
fn looked_at(path: &Path) -> rusqlite::Result<Connection> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).exists() {
        return reader(path);
    }
    let escaped: String = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)
}

pub(super) fn schema_version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(0))
}

pub(super) fn migrate(connection: &mut Connection, migrations: &[Migration]) -> rusqlite::Result<()> {
    let made = schema_version(connection)?;
    for (number, migration) in migrations.iter().enumerate().skip(made) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for sql in *migration {
            transaction.execute_batch(sql)?;
        }
        transaction.pragma_update(None, "user_version", i64::try_from(number + 1).unwrap_or(i64::MAX))?;
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::PLATFORM_TABLES;

    #[test]
    fn a_newer_schema_and_a_foreign_file_are_refused_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.db");
        drop(writer(&path, &[&[PLATFORM_TABLES], &["CREATE TABLE later (x)"]]).unwrap());
        let before = std::fs::read(&path).unwrap();
        let refusal = writer(&path, &[&[PLATFORM_TABLES]]).unwrap_err().to_string();
        assert!(refusal.contains("newer version (schema 2, this program knows 1)"), "{refusal}");
        assert_eq!(std::fs::read(&path).unwrap(), before);

        let foreign = folder.path().join("foreign.db");
        std::fs::write(&foreign, "no database at all, but a text that is long enough to be read").unwrap();
        assert!(matches!(writer(&foreign, &[&[PLATFORM_TABLES]]), Err(OpenError::Foreign)));
    }

    #[test]
    fn migrations_continue_where_they_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.db");
        drop(writer(&path, &[&[PLATFORM_TABLES]]).unwrap());
        let connection = writer(&path, &[&[PLATFORM_TABLES], &["CREATE TABLE later (x)"]]).unwrap();
        connection.execute("INSERT INTO later VALUES (1)", []).unwrap();
        assert_eq!(schema_version(&connection).unwrap(), 2);
    }
}
