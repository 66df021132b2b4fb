//! A parser of Server-Sent Events: bytes in, in whatever pieces they come, items out.
//! It follows the HTML standard's rules for interpreting an event stream; what an event means is decided elsewhere.

#[cfg(test)]
mod tests;

use std::mem;
use std::time::Duration;

/// A gameworld for 10,000 players announces 20,000 stations, each a UUID: not a megabyte.
const LARGEST_EVENT: usize = 16 * 1024 * 1024;

/// An item of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SseItem {
    /// An event with data.
    Event { name: String, id: Option<String>, data: String },
    /// A position without an event.
    Id(String),
    /// How long to wait before reconnecting.
    Retry(Duration),
}

/// An event that is larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Reads one connection from its first byte to its last: an event that was cut off is forgotten with it.
#[derive(Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    /// A line feed that follows belongs to the line that has ended.
    after_return: bool,
    begun: bool,
    name: String,
    id: Option<String>,
    data: String,
}

impl Parser {
    pub(crate) fn push(&mut self, bytes: &[u8], items: &mut impl Extend<SseItem>) -> Result<(), TooLarge> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (line, ending) = rest.split_at(end);
            let within_ending = mem::take(&mut self.after_return) && end == 0 && ending[0] == b'\n';
            self.after_return = ending[0] == b'\r';
            rest = &ending[1..];
            if within_ending {
                continue;
            }
            self.keep(line)?;
            let line = mem::take(&mut self.line);
            items.extend(self.end_of_line(&line));
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.keep(rest)?;
        }
        Ok(())
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + self.data.len() + piece.len() > LARGEST_EVENT {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn end_of_line(&mut self, line: &[u8]) -> Option<SseItem> {
        let line = String::from_utf8_lossy(line);
        // A byte order mark may stand at the very beginning.
        let first = !mem::replace(&mut self.begun, true);
        let line = if first { line.strip_prefix('\u{feff}').unwrap_or(&line) } else { &line };
        if line.is_empty() {
            return self.end_of_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            // An empty id would mean to begin anew; no position is worth less than the last one.
            "id" if !value.contains('\0') && !value.is_empty() => self.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                return value.parse().ok().map(|millis| SseItem::Retry(Duration::from_millis(millis)));
            }
            // A comment (its field is empty), or something that is not of the format.
            _ => {}
        }
        None
    }

    fn end_of_event(&mut self) -> Option<SseItem> {
        let (name, id, mut data) = (mem::take(&mut self.name), self.id.take(), mem::take(&mut self.data));
        if data.is_empty() {
            return id.map(SseItem::Id);
        }
        data.pop();
        Some(SseItem::Event { name, id, data })
    }
}
