//! How the game service hears of robots: what the robot service publishes, as far as it is read, and requests over HTTP.
//! Whatever else is in a record is ignored: these types are for robot services of others, `robot_events` for our own.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{PlayerId, RobotId};

/// Topics of the robot service.
pub const SPAWN_NOTIFICATION: &str = "spawn-notification";
pub const ROBOT_DESTROYED: &str = "robot-destroyed";
/// These have one record for every command that was carried out, also for one that failed.
pub const MOVEMENT: &str = "movement";
pub const FIGHTING: &str = "fighting";
pub const MINING: &str = "mining";
pub const REGENERATION: &str = "regeneration";
/// The trading service's topic of this kind.
pub const TRADES: &str = "trades";
pub const BANK_CREATED: &str = "bank-created";

/// The header that names the command which a record is the result of.
pub const TRANSACTION_ID: &str = "transactionId";

/// A record of `spawn-notification`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpawnNotification {
    pub robot_id: RobotId,
    pub player_id: PlayerId,
}

/// A record of `robot-destroyed`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RobotDestroyed {
    pub robot_id: RobotId,
}

/// Answer of the robot service to `GET /robots/{robotId}`.
#[derive(Clone, Debug, Deserialize)]
pub struct RobotOfService {
    /// Compared with what was asked for, if it is there.
    pub id: Option<RobotId>,
    pub player: PlayerId,
    #[serde(default = "is_alive")]
    pub alive: bool,
}

/// A robot service shows only living robots, whether or not it says so.
fn is_alive() -> bool {
    true
}

/// `PUT /robots/{robotId}`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "playerId": "5eed0000-0000-4000-8000-000000000004" })))]
pub struct RobotSpawned {
    /// Whose robot it is.
    pub player_id: PlayerId,
}

/// Answer to `PUT /robots/{robotId}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "robotId": "5eed0000-0000-4000-8000-000000000008", "playerId": "5eed0000-0000-4000-8000-000000000004", "alive": true,
})))]
pub struct KnownRobot {
    /// The robot.
    pub robot_id: RobotId,
    /// Whose robot it is.
    pub player_id: PlayerId,
    /// One that was destroyed stays so.
    pub alive: bool,
}
