//! A planet as the map service tells of it, as far as the rules of robots need it, and why it may be unknown.
//! Whoever asks the map does so before the rules are applied.

use starkeep_core_types::{PlanetId, ResourceKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planet {
    pub id: PlanetId,
    /// What it costs to move here.
    pub movement_difficulty: u32,
    pub is_station: bool,
    pub resource: Option<ResourceKind>,
    pub neighbours: Vec<Neighbour>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub planet: PlanetId,
    pub movement_difficulty: u32,
    /// As the map writes it.
    pub direction: String,
}

impl Planet {
    pub fn borders_on(&self, other: PlanetId) -> bool {
        self.neighbours.iter().any(|neighbour| neighbour.planet == other)
    }
}

/// Why nothing is known of a planet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanetFault {
    /// The map knows no such planet.
    Unknown,
    /// The map answered, but not with a planet.
    BadAnswer,
    /// The map did not answer in time.
    NoAnswer,
}
