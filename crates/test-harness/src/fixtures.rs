//! Databases that programs of earlier schema versions have written, opened by today's service.

use std::path::Path;

use jiff::Timestamp;
use serde_json::Value;
use starkeep_platform::clock::ManualClock;

use crate::harness::Harness;
use crate::under_test::ServiceUnderTest;

impl<S: ServiceUnderTest> Harness<S> {
    pub fn schema_version(&self) -> i64 {
        self.database().query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version")
    }

    /// Starts another process on a copy of the fixture, at the instant at which the program that wrote it was killed.
    pub async fn reopen_on_copy(&mut self, fixture: &Path, version: i64, killed_at_millis: i64) {
        self.clock = ManualClock::new(Timestamp::from_millisecond(killed_at_millis).expect("a time stamp"));
        self.reopen_after(|database| {
            std::fs::copy(fixture, database.path().expect("a file")).expect("a copy");
            let own = database.query_row("PRAGMA user_version", [], |row| row.get(0));
            assert_eq!(own, Ok(version), "the database has another version than its name says");
        })
        .await;
    }
}

/// Is everything that was recorded still shown as it was? More may be shown today.
pub fn contains(shown: &Value, recorded: &Value) -> bool {
    match (shown, recorded) {
        (Value::Object(shown), Value::Object(recorded)) => recorded
            .iter()
            .all(|(name, recorded)| shown.get(name).is_some_and(|shown| contains(shown, recorded))),
        (Value::Array(shown), Value::Array(recorded)) => {
            shown.len() == recorded.len()
                && shown.iter().zip(recorded).all(|(shown, recorded)| contains(shown, recorded))
        }
        _ => shown == recorded,
    }
}
