//! The writer's transactions. Like rusqlite's, but their statements are compiled once instead of twice a commit.

use super::connection::SqliteConnection;

/// Rolled back when it is dropped, unless it was committed.
pub(super) struct Transaction<'a>(&'a SqliteConnection);

impl<'a> Transaction<'a> {
    /// It may write from the beginning: nobody else can come in between.
    pub(super) fn begin(connection: &'a SqliteConnection) -> rusqlite::Result<Self> {
        connection.lock().prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self(connection))
    }

    pub(super) fn commit(self) -> rusqlite::Result<()> {
        self.0.lock().prepare_cached("COMMIT")?.execute([]).map(drop)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        let connection = self.0.lock();
        // A commit that failed may have left it open, or rolled it back by itself.
        if !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn only_what_is_committed_stays() {
        let connection = SqliteConnection::new(Connection::open_in_memory().unwrap());
        connection.lock().execute_batch("CREATE TABLE t (x UNIQUE)").unwrap();
        let count =
            || connection.lock().query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap();
        let insert = |commits: bool| {
            let transaction = Transaction::begin(&connection)?;
            connection.lock().execute("INSERT INTO t VALUES (random())", [])?;
            if commits { transaction.commit() } else { Ok(()) }
        };
        insert(false).unwrap();
        assert_eq!(count(), 0);
        insert(true).unwrap();
        insert(false).unwrap();
        insert(true).unwrap();
        assert_eq!(count(), 2);
        assert!(connection.lock().is_autocommit());
    }

    #[test]
    fn a_commit_that_fails_leaves_nothing_open() {
        let connection = SqliteConnection::new(Connection::open_in_memory().unwrap());
        let tables = "PRAGMA foreign_keys = ON; CREATE TABLE a (x PRIMARY KEY);
            CREATE TABLE b (x REFERENCES a (x) DEFERRABLE INITIALLY DEFERRED)";
        connection.lock().execute_batch(tables).unwrap();
        let transaction = Transaction::begin(&connection).unwrap();
        connection.lock().execute("INSERT INTO b VALUES (1)", []).unwrap();
        assert!(transaction.commit().is_err());
        assert!(connection.lock().is_autocommit());
        Transaction::begin(&connection).unwrap().commit().unwrap();
    }
}
