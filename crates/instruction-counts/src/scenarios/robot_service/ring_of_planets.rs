//! What stands in for the services beside the robot service: a map of planets in a ring, and a game service that knows nobody.

use futures::future::{BoxFuture, FutureExt as _, ready};
use starkeep_executor::{GameEvent, Games};
use starkeep_robot_core::{Neighbour, Planet, PlanetId, PlayerId};
use starkeep_robot_service::ports::{GameService, Map, MiningAnswer, MiningCall, PlanetFailure};
use uuid::Uuid;

const PLANETS: u64 = 100;

pub(super) struct RingOfPlanets;

/// Around and around.
pub(super) fn planet(number: u64) -> Uuid {
    Uuid::from_u64_pair(5, number % PLANETS)
}

fn neighbour(number: u64, direction: &str) -> Neighbour {
    Neighbour { planet: PlanetId(planet(number)), movement_difficulty: 1, direction: direction.to_owned() }
}

impl Map for RingOfPlanets {
    fn planet(&self, id: PlanetId) -> BoxFuture<'_, Result<Planet, PlanetFailure>> {
        let (_, number) = id.0.as_u64_pair();
        let neighbours = vec![neighbour(number + 1, "east"), neighbour(number + PLANETS - 1, "west")];
        let planet = Planet { id, movement_difficulty: 1, is_station: false, resource: None, neighbours };
        ready(Ok(planet)).boxed()
    }

    fn mine<'a>(&'a self, _: &'a MiningCall) -> BoxFuture<'a, MiningAnswer> {
        ready(MiningAnswer::Mined(0)).boxed()
    }

    fn fault(&self) -> Option<String> {
        None
    }
}

impl GameService for RingOfPlanets {
    fn player_of<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<PlayerId>, String>> {
        ready(Ok(None)).boxed()
    }

    fn missed_events<'a>(&'a self, _: &'a Games) -> BoxFuture<'a, Result<Vec<GameEvent>, String>> {
        ready(Ok(Vec::new())).boxed()
    }
}
