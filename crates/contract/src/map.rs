//! Requests and answers of the map service.
//! Keys are snake_case, as the interface has them; a planet never carries its coordinates (bots explore).

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::game::{Players, RoundsOfAnyGame, Seed, Style};
use crate::schema::OptionalId;
use crate::{Bounded, DepositId, MiningId, Nonce, PlanetId, RobotId, TransactionId, WorldId, object};

pub type Amount = Bounded<1, 1_000_000_000>;

/// `POST /gameworlds`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "gameworld": { "player_amount": 4, "round_amount": 20, "seed": 7, "style": "balanced" } })))]
pub struct CreateGameworld {
    /// The gameworld to be made.
    #[serde(deserialize_with = "object::only")]
    pub gameworld: NewGameworld,
}

/// A gameworld to be made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NewGameworld {
    /// Decides the size of the world.
    #[schema(inline)]
    pub player_amount: Players,
    /// How many rounds are to be played in it; kept and shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub round_amount: Option<RoundsOfAnyGame>,
    /// The same seed gives the same world, with other ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub seed: Option<Seed>,
    /// Hides the seed in `seed_commitment` until the world is inactive; drawn if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub nonce: Option<Nonce>,
    /// How it is laid out; `balanced` if absent. Not together with `planets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// When its deposits are replenished; `automatic` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replenishment: Option<ReplenishmentMode>,
    /// A world made by hand instead of a generated one, in the form of `GET /gameworlds/{id}/planets`. Its planets get new
    /// ids; who is whose neighbour follows from the coordinates. Its deposits stay where they are and refill in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 122_500)]
    pub planets: Option<Vec<NewPlanet>>,
    /// The id that the world shall have, chosen by the caller so that it can withdraw a world whose answer it never got.
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = OptionalId)]
    pub id: Option<WorldId>,
}

/// A planet of a gameworld that is made by hand. Further fields of `GET /gameworlds/{id}/planets` are ignored.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NewPlanet {
    /// Grows to the east.
    #[schema(inline)]
    pub x: Coordinate,
    /// Grows to the north.
    #[schema(inline)]
    pub y: Coordinate,
    /// What it costs to move here.
    #[schema(inline)]
    pub movement_difficulty: Difficulty,
    /// Whether it is a space station. At least one planet is.
    pub planet_type: PlanetType,
    /// Its deposit; a space station holds none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<NewResource>,
}

/// A deposit of a gameworld that is made by hand.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NewResource {
    /// What can be mined.
    pub resource_type: ResourceType,
    /// What it holds when it is full; 10000 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub max_amount: Option<Amount>,
    /// What it holds at first; `max_amount` if absent, and never more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub current_amount: Option<AmountLeft>,
}

pub type Coordinate = Bounded<0, 999>;
pub type Difficulty = Bounded<1, 20>;
pub type AmountLeft = Bounded<0, 1_000_000_000>;

/// When the deposits of a gameworld are replenished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplenishmentMode {
    /// By the map service's clock, as often as it is set to.
    Automatic,
    /// By `POST /gameworlds/{id}/replenishments` only.
    OnRequest,
}

/// A gameworld.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "id": "5eed0000-0000-4000-8000-000000000006", "status": "active",
    "spacestation_ids": ["5eed0000-0000-4000-8000-000000000002"], "player_amount": 4, "round_amount": 20,
    "style": "balanced", "generator_version": 2, "replenishment": "automatic",
    "seed_commitment": "2c624232cdd221771294dfbb310aca000a0df6ac8b66b696d90ef06fdefb64a3",
    "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z",
})))]
pub struct Gameworld {
    /// The gameworld's id.
    pub id: WorldId,
    /// Whether it is played in.
    pub status: WorldStatus,
    /// The planets that are space stations.
    pub spacestation_ids: Vec<PlanetId>,
    /// As it was asked for.
    #[schema(minimum = 1, maximum = 10_000)]
    pub player_amount: u32,
    /// As it was asked for; null where nobody did.
    #[schema(maximum = 1_000_000, required)]
    pub round_amount: Option<u32>,
    /// How it was laid out.
    pub style: WorldStyle,
    /// The version of the generator that made it; null of a world that was made by hand.
    #[schema(required)]
    pub generator_version: Option<u32>,
    /// When its deposits are replenished.
    pub replenishment: ReplenishmentMode,
    /// SHA-256 of `<nonce>:<seed>` in lower-case hexadecimal digits; null of worlds of versions without it.
    #[schema(required)]
    pub seed_commitment: Option<String>,
    /// Once it is inactive: with the seed it gives the commitment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub nonce: Option<Nonce>,
    /// Once it is inactive: what it was generated from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false)]
    pub seed: Option<u64>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// A gameworld that is played in is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorldStatus {
    Active,
    Inactive,
}

/// How a gameworld was laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorldStyle {
    Balanced,
    Symmetric,
    Wild,
    /// Made by hand.
    Custom,
}

/// How even the starts of a gameworld were when it was made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "generator_version": 2, "style": "balanced", "connected": true, "least_distance": 5,
    "stations": [{ "planet_id": "5eed0000-0000-4000-8000-000000000002", "value": 6.25 }],
    "ratio_before": 2.5, "ratio": 1.2,
    "seed_commitment": "2c624232cdd221771294dfbb310aca000a0df6ac8b66b696d90ef06fdefb64a3",
})))]
pub struct Fairness {
    /// The version of the generator that made it; null of a world that was made by hand.
    #[schema(required)]
    pub generator_version: Option<u32>,
    /// How it was laid out.
    pub style: WorldStyle,
    /// Whether every planet can be reached from every other.
    pub connected: bool,
    /// The fewest moves between two space stations; null if there is only one.
    #[schema(required)]
    pub least_distance: Option<u32>,
    /// Each space station with its value.
    pub stations: Vec<StationValue>,
    /// The best value divided by the worst, before deposits were moved; null if the worst was 0.
    #[schema(required)]
    pub ratio_before: Option<f64>,
    /// The best value divided by the worst; null if the worst is 0.
    #[schema(required)]
    pub ratio: Option<f64>,
    /// As the gameworld has it.
    #[schema(required)]
    pub seed_commitment: Option<String>,
}

/// What a start is worth.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StationValue {
    /// The space station.
    pub planet_id: PlanetId,
    /// The sum of weight / (1 + distance) over the deposits in reach: a distance of at most 20, or 6 in worlds for more than
    /// 99 players. A distance is the least sum of the `movement_difficulty` of the planets entered; the weights are coal 1,
    /// iron 2, gem 4, gold 8, platin 16.
    pub value: f64,
}

/// Answer to `POST /gameworlds/{id}/replenishments`: one element for each deposit, in the order in which it happened.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "gameworld_id": "5eed0000-0000-4000-8000-000000000006",
    "replenished": [{
        "planet_id": "5eed0000-0000-4000-8000-000000000002", "resource_id": "5eed0000-0000-4000-8000-000000000003",
        "resource_type": "coal", "amount": 10_000, "replaced_resource_id": null,
    }],
})))]
pub struct Replenishment {
    /// The gameworld.
    pub gameworld_id: WorldId,
    /// What was replenished.
    pub replenished: Vec<ReplenishedResource>,
}

/// A deposit that was filled up, or that replaces an exhausted one.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReplenishedResource {
    /// Where it lies now.
    pub planet_id: PlanetId,
    /// The deposit.
    pub resource_id: DepositId,
    /// What can be mined.
    pub resource_type: ResourceType,
    /// How much was added.
    #[schema(minimum = 0)]
    pub amount: i64,
    /// The exhausted deposit that it replaces; null if it was filled up.
    #[schema(required)]
    pub replaced_resource_id: Option<DepositId>,
}

/// `PATCH /gameworlds/{id}`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "gameworld": { "status": "inactive" } })))]
pub struct PatchGameworld {
    /// The change.
    #[serde(deserialize_with = "object::only")]
    pub gameworld: GameworldPatch,
}

/// What can be changed of a gameworld.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameworldPatch {
    /// The only change there is.
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

/// `POST /planets/{planet_id}/minings`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "mining": { "amount_requested": 10, "transaction_id": "5eed0000-0000-4000-8000-000000000007" },
})))]
pub struct CreateMining {
    /// What is asked for.
    #[serde(deserialize_with = "object::only")]
    pub mining: NewMining,
}

/// A mining to be done.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NewMining {
    /// As much is mined, if as much is left.
    #[schema(inline)]
    pub amount_requested: Amount,
    /// Links the mining to a player's command; it comes back in the event.
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = OptionalId)]
    pub transaction_id: Option<TransactionId>,
    /// The robot that mines; it comes back in the event.
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = OptionalId)]
    pub robot_id: Option<RobotId>,
}

/// What a mining took.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "id": "5eed0000-0000-4000-8000-00000000000c", "planet_id": "5eed0000-0000-4000-8000-000000000002",
    "resource_id": "5eed0000-0000-4000-8000-000000000003", "resource_type": "coal", "amount_requested": 10,
    "amount_mined": 10, "amount_left": 9990, "transaction_id": "5eed0000-0000-4000-8000-000000000007", "robot_id": null,
    "created_at": "2026-01-01T12:10:00Z",
})))]
pub struct Mining {
    /// The mining's id.
    pub id: MiningId,
    /// Where it was mined.
    pub planet_id: PlanetId,
    /// The deposit that it came from.
    pub resource_id: DepositId,
    /// What was mined.
    pub resource_type: ResourceType,
    /// What was asked for.
    #[schema(minimum = 1, maximum = 1_000_000_000)]
    pub amount_requested: i64,
    /// The smaller of what was asked for and what was left.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub amount_mined: i64,
    /// What the deposit holds now.
    #[schema(minimum = 0)]
    pub amount_left: i64,
    /// As it was sent; null where it was not.
    #[schema(required)]
    pub transaction_id: Option<TransactionId>,
    /// As it was sent; null where it was not.
    #[schema(required)]
    pub robot_id: Option<RobotId>,
    /// When it was mined.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// Existing clients write `""` where they mean "none".
pub(crate) fn uuid_or_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
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

pub(crate) trait FromUuid {
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
