//! The certificate of a gameworld: how even its starts were when it was made.
//! Anybody can compute it again from the seed once that is shown.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::gameworld::WorldStyle;
use crate::PlanetId;

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
