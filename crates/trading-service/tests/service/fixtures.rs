//! Databases that programs of earlier schema versions have written: what they showed is shown today, and what they hold adds up.
//! What the files hold, and how the next one is made: `tests/fixtures/README.md`.

use starkeep_test_harness::{FixtureFiles, get};

use crate::harness::Bench;

#[tokio::test]
async fn a_database_of_any_earlier_version_shows_what_its_own_program_showed() {
    let newest = Bench::on_file().await.schema_version();
    for files in FixtureFiles::all(env!("CARGO_MANIFEST_DIR"), newest) {
        let mut bench = Bench::on_file().await;
        bench.reopen_on_fixture(&files).await;
        bench.assert_shows_what_was_recorded(&files).await;
        let books = bench.ask(get("/health")).await.body["parts"]["books"].clone();
        assert_eq!(books["status"], "ok", "schema {}: {books}", files.version);
        assert_eq!(bench.schema_version(), newest);
    }
}
