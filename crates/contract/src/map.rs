//! Requests and answers of the map service.
//! Keys are snake_case, as the interface has them; a planet never carries its coordinates (bots explore).

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::game::{Players, RoundsOfAnyGame, Seed, Style};
use crate::{Bounded, DepositId, MiningId, PlanetId, RobotId, TransactionId, WorldId, object};

pub type Amount = Bounded<1, 1_000_000_000>;

/// `POST /gameworlds`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CreateGameworld {
    #[serde(deserialize_with = "object::only")]
    pub gameworld: NewGameworld,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NewGameworld {
    /// Decides the size of the world.
    #[schema(inline, example = 4)]
    pub player_amount: Players,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub round_amount: Option<RoundsOfAnyGame>,
    /// The same seed gives the same world, with other ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub seed: Option<Seed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// The id that the world shall have, chosen by the caller so that it can withdraw a world whose answer it never got.
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    pub id: Option<WorldId>,
}

/// A gameworld.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Gameworld {
    pub id: WorldId,
    /// `active` or `inactive`.
    pub status: WorldStatus,
    pub spacestation_ids: Vec<PlanetId>,
    pub player_amount: u32,
    pub round_amount: Option<u32>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorldStatus {
    Active,
    Inactive,
}

/// `PATCH /gameworlds/{id}`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PatchGameworld {
    #[serde(deserialize_with = "object::only")]
    pub gameworld: GameworldPatch,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameworldPatch {
    pub status: NewWorldStatus,
}

/// A world is never made active again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NewWorldStatus {
    Inactive,
}

/// A planet, as anybody sees it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Planet {
    pub id: PlanetId,
    pub movement_difficulty: u8,
    pub recharge_multiplicator: u8,
    pub gameworld_id: WorldId,
    pub planet_type: PlanetType,
    pub neighbours: Vec<Neighbour>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Null: the planet holds no deposit.
    pub resource: Option<Resource>,
}

/// A planet with its place, for the host.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlacedPlanet {
    /// Grows to the east.
    pub x: u16,
    /// Grows to the north.
    pub y: u16,
    #[serde(flatten)]
    pub planet: Planet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanetType {
    Default,
    Spacestation,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Neighbour {
    pub planet_id: PlanetId,
    /// The neighbour's own.
    pub movement_difficulty: u8,
    pub direction: Direction,
}

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
pub struct Resource {
    pub id: DepositId,
    pub planet_id: PlanetId,
    pub max_amount: i64,
    pub current_amount: i64,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    pub resource_type: ResourceType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResourceType {
    Coal,
    Iron,
    Gem,
    Gold,
    Platin,
}

/// `POST /planets/{planet_id}/minings`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CreateMining {
    #[serde(deserialize_with = "object::only")]
    pub mining: NewMining,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NewMining {
    #[schema(inline, example = 10)]
    pub amount_requested: Amount,
    /// Links the mining to a player's command; it comes back in the event.
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    pub transaction_id: Option<TransactionId>,
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    pub robot_id: Option<RobotId>,
}

/// What a mining took.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Mining {
    pub id: MiningId,
    pub planet_id: PlanetId,
    pub resource_id: DepositId,
    pub resource_type: ResourceType,
    pub amount_requested: i64,
    /// The smaller of what was asked for and what was left.
    pub amount_mined: i64,
    pub amount_left: i64,
    pub transaction_id: Option<TransactionId>,
    pub robot_id: Option<RobotId>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// Existing clients write `""` where they mean "none".
fn uuid_or_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromUuid,
{
    let text = Option::<std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
    match text.as_deref() {
        None | Some("") => Ok(None),
        Some(text) => Uuid::parse_str(text)
            .map(|uuid| Some(T::from_uuid(uuid)))
            .map_err(|_| serde::de::Error::custom(format!("`{}` is not a UUID", text.escape_debug()))),
    }
}

trait FromUuid {
    fn from_uuid(uuid: Uuid) -> Self;
}

macro_rules! from_uuid {
    ($($id:ident),+) => {$(
        impl FromUuid for $id {
            fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }
    )+};
}
from_uuid!(WorldId, TransactionId, RobotId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_or_absent_uuid_means_none() {
        for body in [
            r#"{"amount_requested":5}"#,
            r#"{"amount_requested":5,"transaction_id":""}"#,
            r#"{"amount_requested":5,"transaction_id":null,"spare":1}"#,
        ] {
            let mining: NewMining = serde_json::from_str(body).unwrap();
            assert_eq!(mining.transaction_id, None, "{body}");
        }
        let refusal =
            serde_json::from_str::<NewMining>(r#"{"amount_requested":5,"robot_id":"r2"}"#).unwrap_err();
        assert!(refusal.to_string().contains("`r2` is not a UUID"), "{refusal}");
    }
}
