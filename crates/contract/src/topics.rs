//! The Kafka topics of the robot and trading services. Those of the services here are the channels of events.
//! What of their records is read is in `robot`; their whole payloads are in `robot_events` and `trading_events`.

use crate::robot::{FIGHTING, MINING, MOVEMENT, REGENERATION, ROBOT_DESTROYED, SPAWN_NOTIFICATION};

/// What the robot service sends to.
pub const ROBOT_TOPICS: [&str; 8] = [
    SPAWN_NOTIFICATION,
    "neighbours",
    MOVEMENT,
    MINING,
    REGENERATION,
    FIGHTING,
    ROBOT_DESTROYED,
    "resource-distribution",
];

/// What the trading service sends to.
pub const TRADING_TOPICS: [&str; 4] =
    ["bank-created", "trades", "current-item-prices", "current-resource-prices"];
