//! Payloads of the robot service's events. Existing consumers parse them strictly: a payload has exactly these fields.
//! The `type` of each event is the name of its channel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{PlanetId, PlayerId, RobotId};

/// The payload of `spawn-notification`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotSpawnedEvent {
    /// The new robot.
    pub robot_id: RobotId,
    /// Whose robot it is.
    pub player_id: PlayerId,
    /// The other robots on its planet at that moment.
    pub other_seeable_robots: Vec<RobotId>,
}

/// The payload of `neighbours`: what a robot that was spawned or has moved sees around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NeighboursEvent {
    /// The planets that it can move to.
    pub neighbours: Vec<SeenNeighbour>,
}

/// A planet that a robot can move to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenNeighbour {
    /// The planet.
    pub planet_id: PlanetId,
    /// What it costs to move there.
    pub movement_difficulty: u32,
    /// Where it lies: `north`, `east`, `south` or `west`.
    pub direction: String,
}

/// The payload of `movement`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovementEvent {
    /// Whether the robot has moved.
    pub success: bool,
    /// A sentence for a person.
    pub message: String,
    /// The robot's; null where there is no such robot.
    #[schema(required)]
    pub remaining_energy: Option<u32>,
    /// Where it arrived; null if it did not.
    #[schema(required)]
    pub planet: Option<ReachedPlanet>,
    /// All robots on the planet after the whole batch, itself included; none if it did not arrive.
    pub robots: Vec<RobotId>,
}

/// A planet that a robot has reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReachedPlanet {
    /// The planet.
    pub planet_id: PlanetId,
    /// What the move cost.
    pub movement_difficulty: u32,
    /// `DEFAULT`, or the word for a space station (`--station-word`).
    pub planet_type: String,
    /// What can be mined there; null where there is nothing.
    #[schema(required)]
    pub resource_type: Option<String>,
}

/// The payload of `mining`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MiningEvent {
    /// Whether the robot has mined, be it nothing.
    pub success: bool,
    /// A sentence for a person.
    pub message: String,
    /// The robot's; null where there is no such robot.
    #[schema(required)]
    pub remaining_energy: Option<u32>,
    /// How much of the resource the robot holds now; 0 for a failure.
    pub updated_inventory: u64,
    /// What can be mined there; `none` where there is nothing.
    pub resource_type: String,
}

/// The payload of `regeneration`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegenerationEvent {
    /// Whether the robot has regenerated.
    pub success: bool,
    /// A sentence for a person.
    pub message: String,
    /// The robot's; null where there is no such robot.
    #[schema(required)]
    pub remaining_energy: Option<u32>,
}

/// The payload of `fighting`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FightingEvent {
    /// Whether the attack struck.
    pub success: bool,
    /// A sentence for a person.
    pub message: String,
    /// Null where there is no such robot.
    #[schema(required)]
    pub attacker: Option<RobotId>,
    /// Null where there is no such robot.
    #[schema(required)]
    pub defender: Option<RobotId>,
    /// 0 or less where the robot will be destroyed; null where there is no such robot.
    #[schema(required)]
    pub remaining_defender_health: Option<i64>,
    /// The attacker's; null where there is no such robot.
    #[schema(required)]
    pub remaining_energy: Option<u32>,
}

/// The payload of `robot-destroyed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotDestroyedEvent {
    /// The robot that is no more.
    pub robot_id: RobotId,
    /// Whose robot it was.
    pub player_id: PlayerId,
}

/// The payload of `resource-distribution`: what a robot holds after it has got its share of what destroyed ones held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceDistributionEvent {
    /// The robot.
    pub robot_id: RobotId,
    /// Coal that it holds.
    pub coal: u64,
    /// Iron that it holds.
    pub iron: u64,
    /// Gems that it holds.
    pub gem: u64,
    /// Gold that it holds.
    pub gold: u64,
    /// Platin that it holds.
    pub platin: u64,
}
