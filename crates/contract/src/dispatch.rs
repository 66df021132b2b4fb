//! How a round's commands go to the services that carry them out; both exist, and parse exactly this.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{PlayerId, RobotId, TransactionId};

/// `POST /commands` of the trading service takes an array of these; all of them buy, or all of them sell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TradeCommand {
    pub transaction_id: TransactionId,
    pub player_id: PlayerId,
    pub payload: Trade,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trade {
    pub command_type: TradeType,
    pub robot_id: Option<RobotId>,
    /// A purchase needs a number, also where it means nothing.
    pub amount: Option<u32>,
    pub planet_id: Option<String>,
    pub item_name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TradeType {
    Buy,
    Sell,
}

/// `POST /commands` of the robot service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "commands": ["mine 5eed0000-0000-4000-8000-000000000008 5eed0000-0000-4000-8000-000000000009"],
})))]
pub struct RobotCommands {
    /// Each is a verb and its ids, and all have the same verb.
    pub commands: Vec<String>,
}
