//! A progress bar on standard error, where somebody watches it.
//! It is drawn anew only when it looks different.

use std::io::{self, IsTerminal, Write};

use starkeep_platform::background_output;

const WIDTH: u64 = 40;

pub(crate) struct ProgressBar {
    is_watched: bool,
    /// What is counted.
    unit: String,
    total: u64,
    drawn: Option<u64>,
}

impl ProgressBar {
    pub(crate) fn new(unit: &str, total: u64) -> Self {
        Self {
            is_watched: io::stderr().is_terminal(),
            unit: unit.to_owned(),
            total: total.max(1),
            drawn: None,
        }
    }

    pub(crate) fn show(&mut self, done: u64) {
        if !self.is_watched {
            return;
        }
        let thousandths = done.saturating_mul(1000) / self.total;
        if self.drawn == Some(thousandths) {
            return;
        }
        self.drawn = Some(thousandths);
        print(&format!("\r{} of {} {} ", bar(done, self.total), self.total, self.unit));
    }

    /// The line is free again.
    pub(crate) fn end(&self) {
        if self.is_watched {
            print("\r\x1b[K");
            // What follows may be on standard output.
            background_output::finish();
        }
    }
}

/// A terminal that takes nothing holds up nobody.
fn print(text: &str) {
    let _ = background_output::stderr().write_all(text.as_bytes());
}

fn bar(done: u64, total: u64) -> String {
    let full = usize::try_from(done.min(total) * WIDTH / total).unwrap_or(0);
    let empty = usize::try_from(WIDTH).unwrap_or(0).saturating_sub(full);
    format!("[{}{}] {:>3} %, {done}", "#".repeat(full), ".".repeat(empty), done * 100 / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills() {
        assert_eq!(bar(0, 10), format!("[{}]   0 %, 0", ".".repeat(40)));
        assert_eq!(bar(5, 10), format!("[{}{}]  50 %, 5", "#".repeat(20), ".".repeat(20)));
        assert_eq!(bar(10, 10), format!("[{}] 100 %, 10", "#".repeat(40)));
    }
}
