//! The four services, each with something in it that requests can be about, beside others that answer at once.

pub(crate) mod game;
mod game_fakes;
pub(crate) mod map;
pub(crate) mod robot;
pub(crate) mod trading;
mod trading_fakes;

use serde_json::Value;
use starkeep_contract::events::{Channel, EventAbout, EventHeaders, PublishedEvent};
use starkeep_http_client::Item;
use uuid::Uuid;

/// Of the stream of another service.
fn event(channel: Channel, position: &str, transaction: Option<Uuid>, payload: Value) -> Item {
    let headers = EventHeaders {
        event_id: Uuid::nil(),
        transaction_id: transaction.map(|id| id.to_string()).unwrap_or_default(),
        version: "1".to_owned(),
        timestamp: "2026-01-01T00:00:00Z".to_owned(),
        r#type: channel.event_type().name().to_owned(),
    };
    let about = EventAbout::default();
    Item::Event(PublishedEvent { id: position.to_owned(), channel, headers, payload, about })
}

/// The field of an answer.
fn text(answer: &Value, field: &str) -> String {
    answer[field].as_str().unwrap_or_else(|| panic!("no {field} in {answer}")).to_owned()
}
