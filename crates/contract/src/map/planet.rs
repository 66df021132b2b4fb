//! Planets and their deposits as they are shown.
//! A planet carries its coordinates only in the list of its whole gameworld: bots explore.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{DepositId, PlanetId, WorldId};

/// A planet, as anybody sees it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "id": "5eed0000-0000-4000-8000-000000000002", "movement_difficulty": 1, "recharge_multiplicator": 2,
    "gameworld_id": "5eed0000-0000-4000-8000-000000000006", "planet_type": "default",
    "neighbours": [
        { "planet_id": "5eed0000-0000-4000-8000-00000000000b", "movement_difficulty": 2, "direction": "north" },
    ],
    "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z", "resource": null,
})))]
pub struct Planet {
    /// The planet's id.
    pub id: PlanetId,
    /// What it costs to move here.
    pub movement_difficulty: u8,
    /// How well robots recharge here.
    pub recharge_multiplicator: u8,
    /// The gameworld that it is part of.
    pub gameworld_id: WorldId,
    /// Whether it is a space station.
    pub planet_type: PlanetType,
    /// In the order north, east, south, west; at the edge of the world there are fewer.
    #[schema(max_items = 4)]
    pub neighbours: Vec<Neighbour>,
    /// When its gameworld was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Its deposit. Null: the planet holds none.
    #[schema(required)]
    pub resource: Option<Resource>,
}

/// A planet with its place, for the host.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "x": 3, "y": 5, "id": "5eed0000-0000-4000-8000-000000000002", "movement_difficulty": 1, "recharge_multiplicator": 2,
    "gameworld_id": "5eed0000-0000-4000-8000-000000000006", "planet_type": "spacestation", "neighbours": [],
    "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z", "resource": null,
})))]
pub struct PlacedPlanet {
    /// Grows to the east.
    pub x: u16,
    /// Grows to the north.
    pub y: u16,
    #[serde(flatten)]
    pub planet: Planet,
}

/// Space stations are where robots are bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanetType {
    Default,
    Spacestation,
}

/// A planet next to another.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Neighbour {
    /// The neighbour.
    pub planet_id: PlanetId,
    /// The neighbour's own.
    pub movement_difficulty: u8,
    /// Where it lies.
    pub direction: Direction,
}

/// Where a neighbour lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    North,
    East,
    South,
    West,
}

/// The deposit of a planet.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "id": "5eed0000-0000-4000-8000-000000000003", "planet_id": "5eed0000-0000-4000-8000-000000000002",
    "max_amount": 10_000, "current_amount": 9975, "created_at": "2026-01-01T12:00:00Z",
    "updated_at": "2026-01-01T12:10:00Z", "resource_type": "coal",
})))]
pub struct Resource {
    /// The deposit's id.
    pub id: DepositId,
    /// Where it lies.
    pub planet_id: PlanetId,
    /// What it holds when it is full.
    #[schema(minimum = 0)]
    pub max_amount: i64,
    /// What it holds now.
    #[schema(minimum = 0)]
    pub current_amount: i64,
    /// When it appeared.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When something was last mined or filled up.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// What can be mined.
    pub resource_type: ResourceType,
}

/// What can be mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResourceType {
    Coal,
    Iron,
    Gem,
    Gold,
    Platin,
}
