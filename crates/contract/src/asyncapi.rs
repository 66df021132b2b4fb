//! The AsyncAPI 3 document of all channels: payload schemas come from the types, examples from values of them.
//! Nothing in it is written twice, so it cannot disagree with what is sent.

use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use crate::events::{
    Channel, EventHeaders, GameClockChange, GameClockChanged, GameStatusChanged, GameStatusWord,
    GameworldCreated, PlayerJoined, ResourceMined, ResourceReplenished, RoundStatusChanged, RoundStatusWord,
    SpacestationCreated,
};
use crate::game::Phase;
use crate::map::{ResourceType, WorldStatus};
use crate::{
    DepositId, Dialect, GameId, PlanetId, PlayerId, RobotId, RoundId, TransactionId, WorldId, schema,
};

/// The whole document, with the channels of every service.
pub fn document(version: &str) -> Value {
    let mut schemas = Map::new();
    collect::<EventHeaders>(&mut schemas);
    let (mut channels, mut operations, mut messages) = (Map::new(), Map::new(), Map::new());
    for channel in Channel::ALL {
        let name = channel.name();
        let ChannelPayload { schema, example, when } = payload_of(channel, &mut schemas);
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
            "description": "What the game service and the map service tell. Read them over plain HTTP at `GET /events` of each \
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

fn payload_of(channel: Channel, schemas: &mut Map<String, Value>) -> ChannelPayload {
    let id = |number: u128| Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0000 | number);
    let (game_id, planet_id, resource_id) = (GameId(id(1)), PlanetId(id(2)), DepositId(id(3)));
    let resource_type = ResourceType::Coal;
    match channel {
        Channel::Status => telling(
            "A game was created, started or ended.",
            &GameStatusChanged { game_id, status: GameStatusWord::Created },
            schemas,
        ),
        Channel::PlayerStatus => telling(
            "A player joined a game.",
            &PlayerJoined { player_id: PlayerId(id(4)), name: "ada".to_owned() },
            schemas,
        ),
        Channel::RoundStatus => telling(
            "A round started, its command input ended, or it ended.",
            &RoundStatusChanged {
                game_id,
                round_id: RoundId(id(5)),
                round_number: 1,
                round_status: RoundStatusWord::CommandInputEnded,
            },
            schemas,
        ),
        Channel::GameClock => telling(
            "A game was paused, resumed, stepped, or given another pace.",
            &GameClockChanged {
                game_id,
                change: GameClockChange::Paused,
                round_number: 1,
                phase: Some(Phase::Collection),
                remaining_millis: Some(30_000),
            },
            schemas,
        ),
        Channel::GameworldCreated => telling(
            "A gameworld was created.",
            &GameworldCreated {
                id: WorldId(id(6)),
                spacestation_ids: vec![planet_id],
                status: WorldStatus::Active,
            },
            schemas,
        ),
        Channel::SpacestationCreated => {
            telling("A planet is a space station.", &SpacestationCreated { planet_id }, schemas)
        }
        Channel::ResourceMined => telling(
            "Something was mined.",
            &ResourceMined {
                planet_id,
                resource_id,
                resource_type,
                amount_mined: 25,
                amount_left: 9975,
                transaction_id: Some(TransactionId(id(7))),
                robot_id: Some(RobotId(id(8))),
            },
            schemas,
        ),
        Channel::ResourceReplenished => telling(
            "A deposit was filled up, or a new one appeared.",
            &ResourceReplenished::spoken(Dialect::Standard, planet_id, resource_id, resource_type),
            schemas,
        ),
    }
}

fn telling<T: ToSchema + serde::Serialize>(
    when: &'static str,
    example: &T,
    schemas: &mut Map<String, Value>,
) -> ChannelPayload {
    collect::<T>(schemas);
    let schema = json!({ "$ref": format!("#/components/schemas/{}", T::name()) });
    ChannelPayload { schema, example: plain(example), when }
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
        r#type: channel.event_type().to_owned(),
    })
}

fn plain(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("the contract's types are plain data")
}
