//! A small world for the tests of this crate: numbered planets, robots and players.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;

use starkeep_robot_core::{
    CommandId, Fleet, Neighbour, Planet, PlanetFault, PlanetId, PlayerId, ResourceKind, Robot, RobotId,
};
use uuid::Uuid;

pub(crate) struct World {
    pub(crate) planets: BTreeMap<PlanetId, Planet>,
    pub(crate) fleet: Fleet,
    spawned: u64,
}

impl World {
    /// Number, difficulty, resource and neighbours of each planet.
    pub(crate) fn new(planets: &[(u128, u32, Option<ResourceKind>, &[u128])]) -> Self {
        let neighbour = |number: &u128| Neighbour {
            planet: planet(*number),
            movement_difficulty: 1,
            direction: "north".to_owned(),
        };
        let planets = planets.iter().map(|(number, movement_difficulty, resource, neighbours)| Planet {
            id: planet(*number),
            movement_difficulty: *movement_difficulty,
            is_station: resource.is_none(),
            resource: *resource,
            neighbours: neighbours.iter().map(neighbour).collect(),
        });
        let planets = planets.map(|planet| (planet.id, planet)).collect();
        Self { planets, fleet: Fleet::default(), spawned: 0 }
    }

    pub(crate) fn spawn(&mut self, number: u128, owner: u128, on: u128) -> Robot {
        self.spawned += 1;
        let robot = Robot::new(robot(number), self.spawned, player(owner), planet(on));
        self.fleet.put(robot);
        robot
    }

    /// What the map tells of a planet.
    pub(crate) fn planet(planets: &BTreeMap<PlanetId, Planet>, id: PlanetId) -> Result<&Planet, PlanetFault> {
        planets.get(&id).ok_or(PlanetFault::Unknown)
    }
}

pub(crate) fn planet(number: u128) -> PlanetId {
    PlanetId(Uuid::from_u128(number))
}

pub(crate) fn robot(number: u128) -> RobotId {
    RobotId(Uuid::from_u128(number))
}

pub(crate) fn player(number: u128) -> PlayerId {
    PlayerId(Uuid::from_u128(number))
}

pub(crate) fn command(number: u128) -> CommandId {
    CommandId(Uuid::from_u128(number))
}
