//! A committed event, rendered once however many read it.
//! One text serves both forms: the stream's frame, and within it what a page shows.

use std::fmt::Write;
use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;
use jiff::Timestamp;
use starkeep_contract::events::{Channel, NewEvent};
use uuid::Uuid;

use super::position::Position;

/// Of every event's form.
const VERSION: &str = "1";
/// UTC, to the second.
const TIMESTAMP: &str = "%Y-%m-%dT%H:%M:%SZ";

pub struct CommittedEvent {
    pub number: u64,
    pub channel: Channel,
    pub event_id: Uuid,
    pub key: Uuid,
    pub transaction_id: Option<Uuid>,
    pub timestamp: Timestamp,
    pub payload: Box<str>,
    rendered: OnceLock<Rendered>,
}

struct Rendered {
    frame: Bytes,
    /// Where `"headers":{…},"payload":{…}` stands in the frame.
    body: Range<usize>,
}

impl CommittedEvent {
    pub fn new(number: u64, event: NewEvent) -> Self {
        let NewEvent { channel, event_id, key, transaction_id, timestamp, payload, detail: _ } = event;
        let rendered = OnceLock::new();
        Self { number, channel, event_id, key, transaction_id, timestamp, payload: payload.into(), rendered }
    }

    /// The same event, to be rendered anew.
    pub(crate) fn again(&self) -> Self {
        let event = NewEvent {
            channel: self.channel,
            event_id: self.event_id,
            key: self.key,
            transaction_id: self.transaction_id,
            timestamp: self.timestamp,
            payload: self.payload.to_string(),
            detail: None,
        };
        Self::new(self.number, event)
    }

    /// The five headers of every event, in the order in which they are sent.
    pub fn headers(&self) -> [(&'static str, String); 5] {
        [
            ("eventId", self.event_id.to_string()),
            ("transactionId", self.transaction_text()),
            ("version", VERSION.to_owned()),
            ("timestamp", self.timestamp.strftime(TIMESTAMP).to_string()),
            ("type", self.channel.event_type().to_owned()),
        ]
    }

    /// Empty where there is none.
    fn transaction_text(&self) -> String {
        self.transaction_id.map(|id| id.to_string()).unwrap_or_default()
    }

    pub fn position(&self, epoch: u64) -> Position {
        Position { epoch, number: self.number, piece: Position::piece_of(self.event_id) }
    }

    /// The event as a frame of a stream (`text/event-stream`).
    pub fn frame(&self, epoch: u64) -> Bytes {
        self.rendered(epoch).frame.clone()
    }

    /// Writes the event as an element of a page.
    pub fn write_item(&self, epoch: u64, page: &mut String) {
        let Rendered { frame, body } = self.rendered(epoch);
        let body = std::str::from_utf8(&frame[body.clone()]).unwrap_or_default();
        let _ =
            write!(page, r#"{{"id":"{}","channel":"{}",{body}}}"#, self.position(epoch), self.channel.name());
    }

    fn rendered(&self, epoch: u64) -> &Rendered {
        self.rendered.get_or_init(|| self.render(epoch))
    }

    fn render(&self, epoch: u64) -> Rendered {
        let mut frame = String::with_capacity(self.payload.len() + 320);
        let _ = write!(frame, "event: {}\nid: {}\ndata: {{", self.channel.name(), self.position(epoch));
        let body_start = frame.len();
        let _ = write!(
            frame,
            r#""headers":{{"eventId":"{}","transactionId":"{}","version":"{VERSION}","timestamp":"{}","type":"{}"}},"payload":{}"#,
            self.event_id,
            self.transaction_text(),
            self.timestamp.strftime(TIMESTAMP),
            self.channel.event_type(),
            self.payload,
        );
        let body = body_start..frame.len();
        frame.push_str("}\n\n");
        Rendered { frame: frame.into(), body }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_show_the_same_event() {
        let event = NewEvent {
            channel: Channel::Status,
            event_id: Uuid::from_u128(0xaaaa_bbbb << 96),
            key: Uuid::nil(),
            transaction_id: None,
            timestamp: Timestamp::from_millisecond(1_500).unwrap(),
            payload: r#"{"status":"created"}"#.to_owned(),
            detail: Some("private".to_owned()),
        };
        let committed = CommittedEvent::new(9, event);
        let body = concat!(
            r#""headers":{"eventId":"aaaabbbb-0000-0000-0000-000000000000","transactionId":"","version":"1","#,
            r#""timestamp":"1970-01-01T00:00:01Z","type":"game-status"},"payload":{"status":"created"}"#
        );
        let id = "0000000000000005-9-aaaabbbb";
        let frame = format!("event: status\nid: {id}\ndata: {{{body}}}\n\n");
        assert_eq!(committed.frame(5), frame.as_bytes());
        let mut page = String::new();
        committed.write_item(5, &mut page);
        assert_eq!(page, format!(r#"{{"id":"{id}","channel":"status",{body}}}"#));
    }
}
