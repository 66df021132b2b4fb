//! The event log as it is stored, and what it tells about each game in a few words.
//! Nothing here goes through the service.

use futures::FutureExt as _;
use rusqlite::{Connection, Row};
use serde_json::Value;
use starkeep_game_service::testing;
use starkeep_platform::events::CommittedEvent;
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
        let stored = if self.is_in_memory() { self.kept_in_memory() } else { read(&self.database()) };
        let numbers = stored.iter().map(|(number, _)| *number);
        assert!(numbers.eq(1..=stored.len() as u64), "the log has holes");
        stored.into_iter().map(|(_, event)| event).collect()
    }

    fn kept_in_memory(&self) -> Vec<(u64, Logged)> {
        let (log, pages) = self.store().common().log();
        let kept = pages.read(1, log.head()).now_or_never().expect("a store in memory answers at once");
        kept.expect("events").into_iter().map(|event| (event.number, committed(&event))).collect()
    }

    /// How many creations are under way, and how many worlds the map has yet to be told of.
    pub(crate) fn pending(&self) -> (usize, usize) {
        if self.is_in_memory() {
            return testing::pending(self.service());
        }
        let count = |table| usize::try_from(self.count(table)).expect("a count");
        (count("intent"), count("world_to_retire"))
    }

    pub(crate) fn history(&self, game: Uuid) -> Vec<String> {
        self.events().iter().filter(|event| event.game == game).map(Logged::words).collect()
    }
}

fn read(database: &Connection) -> Vec<(u64, Logged)> {
    let mut select = database.prepare("SELECT * FROM event_log ORDER BY position").expect("a log");
    let rows = select.query_map([], |row| Ok((row.get::<_, i64>("position")?.cast_unsigned(), logged(row)?)));
    rows.and_then(Iterator::collect).expect("rows of events")
}

fn committed(event: &CommittedEvent) -> Logged {
    Logged {
        event_id: event.event_id,
        channel: event.channel.name().to_owned(),
        game: event.key,
        transaction: event.transaction_id.expect("every event of a game has a transaction"),
        at_millis: event.timestamp.as_millisecond(),
        payload: serde_json::from_str(&event.payload).expect("a payload is JSON"),
    }
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
