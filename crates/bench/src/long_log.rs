//! Data directories with a long log: a world made by the real program, its last event then repeated in the
//! file itself.
//! A million events over the public interface would take longer than all that is measured on them.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::failure::{During, Failure};
use crate::prepare::create_world;
use crate::program::{self, Server};

/// The copies differ in number and id, as events do.
const REPEAT: &str = "
    PRAGMA journal_mode = OFF;
    CREATE TEMP TABLE newest AS SELECT * FROM event_log ORDER BY position DESC LIMIT 1;
    INSERT INTO event_log (position, event_id, channel, key, transaction_id, at_millis, payload, detail)
    WITH RECURSIVE number (position) AS (
        SELECT position + 1 FROM newest UNION ALL SELECT position + 1 FROM number LIMIT :missing
    )
    SELECT number.position, randomblob(16), channel, key, transaction_id, at_millis, payload, detail
    FROM number CROSS JOIN newest;
";

/// A home for the real program, with a world and a log of the map service that is so long.
pub(crate) fn long_log(executable: &Path, events: u32) -> Result<Arc<TempDir>, Failure> {
    let home = program::home()?;
    let starkeep = Server::starkeep_map(executable, &home)?;
    create_world(&starkeep, 4, 1)?;
    drop(starkeep);
    lengthen(&home, "map", events)?;
    Ok(home)
}

/// Repeats the newest event of a service, which does not run, until its log is so long.
pub(crate) fn lengthen(home: &TempDir, service: &str, events: u32) -> Result<(), Failure> {
    repeat_newest(&program::database(home, service), events).during("making the log longer")
}

/// Tells the services that follow the game service, none of which runs, that they have read its log up to this position.
pub(crate) fn read_up_to(home: &TempDir, position: &str) -> Result<(), Failure> {
    let updates = [
        ("robot", "UPDATE game_stream SET position = ?1"),
        ("trading", "UPDATE stream SET position = ?1 WHERE name = 'game'"),
    ];
    for (service, update) in updates {
        Connection::open(program::database(home, service))
            .and_then(|connection| connection.execute(update, [position]))
            .during("moving a reader to the end of the log")?;
    }
    Ok(())
}

fn repeat_newest(database: &Path, events: u32) -> rusqlite::Result<()> {
    let connection = Connection::open(database)?;
    let made: u32 = connection.query_row("SELECT max(position) FROM event_log", [], |row| row.get(0))?;
    connection.execute_batch(&REPEAT.replace(":missing", &events.saturating_sub(made).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_as_long_as_is_asked_for_and_dense() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.db");
        let connection = Connection::open(&file).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE event_log (position INTEGER PRIMARY KEY, event_id BLOB UNIQUE, channel, key,
                                         transaction_id, at_millis, payload, detail);
                 INSERT INTO event_log (event_id, payload) VALUES (x'01', 'first'), (x'02', 'second');",
            )
            .unwrap();
        for events in [1_000, 1_000, 10] {
            repeat_newest(&file, events).unwrap();
            let query = "SELECT count(*), max(position), sum(payload = 'second') FROM event_log";
            let found: [u32; 3] =
                connection.query_row(query, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?])).unwrap();
            assert_eq!(found, [1_000, 1_000, 999], "asked for {events}");
        }
    }
}
