//! The planets of a gameworld that is made by hand, as its host writes them down.
//! What holds for all of them together is checked by the map's rules.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::mining::Amount;
use super::planet::{PlanetType, ResourceType};
use crate::{Bounded, object};

/// As many as the largest generated world has places for.
pub(super) const MOST_PLANETS: usize = 122_500;

pub type Coordinate = Bounded<0, 999>;
pub type Difficulty = Bounded<1, 20>;
pub type AmountLeft = Bounded<0, 1_000_000_000>;

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
    #[serde(default, deserialize_with = "object::or_null", skip_serializing_if = "Option::is_none")]
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
