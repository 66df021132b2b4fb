//! Events on the wire: the envelope that every event has, the channels, and each channel's payload.
//! Existing consumers parse the payloads strictly: a payload has exactly the fields listed here.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

pub use crate::about::{About, EventAbout};
pub use crate::channel::{Channel, EventType, Publisher};
use crate::game::Phase;
use crate::map::{ResourceType, WorldStatus};
use crate::{DepositId, Dialect, GameId, PlanetId, PlayerId, RobotId, RoundId, TransactionId, WorldId};

/// The header of a stream of events that says how many milliseconds it is silent at most: whoever hears nothing for longer than a few
/// of these may take it for dead.
pub const KEEP_ALIVE_MILLIS: &str = "starkeep-keep-alive-millis";

/// An event that a change brings about, ready to be appended to the log.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    pub channel: Channel,
    pub event_type: EventType,
    pub event_id: Uuid,
    pub about: About,
    pub transaction_id: Option<Uuid>,
    /// The transaction as it came, where it is no UUID.
    pub transaction_text: Option<String>,
    pub timestamp: Timestamp,
    /// The published JSON, exactly.
    pub payload: String,
}

impl NewEvent {
    /// Of the channel's own type.
    pub fn new(
        channel: Channel,
        event_id: Uuid,
        about: About,
        transaction_id: Option<Uuid>,
        timestamp: Timestamp,
        payload: &impl Serialize,
    ) -> Self {
        Self {
            channel,
            event_type: channel.event_type(),
            event_id,
            about,
            transaction_id,
            transaction_text: None,
            timestamp,
            payload: starkeep_json_writer::to_string(payload).expect("the contract's types are plain data"),
        }
    }
}

/// The five headers of every event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventHeaders {
    /// The event's own id.
    pub event_id: Uuid,
    /// A UUID, or empty.
    pub transaction_id: String,
    /// Of the payload's form.
    pub version: String,
    /// `yyyy-MM-ddTHH:mm:ssZ`, UTC.
    #[schema(format = DateTime)]
    pub timestamp: String,
    /// What kind of event it is; there is one for each channel, and five for `trades`.
    pub r#type: String,
}

/// An event as a page shows it, and as a stream's `event`, `id` and `data` say it together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublishedEvent {
    /// Its position.
    pub id: String,
    /// Where it was published.
    pub channel: Channel,
    /// What all events say of themselves.
    pub headers: EventHeaders,
    /// What happened, as `/asyncapi.json` describes it for the channel: an object, or an array of prices.
    pub payload: serde_json::Value,
    /// What it is about, beside what its payload says.
    #[serde(default)]
    pub about: EventAbout,
}

/// A page of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "events": [{
        "id": "5eed00000000400080000000000000ff-17-9bd1e2f0", "channel": "status",
        "headers": {
            "eventId": "5eed0000-0000-4000-8000-0000000000ff", "transactionId": "", "version": "1",
            "timestamp": "2026-01-01T12:00:00Z", "type": "game-status",
        },
        "payload": { "gameId": "5eed0000-0000-4000-8000-000000000001", "status": "created" },
        "about": { "gameId": "5eed0000-0000-4000-8000-000000000001" },
    }],
    "next": "5eed00000000400080000000000000ff-17-9bd1e2f0", "gap": null,
})))]
pub struct EventPage {
    /// In the order of the log.
    #[schema(max_items = 1000)]
    pub events: Vec<PublishedEvent>,
    /// The position to go on after.
    pub next: String,
    /// Whether events are missing before these; null if none is.
    #[schema(required)]
    pub gap: Option<Gap>,
}

/// Between what a reader has seen and what it gets next, events may be missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Why.
    pub reason: GapReason,
    /// What comes next begins after this position.
    pub resumes_after: String,
}

/// Why events may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GapReason {
    /// The position is of another log.
    Epoch,
    /// Retention has removed what came after it.
    Expired,
    /// The log has not come so far.
    Ahead,
    /// It is no position at all.
    Unreadable,
}

/// The payload of `status`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameStatusChanged {
    /// The game.
    pub game_id: GameId,
    /// What happened to it.
    pub status: GameStatusWord,
}

/// What happened to the game: the same words in both dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GameStatusWord {
    Created,
    Started,
    Ended,
}

/// The payload of `playerStatus`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerJoined {
    /// The player who joined.
    pub player_id: PlayerId,
    /// The player's name.
    pub name: String,
}

/// The payload of `roundStatus`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundStatusChanged {
    /// The game that the round is of.
    pub game_id: GameId,
    /// The round's id.
    pub round_id: RoundId,
    /// From 1.
    pub round_number: u32,
    /// What happened to it.
    pub round_status: RoundStatusWord,
}

/// What happens to a round, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RoundStatusWord {
    #[serde(rename = "started")]
    Started,
    #[serde(rename = "command input ended")]
    CommandInputEnded,
    #[serde(rename = "ended")]
    Ended,
}

/// The payload of `gameClock`: somebody's hand was on the clock, which now stands like this.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameClockChanged {
    /// The game whose clock it is.
    pub game_id: GameId,
    /// What was done.
    pub change: GameClockChange,
    /// 0 before the first round.
    pub round_number: u32,
    /// Null while the game does not run.
    #[schema(required)]
    pub phase: Option<Phase>,
    /// Milliseconds until the phase ends; null where there is no phase.
    #[schema(required)]
    pub remaining_millis: Option<u64>,
}

/// What can be done to a game's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GameClockChange {
    Paused,
    Resumed,
    Stepped,
    Pace,
}

/// The payload of `gameworld-created`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameworldCreated {
    /// The new gameworld.
    pub id: WorldId,
    /// The planets that are space stations.
    pub spacestation_ids: Vec<PlanetId>,
    /// A new one is active.
    pub status: WorldStatus,
}

/// The payload of `spacestation-created`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SpacestationCreated {
    /// The space station.
    pub planet_id: PlanetId,
}

/// The payload of `resource-mined`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ResourceMined {
    /// Where it was mined.
    pub planet_id: PlanetId,
    /// The deposit that it came from.
    pub resource_id: DepositId,
    /// What was mined.
    pub resource_type: ResourceType,
    /// How much of it.
    #[schema(minimum = 0)]
    pub amount_mined: i64,
    /// What the deposit holds now.
    #[schema(minimum = 0)]
    pub amount_left: i64,
    /// As it came with the mining; null where it did not.
    #[schema(required)]
    pub transaction_id: Option<TransactionId>,
    /// As it came with the mining; null where it did not.
    #[schema(required)]
    pub robot_id: Option<RobotId>,
}

/// The payload of `resource-replenished`; the key of the deposit's id follows the dialect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ResourceReplenished {
    /// In the standard dialect.
    Standard {
        /// Where the deposit lies.
        planet_id: PlanetId,
        /// The deposit.
        resource: DepositId,
        /// What can be mined.
        resource_type: ResourceType,
    },
    /// In the msd dialect.
    Msd {
        /// Where the deposit lies.
        planet_id: PlanetId,
        /// The deposit.
        resource_id: DepositId,
        /// What can be mined.
        resource_type: ResourceType,
    },
}

impl ResourceReplenished {
    pub fn spoken(
        dialect: Dialect,
        planet_id: PlanetId,
        deposit: DepositId,
        resource_type: ResourceType,
    ) -> Self {
        match dialect {
            Dialect::Standard => Self::Standard { planet_id, resource: deposit, resource_type },
            Dialect::Msd => Self::Msd { planet_id, resource_id: deposit, resource_type },
        }
    }
}
