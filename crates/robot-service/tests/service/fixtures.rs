//! Databases that programs of earlier schema versions have written: what they showed is shown today, and what they hold adds up.
//! What the files hold, and how the next one is made: `tests/fixtures/README.md`.

use std::path::PathBuf;

use serde_json::Value;
use starkeep_test_harness::{StoreKind, contains, get, text};

use crate::harness::{Bench, open_config};

fn file(version: i64, ending: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(format!("schema-{version}.{ending}"))
}

#[tokio::test]
async fn a_database_of_any_earlier_version_shows_what_its_own_program_showed() {
    let newest = Bench::with(open_config(), StoreKind::Sqlite).await.schema_version();
    for version in 1..newest {
        assert!(file(version, "db").exists(), "schema {version} has no fixture: see CONTRIBUTING.md");
        let recorded = std::fs::read_to_string(file(version, "json")).unwrap();
        let recorded: Value = serde_json::from_str(&recorded).unwrap();
        let mut bench = Bench::with(open_config(), StoreKind::Sqlite).await;
        let killed_at = recorded["recordedAtMillis"].as_i64().unwrap();
        bench.reopen_on_copy(&file(version, "db"), version, killed_at).await;
        let shown = recorded["shown"].as_array().unwrap();
        assert!(!shown.is_empty());
        for shown in shown {
            let headers = shown["headers"].as_object().unwrap();
            let request = headers
                .iter()
                .fold(get(text(&shown["path"])), |request, (name, value)| request.header(name, &text(value)));
            let reply = bench.ask(request).await;
            let same = reply.status == 200 && contains(&reply.body, &shown["answer"]);
            assert!(same, "schema {version}: {} is not what was recorded: {shown}", reply.body);
        }
        let books = bench.ask(get("/health")).await.body["parts"]["books"].clone();
        assert_eq!(books["status"], "ok", "schema {version}: {books}");
        assert_eq!(bench.schema_version(), newest);
    }
}
