//! Databases that programs of earlier schema versions have written, opened by today's service, beside what those programs
//! showed at their end.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;
use starkeep_platform::clock::ManualClock;

use crate::harness::Harness;
use crate::json::text;
use crate::requests::get;
use crate::under_test::ServiceUnderTest;

/// The files of one version: the database, and what was recorded of it.
pub struct FixtureFiles {
    pub version: i64,
    folder: PathBuf,
}

impl FixtureFiles {
    /// Every version before the newest has them; the newest may.
    pub fn all(crate_folder: &str, newest: i64) -> Vec<Self> {
        let folder = PathBuf::from(crate_folder).join("tests/fixtures");
        let mut all: Vec<_> = (1..=newest).map(|version| Self { version, folder: folder.clone() }).collect();
        all.retain(|files| {
            let (version, exists) = (files.version, files.database().exists());
            assert!(exists || version == newest, "schema {version} has no fixture: see CONTRIBUTING.md");
            exists
        });
        all
    }

    fn database(&self) -> PathBuf {
        self.folder.join(format!("schema-{}.db", self.version))
    }

    /// What the program that wrote it showed at its end.
    pub fn recorded(&self) -> Value {
        let file = self.folder.join(format!("schema-{}.json", self.version));
        let recorded = std::fs::read_to_string(file).expect("a recording beside the database");
        serde_json::from_str(&recorded).expect("a recording is JSON")
    }
}

impl<S: ServiceUnderTest> Harness<S> {
    pub fn schema_version(&self) -> i64 {
        self.database().query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version")
    }

    /// Starts another process on a copy of the fixture, at the instant at which the program that wrote it was killed.
    pub async fn reopen_on_fixture(&mut self, files: &FixtureFiles) {
        let killed_at = files.recorded()["recordedAtMillis"].as_i64().expect("milliseconds");
        self.reopen_on_copy(&files.database(), files.version, killed_at).await;
    }

    /// Every request that was recorded is answered as it was.
    pub async fn assert_shows_what_was_recorded(&self, files: &FixtureFiles) {
        let recorded = files.recorded();
        let all_shown = recorded["shown"].as_array().expect("a list");
        assert!(!all_shown.is_empty(), "nothing was recorded");
        for shown in all_shown {
            let headers = shown["headers"].as_object().expect("headers");
            let request = headers
                .iter()
                .fold(get(text(&shown["path"])), |request, (name, value)| request.header(name, &text(value)));
            let reply = self.ask(request).await;
            let same = reply.status == 200 && contains(&reply.body, &shown["answer"]);
            assert!(same, "schema {}: {} is not what was recorded: {shown}", files.version, reply.body);
        }
    }

    async fn reopen_on_copy(&mut self, fixture: &Path, version: i64, killed_at_millis: i64) {
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
fn contains(shown: &Value, recorded: &Value) -> bool {
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
