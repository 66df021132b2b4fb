//! The AsyncAPI 3 document of all channels: payload schemas come from the types, examples from values of them.
//! Nothing in it is written twice, so it cannot disagree with what is sent.

use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

mod examples;

use crate::events::{Channel, EventHeaders};
use crate::schema;

/// The whole document, with the channels of every service.
pub fn document(version: &str) -> Value {
    let mut schemas = Map::new();
    collect::<EventHeaders>(&mut schemas);
    let (mut channels, mut operations, mut messages) = (Map::new(), Map::new(), Map::new());
    for channel in Channel::ALL {
        let name = channel.name();
        let ChannelPayload { schema, example, when } = examples::payload_of(channel, &mut schemas);
        channels.insert(
            name.to_owned(),
            json!({
                "address": name,
                "description": when,
                "messages": { name: { "$ref": format!("#/components/messages/{name}") } },
            }),
        );
        operations.insert(
            format!("tell-{name}"),
            json!({ "action": "send", "channel": { "$ref": format!("#/channels/{name}") } }),
        );
        messages.insert(
            name.to_owned(),
            json!({
                "name": name,
                "title": when,
                "contentType": "application/json",
                "headers": { "$ref": "#/components/schemas/EventHeaders" },
                "payload": schema,
                "examples": [{ "headers": headers(channel), "payload": example }],
            }),
        );
    }
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "Starkeep events",
            "version": version,
            "description": "What the services tell. Read them over plain HTTP at `GET /events` of each \
                            service. A payload has exactly the fields listed here.",
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": { "messages": messages, "schemas": schemas },
    })
}

/// A channel's payload: its schema, a value of it, and when it is published.
struct ChannelPayload {
    schema: Value,
    example: Value,
    when: &'static str,
}

/// An object, described by its type.
fn telling<T: ToSchema + serde::Serialize>(
    when: &'static str,
    example: &T,
    schemas: &mut Map<String, Value>,
) -> ChannelPayload {
    collect::<T>(schemas);
    let schema = json!({ "$ref": format!("#/components/schemas/{}", T::name()) });
    ChannelPayload { schema, example: plain(example), when }
}

/// An array of objects, described by their type.
fn telling_all<T: ToSchema + serde::Serialize>(
    when: &'static str,
    example: &[T],
    schemas: &mut Map<String, Value>,
) -> ChannelPayload {
    let ChannelPayload { schema, .. } = telling(when, &example[0], schemas);
    ChannelPayload { schema: json!({ "type": "array", "items": schema }), example: plain(&example), when }
}

/// The type's schema and all that it refers to.
fn collect<T: ToSchema>(schemas: &mut Map<String, Value>) {
    let mut found: Vec<(String, RefOr<Schema>)> =
        vec![(T::name().into_owned(), <T as PartialSchema>::schema())];
    T::schemas(&mut found);
    schemas.extend(found.into_iter().map(|(name, mut schema)| {
        schema::simplify(&mut schema);
        (name, plain(&schema))
    }));
}

fn headers(channel: Channel) -> Value {
    plain(&EventHeaders {
        event_id: Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_00ff),
        transaction_id: String::new(),
        version: "1".to_owned(),
        timestamp: "2026-01-01T12:00:00Z".to_owned(),
        r#type: channel.event_type().name().to_owned(),
    })
}

fn plain(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("the contract's types are plain data")
}
