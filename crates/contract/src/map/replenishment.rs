//! When the deposits of a gameworld are replenished, and what a replenishment on request did.
//! The automatic ones are told by events only.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::planet::ResourceType;
use crate::{DepositId, PlanetId, WorldId};

/// When the deposits of a gameworld are replenished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplenishmentMode {
    /// By the map service's clock, as often as it is set to.
    Automatic,
    /// By `POST /gameworlds/{id}/replenishments` only.
    OnRequest,
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
