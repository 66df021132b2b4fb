//! A gameworld that is asked for, as far as it is looked at here. Everything else in the request is passed over, however deep it is: as
//! the map service does it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// To generate a large world takes seconds, and has nothing to do with reading.
const LARGEST_GENERATED: u64 = 8;

#[derive(Deserialize)]
pub(crate) struct GivenWorld {
    #[serde(default)]
    pub(crate) player_amount: Value,
    pub(crate) planets: Option<Vec<GivenPlanet>>,
}

#[derive(Deserialize, Serialize)]
pub(crate) struct GivenPlanet {
    x: Value,
    y: Value,
    movement_difficulty: Value,
    planet_type: Value,
    resource: Option<GivenResource>,
}

#[derive(Deserialize, Serialize)]
struct GivenResource {
    resource_type: Value,
    #[serde(default)]
    max_amount: Value,
    #[serde(default)]
    current_amount: Value,
}

#[derive(Deserialize)]
struct Request {
    gameworld: GivenWorld,
}

impl GivenWorld {
    /// None where the body is no such request.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok().map(|Request { gameworld }| gameworld)
    }

    pub(crate) fn takes_long(&self) -> bool {
        self.planets.is_none()
            && self.player_amount.as_u64().is_some_and(|players| players > LARGEST_GENERATED)
    }

    /// As JSON, with the fields of a planet that is shown.
    pub(crate) fn planets(&self) -> Option<Vec<Value>> {
        let json = |planet: &GivenPlanet| serde_json::to_value(planet).expect("a planet is plain data");
        self.planets.as_ref().map(|planets| planets.iter().map(json).collect())
    }
}
