//! A game as one file: the lines of `GET /games/{gameId}/replay`, the first one and all others.
//! Each line is a JSON object.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::PlayerId;
use crate::events::{PublishedEvent, Publisher};
use crate::game::Game;
use crate::map::{Gameworld, PlacedPlanet};

/// What the first line says it is.
pub const FORMAT: &str = "starkeep-replay";
pub const VERSION: u32 = 1;

/// The first line: the game, and the gameworld as it was made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReplayHeader {
    /// `starkeep-replay`.
    pub format: String,
    /// Of the form of all lines; 1.
    pub version: u32,
    /// The game, as it was when the replay was asked for.
    pub game: Game,
    /// Those who joined, in the order in which they did.
    pub players: Vec<ReplayPlayer>,
    /// The gameworld; null where there is none.
    #[schema(required)]
    pub gameworld: Option<Gameworld>,
    /// Its planets with their deposits as it was made.
    pub planets: Vec<PlacedPlanet>,
}

/// A player's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayPlayer {
    /// The player.
    pub player_id: PlayerId,
    /// The player's name.
    pub name: String,
}

/// Every other line: an event. They are ordered by round, and within a round those of a service as in its log. An event without a
/// round belongs to that of the one before it in its service's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReplayEvent {
    /// Whose event it is.
    pub service: Publisher,
    /// The event, as a page of `GET /events` shows it to the host.
    #[serde(flatten)]
    pub event: PublishedEvent,
}
