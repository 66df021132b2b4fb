//! The event log as it stands in the file, and what it tells about each game in a few words.
//! Nothing here goes through the service.

use rusqlite::{Connection, Row};
use serde_json::Value;
use uuid::Uuid;

use crate::harness::Bench;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Logged {
    pub(crate) event_id: Uuid,
    pub(crate) channel: String,
    pub(crate) game: Uuid,
    pub(crate) transaction: Uuid,
    pub(crate) at_millis: i64,
    pub(crate) payload: Value,
}

impl Logged {
    /// `created`, `joined`, `started`, `1 started`, `1 command input ended`, `1 ended`, `ended`, `clock paused`.
    pub(crate) fn words(&self) -> String {
        let text = |field: &str| self.payload[field].as_str().expect("a word").to_owned();
        match self.channel.as_str() {
            "status" => text("status"),
            "roundStatus" => format!("{} {}", self.payload["roundNumber"], text("roundStatus")),
            "playerStatus" => "joined".to_owned(),
            "gameClock" => format!("clock {}", text("change")),
            other => panic!("an event on {other}"),
        }
    }
}

impl Bench {
    /// In the order of the log, whose positions have no hole.
    pub(crate) fn events(&self) -> Vec<Logged> {
        read(&self.database())
    }

    pub(crate) fn history(&self, game: Uuid) -> Vec<String> {
        self.events().iter().filter(|event| event.game == game).map(Logged::words).collect()
    }
}

fn read(database: &Connection) -> Vec<Logged> {
    let mut select = database.prepare("SELECT * FROM event_log ORDER BY position").expect("a log");
    let rows = select.query_map([], |row| Ok((row.get::<_, i64>("position")?, logged(row)?)));
    let rows: Vec<_> = rows.and_then(Iterator::collect).expect("rows of events");
    let positions = rows.iter().map(|(position, _)| *position);
    assert!(positions.eq(1..=i64::try_from(rows.len()).expect("few events")), "the log has holes");
    rows.into_iter().map(|(_, event)| event).collect()
}

fn logged(row: &Row<'_>) -> rusqlite::Result<Logged> {
    let uuid = |column| row.get::<_, [u8; 16]>(column).map(Uuid::from_bytes);
    Ok(Logged {
        event_id: uuid("event_id")?,
        channel: row.get("channel")?,
        game: uuid("key")?,
        transaction: uuid("transaction_id")?,
        at_millis: row.get("at_millis")?,
        payload: serde_json::from_str(&row.get::<_, String>("payload")?).expect("a payload is JSON"),
    })
}

/// What a whole round leaves in the log, for each of the rounds.
pub(crate) fn rounds(numbers: std::ops::RangeInclusive<u32>) -> Vec<String> {
    numbers
        .flat_map(|number| ["started", "command input ended", "ended"].map(|word| format!("{number} {word}")))
        .collect()
}
