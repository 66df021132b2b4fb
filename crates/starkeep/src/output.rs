//! Standard output for what a command was asked for: nothing of it is dropped.
//! It is written beside the command, which so can still be stopped where nobody reads.

use std::io::{self, ErrorKind, Write};

use crate::failure::CommandError;

/// Waits until it is written. An error also where the reader has ended.
pub(crate) async fn write(text: String) -> io::Result<()> {
    let writing = tokio::task::spawn_blocking(move || {
        let mut output = io::stdout();
        output.write_all(text.as_bytes()).and_then(|()| output.flush())
    });
    writing.await?
}

/// A command does all that it does also where the reader has ended.
pub(crate) async fn print(text: String) -> Result<(), CommandError> {
    match write(text).await {
        Err(fault) if fault.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(CommandError::Output),
    }
}

pub(crate) async fn print_line(line: &str) -> Result<(), CommandError> {
    print(format!("{line}\n")).await
}
