//! `starkeep selftest`: a short run on files and on PostgreSQL finds nothing, one with a program that forgets finds it.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;
use starkeep_client::SystemClock;
use starkeep_selftest::{Place, SelfTest};
use starkeep_test_http::within_limit;
use starkeep_test_postgres::shared;
use tokio::process::Command;

use crate::program::{command, run, start};
use crate::scale::scale;

/// The report of a run with this seed.
async fn report(seed: &str, flags: &[&str]) -> Value {
    let kills = (2 * scale()).to_string();
    // It starts itself with `sh`.
    let mut command: Command = command();
    command.args(["selftest", "--json", "--kills", &kills, "--seed", seed]).args(flags);
    let child = start(command.env("PATH", "/usr/bin:/bin")).await;
    let output = within_limit("the self-test", child.wait_with_output()).await.unwrap();
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_str(&printed).unwrap();
    let (code, told) = if report["good"] == true {
        (0, String::new())
    } else {
        let violations = report["violations"].as_array().unwrap().len();
        (1, format!("starkeep: seed {seed}: {violations} violations\n"))
    };
    assert_eq!((output.status.code(), &*errors), (Some(code), &*told), "{printed}");
    report
}

/// How soon all is well after a fault is up to the machine; everything else is not.
fn assert_good(report: &Value) {
    let mut violations = report["violations"].as_array().unwrap().iter();
    let of_machine = |violation: &&Value| violation.as_str().unwrap().contains(": well again only after ");
    assert_eq!(violations.find(|violation| !of_machine(violation)), None, "{report}");
    for operation in report["operations"].as_array().unwrap() {
        assert!(operation["acknowledged"].as_u64().unwrap() > 0, "{report}");
        assert_eq!(
            (operation["lost"].as_u64(), operation["doubled"].as_u64()),
            (Some(0), Some(0)),
            "{report}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_run_on_files_finds_nothing_wrong() {
    let report = report("5", &[]).await;
    assert_good(&report);
    assert_eq!(report["seed"], 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_run_on_postgresql_finds_nothing_wrong_and_leaves_nothing_behind() {
    let url = shared().database("selftest");
    assert_good(&report("6", &["--database-url", &url]).await);
    let archive = tempfile::tempdir().unwrap().path().join("nothing");
    let exported = run(&["export", archive.to_str().unwrap(), "--database-url", &url]).await;
    assert_eq!(exported.code, Some(2), "{exported:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_forgets_what_it_acknowledged_is_found_out() {
    let home = tempfile::tempdir().unwrap();
    let forgetful = home.path().join("forgetful");
    // Each start begins without the write-ahead log that the last one left.
    let script = format!(
        "#!/bin/sh\nfor word; do [ \"$last\" = --data-dir ] && rm -f \"$word\"/*-wal; last=$word; done\nexec {} \"$@\"\n",
        env!("CARGO_BIN_EXE_starkeep")
    );
    std::fs::write(&forgetful, script).unwrap();
    std::fs::set_permissions(&forgetful, Permissions::from_mode(0o755)).unwrap();
    let test = SelfTest {
        executable: forgetful,
        place: Place::Files,
        kills: 2,
        at_most: None,
        seed: 7,
        clock: SystemClock::start(),
    };
    let outcome = within_limit("the self-test", test.run(|_, _| ())).await;
    // Or a service does not even come up again.
    assert!(outcome.is_err() || outcome.is_ok_and(|report| !report.is_good()));
}
