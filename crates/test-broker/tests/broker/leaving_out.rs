//! Where no broker is available: these tests, run again without Java, are left out with a notice or fail.
//! Needs no broker itself.

use std::path::Path;
use std::process::{Command, Output};

/// Any test that needs a broker.
const ANOTHER: &str = "records::two_brokers_side_by_side_do_not_meet";

fn without_java(need_all: &str, left_out: &Path) -> Output {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", ANOTHER, "--nocapture"]);
    again.env("JAVA_HOME", "/there/is/no/java").env("STARKEEP_NEED_ALL", need_all);
    again.env("STARKEEP_LEFT_OUT", left_out).output().unwrap()
}

#[test]
fn a_test_is_left_out_loudly() {
    let home = tempfile::tempdir().unwrap();
    let left_out = home.path().join("left-out");
    let output = without_java("", &left_out);
    assert!(output.status.success(), "{output:?}");
    let notice = format!("LEFT OUT: {ANOTHER}: no Kafka broker (scripts/kafka: no java)\n");
    // Once for each broker that the test asked for.
    assert_eq!(std::fs::read_to_string(&left_out).unwrap(), notice.repeat(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&notice), "{output:?}");
}

#[test]
fn a_test_fails_where_all_are_needed() {
    let home = tempfile::tempdir().unwrap();
    let left_out = home.path().join("left-out");
    let output = without_java("1", &left_out);
    assert!(!output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("(scripts/kafka: no java)"), "{output:?}");
    assert!(!left_out.exists());
}
