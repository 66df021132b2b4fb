//! Standard output, whose reader may have ended.

use std::io::{self, ErrorKind, Write};

use crate::failure::CommandError;

pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let mut output = io::stdout();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // The reader of the pipe has ended.
        Err(fault) if fault.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(CommandError::Output),
    }
}

pub(crate) fn print_line(line: &str) -> Result<(), CommandError> {
    print(&format!("{line}\n"))
}
