//! Minings: what is asked for and what was taken.
//! The ids in a request come back in the event.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::planet::ResourceType;
use crate::optional_id::uuid_or_empty;
use crate::schema::OptionalId;
use crate::{Bounded, DepositId, MiningId, PlanetId, RobotId, TransactionId, object};

pub type Amount = Bounded<1, 1_000_000_000>;

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
