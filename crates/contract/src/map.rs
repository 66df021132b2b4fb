//! Requests and answers of the map service, one file for each thing that they are about.
//! Keys are snake_case, as the interface has them.

mod fairness;
mod gameworld;
mod ignored_field;
mod mining;
mod new_planet;
mod planet;
mod replenishment;

pub use self::fairness::{Fairness, StationValue};
pub use self::gameworld::{
    CreateGameworld, Gameworld, GameworldMade, GameworldPatch, NewGameworld, NewWorldStatus, PatchGameworld,
    WorldStatus, WorldStyle,
};
pub use self::ignored_field::IgnoredField;
pub use self::mining::{Amount, CreateMining, Mining, NewMining};
pub use self::new_planet::{AmountLeft, Coordinate, Difficulty, NewPlanet, NewResource};
pub use self::planet::{Direction, Neighbour, PlacedPlanet, Planet, PlanetType, Resource, ResourceType};
pub use self::replenishment::{ReplenishedResource, Replenishment, ReplenishmentMode};
