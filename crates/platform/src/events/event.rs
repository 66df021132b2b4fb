//! A committed event, rendered once however many read it.
//! One text serves both forms: the stream's frame, and within it what a page shows.

use std::fmt::Write;
use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use starkeep_contract::events::{About, Channel, EventAbout, EventType, NewEvent, Publisher};
use uuid::Uuid;

use super::position::Position;

/// Of every event's form.
const VERSION: &str = "1";
/// UTC, to the second.
const TIMESTAMP: DateTimePrinter = DateTimePrinter::new().precision(Some(0));

pub struct CommittedEvent {
    pub number: u64,
    pub channel: Channel,
    pub event_type: EventType,
    pub event_id: Uuid,
    pub about: About,
    pub transaction_id: Option<Uuid>,
    pub transaction_text: Option<Box<str>>,
    pub timestamp: Timestamp,
    pub payload: Box<str>,
    public: OnceLock<Rendered>,
    /// Only where it differs from the public form.
    full: OnceLock<Rendered>,
}

/// Who reads an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Does not see which player and robot an event is about.
    Public,
    /// Sees everything.
    Host,
}

struct Rendered {
    frame: Bytes,
    /// Where `"headers":{…},"payload":{…},"about":{…}` stands in the frame.
    body: Range<usize>,
}

impl CommittedEvent {
    pub fn new(number: u64, event: NewEvent) -> Self {
        Self {
            number,
            channel: event.channel,
            event_type: event.event_type,
            event_id: event.event_id,
            about: event.about,
            transaction_id: event.transaction_id,
            transaction_text: event.transaction_text.map(Into::into),
            timestamp: event.timestamp,
            payload: event.payload.into(),
            public: OnceLock::new(),
            full: OnceLock::new(),
        }
    }

    /// The same event, to be rendered anew.
    pub(crate) fn again(&self) -> Self {
        Self {
            number: self.number,
            channel: self.channel,
            event_type: self.event_type,
            event_id: self.event_id,
            about: self.about,
            transaction_id: self.transaction_id,
            transaction_text: self.transaction_text.clone(),
            timestamp: self.timestamp,
            payload: self.payload.clone(),
            public: OnceLock::new(),
            full: OnceLock::new(),
        }
    }

    /// The key of its Kafka record: existing consumers of robot and trading expect the event's own id.
    pub fn record_key(&self) -> Uuid {
        match self.channel.publisher() {
            Publisher::Game | Publisher::Map => self.about.subject,
            Publisher::Robot | Publisher::Trading => self.event_id,
        }
    }

    /// The five headers of every event, in the order in which they are sent.
    pub fn headers(&self) -> [(&'static str, String); 5] {
        [
            ("eventId", self.event_id.to_string()),
            ("transactionId", self.transaction_text()),
            ("version", VERSION.to_owned()),
            ("timestamp", TIMESTAMP.timestamp_to_string(&self.timestamp)),
            ("type", self.event_type.name().to_owned()),
        ]
    }

    /// Empty where there is none.
    fn transaction_text(&self) -> String {
        match (&self.transaction_text, self.transaction_id) {
            (Some(text), _) => text.to_string(),
            (None, Some(id)) => id.to_string(),
            (None, None) => String::new(),
        }
    }

    pub fn position(&self, epoch: u64) -> Position {
        Position { epoch, number: self.number, piece: Position::piece_of(self.event_id) }
    }

    /// The event as a frame of a stream (`text/event-stream`).
    pub fn frame(&self, epoch: u64, audience: Audience) -> Bytes {
        self.rendered(epoch, audience).frame.clone()
    }

    /// Writes the event as an element of a page.
    pub fn write_item(&self, epoch: u64, audience: Audience, page: &mut String) {
        let Rendered { frame, body } = self.rendered(epoch, audience);
        let body = std::str::from_utf8(&frame[body.clone()]).unwrap_or_default();
        let _ =
            write!(page, r#"{{"id":"{}","channel":"{}",{body}}}"#, self.position(epoch), self.channel.name());
    }

    fn rendered(&self, epoch: u64, audience: Audience) -> &Rendered {
        let is_same = self.about.player.is_none() && self.about.robot.is_none();
        match audience {
            Audience::Host if !is_same => self.full.get_or_init(|| self.render(epoch, true)),
            Audience::Host | Audience::Public => self.public.get_or_init(|| self.render(epoch, false)),
        }
    }

    /// Every event that is read comes by here, so the parts are put together without formatting.
    fn render(&self, epoch: u64, with_player: bool) -> Rendered {
        let mut frame = String::with_capacity(self.payload.len() + 480);
        frame.push_str("event: ");
        frame.push_str(self.channel.name());
        let _ = write!(frame, "\nid: {}\ndata: {{", self.position(epoch));
        let body_start = frame.len();
        frame.push_str(r#""headers":{"eventId":""#);
        push_uuid(&mut frame, self.event_id);
        frame.push_str(r#"","transactionId":"#);
        match (&self.transaction_text, self.transaction_id) {
            (Some(text), _) => frame.push_str(&json(text)),
            (None, Some(id)) => {
                frame.push('"');
                push_uuid(&mut frame, id);
                frame.push('"');
            }
            (None, None) => frame.push_str("\"\""),
        }
        frame.push_str(r#","version":""#);
        frame.push_str(VERSION);
        frame.push_str(r#"","timestamp":""#);
        TIMESTAMP.print_timestamp(&self.timestamp, &mut frame).expect("a string takes any text");
        frame.push_str(r#"","type":""#);
        frame.push_str(self.event_type.name());
        frame.push_str(r#""},"payload":"#);
        frame.push_str(&self.payload);
        frame.push_str(r#","about":"#);
        frame.push_str(&json(&EventAbout::shown(self.channel, &self.about, with_player)));
        let body = body_start..frame.len();
        frame.push_str("}\n\n");
        Rendered { frame: frame.into(), body }
    }
}

fn push_uuid(text: &mut String, id: Uuid) {
    text.push_str(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
}

fn json(value: &impl serde::Serialize) -> String {
    starkeep_json_writer::to_string(value).expect("the contract's types are plain data")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use starkeep_contract::trading_events::TradeKind;

    use super::*;

    fn event() -> NewEvent {
        NewEvent::new(
            Channel::Status,
            Uuid::from_u128(0xaaaa_bbbb << 96),
            About::subject(Uuid::nil()),
            None,
            Timestamp::from_millisecond(1_500).unwrap(),
            &json!({ "status": "created" }),
        )
    }

    fn item(event: &CommittedEvent, audience: Audience) -> serde_json::Value {
        let mut page = String::new();
        event.write_item(5, audience, &mut page);
        serde_json::from_str(&page).unwrap()
    }

    #[test]
    fn both_forms_show_the_same_event() {
        let committed = CommittedEvent::new(9, event());
        let body = concat!(
            r#""headers":{"eventId":"aaaabbbb-0000-0000-0000-000000000000","transactionId":"","version":"1","#,
            r#""timestamp":"1970-01-01T00:00:01Z","type":"game-status"},"payload":{"status":"created"},"#,
            r#""about":{"gameId":"00000000-0000-0000-0000-000000000000"}"#
        );
        let id = "0000000000000005-9-aaaabbbb";
        let frame = format!("event: status\nid: {id}\ndata: {{{body}}}\n\n");
        for audience in [Audience::Public, Audience::Host] {
            assert_eq!(committed.frame(5, audience), frame.as_bytes());
            let mut page = String::new();
            committed.write_item(5, audience, &mut page);
            assert_eq!(page, format!(r#"{{"id":"{id}","channel":"status",{body}}}"#));
        }
    }

    #[test]
    fn only_the_host_sees_which_player_and_robot_it_is_about() {
        let [game, player, robot] = [1, 2, 3].map(Uuid::from_u128);
        let about = About { subject: game, round: Some(4), player: Some(player), robot: Some(robot) };
        let committed = CommittedEvent::new(9, NewEvent { about, ..event() });
        let public = json!({ "gameId": game, "roundNumber": 4 });
        // Asked in both orders: what one is shown does not depend on who asked before.
        for _ in 0..2 {
            assert_eq!(item(&committed, Audience::Public)["about"], public);
            let shown = &item(&committed, Audience::Host)["about"];
            assert_eq!(
                *shown,
                json!({ "gameId": game, "roundNumber": 4, "playerId": player, "robotId": robot })
            );
        }
    }

    #[test]
    fn a_transaction_that_is_no_uuid_and_a_type_of_its_own_are_shown_as_they_are() {
        let transaction_text = Some("a\n\"b\"".to_owned());
        let event_type = TradeKind::BuyError.into();
        let committed = CommittedEvent::new(9, NewEvent { transaction_text, event_type, ..event() });
        let headers = item(&committed, Audience::Public)["headers"].clone();
        assert_eq!((&headers["transactionId"], &headers["type"]), (&json!("a\n\"b\""), &json!("buy-error")));
        assert!(!committed.frame(5, Audience::Public)[..].windows(3).any(|part| part == b"a\n\""));
    }

    #[test]
    fn records_of_robot_and_trading_have_the_events_id_as_their_key() {
        let of = |channel| CommittedEvent::new(9, NewEvent { channel, ..event() });
        assert_eq!(of(Channel::Status).record_key(), Uuid::nil());
        assert_eq!(of(Channel::Movement).record_key(), event().event_id);
        assert_eq!(of(Channel::Trades).record_key(), event().event_id);
    }
}
