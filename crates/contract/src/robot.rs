//! What the robot service publishes and the game service listens to, as far as it is read.
//! Whatever else is in a record is ignored.

use serde::Deserialize;

use crate::{PlayerId, RobotId};

/// Topics of the robot service.
pub const SPAWN_NOTIFICATION: &str = "spawn-notification";
pub const ROBOT_DESTROYED: &str = "robot-destroyed";

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
