//! Bytes as hexadecimal digits, for names of files, checksums and queries.

use std::fmt::Write as _;

pub(crate) fn hex(bytes: &[u8]) -> String {
    each(bytes, "")
}

/// As a query has bytes that are no text.
pub(crate) fn percent(bytes: &[u8]) -> String {
    each(bytes, "%")
}

fn each(bytes: &[u8], before: &str) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{before}{byte:02x}");
        text
    })
}
