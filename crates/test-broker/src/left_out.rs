//! Leaving a test out, with a notice on stderr and in a file for `scripts/test`, because a passing test's output is not shown.
//! Where everything has to be tested (`STARKEEP_NEED_ALL=1`, as `.ci/run` sets it) nothing is left out.

use std::fs::OpenOptions;
use std::io::Write;

/// Set to 1 where a test that is left out is a failure.
const NEED_ALL: &str = "STARKEEP_NEED_ALL";
/// The file that each left-out test adds a line to.
const LEFT_OUT: &str = "STARKEEP_LEFT_OUT";

/// The test that calls it says why it cannot be run here, and returns.
pub fn leave_out(reason: &str) {
    // A test's thread is named after the test.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let notice = format!("LEFT OUT: {test}: {reason}");
    assert!(variable(NEED_ALL).as_deref() != Some("1"), "{notice}, and {NEED_ALL} is set");
    eprintln!("{notice}");
    if let Some(path) = variable(LEFT_OUT) {
        let file = OpenOptions::new().append(true).create(true).open(&path);
        // In one piece: tests of several processes write at once.
        let written = file.and_then(|mut file| file.write_all(format!("{notice}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

#[expect(clippy::disallowed_methods, reason = "a test has no command line of its own")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
