//! All robots of one game that live, found by id and by planet. Cheap to clone: a batch runs on a clone.
//! On a planet they stand in the order in which they were spawned, so that nothing depends on how ids are hashed.

use imbl::{HashMap, OrdSet};
use starkeep_core_types::{PlanetId, RobotId};

use crate::robot::Robot;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fleet {
    robots: HashMap<RobotId, Robot>,
    planets: HashMap<PlanetId, OrdSet<(u64, RobotId)>>,
}

impl Fleet {
    pub fn get(&self, id: RobotId) -> Option<&Robot> {
        self.robots.get(&id)
    }

    pub fn len(&self) -> usize {
        self.robots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.robots.is_empty()
    }

    /// In no order.
    pub fn iter(&self) -> impl Iterator<Item = &Robot> {
        self.robots.values()
    }

    pub fn on_planet(&self, planet: PlanetId) -> impl Iterator<Item = RobotId> {
        self.planets.get(&planet).into_iter().flatten().map(|(_, id)| *id)
    }

    /// A new robot, or one as it now is.
    pub fn put(&mut self, robot: Robot) {
        let before = self.robots.insert(robot.id, robot);
        match before {
            Some(before) if before.planet == robot.planet => return,
            Some(before) => self.leave_planet(&before),
            None => {}
        }
        self.planets.entry(robot.planet).or_default().insert((robot.number, robot.id));
    }

    pub fn remove(&mut self, id: RobotId) -> Option<Robot> {
        let robot = self.robots.remove(&id)?;
        self.leave_planet(&robot);
        Some(robot)
    }

    fn leave_planet(&mut self, robot: &Robot) {
        let Some(robots) = self.planets.get_mut(&robot.planet) else { return };
        robots.remove(&(robot.number, robot.id));
        if robots.is_empty() {
            self.planets.remove(&robot.planet);
        }
    }
}

#[cfg(test)]
mod tests {
    use starkeep_core_types::PlayerId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_robot_is_found_where_it_stands_and_nowhere_else() {
        let (here, there) = (PlanetId(Uuid::from_u128(1)), PlanetId(Uuid::from_u128(2)));
        let robot =
            |id, number| Robot::new(RobotId(Uuid::from_u128(id)), number, PlayerId(Uuid::nil()), here);
        let mut fleet = Fleet::default();
        // Spawned in another order than that of their ids.
        let (first, second) = (robot(9, 1), robot(3, 2));
        fleet.put(second);
        fleet.put(first);
        assert_eq!(fleet.on_planet(here).collect::<Vec<_>>(), [first.id, second.id]);
        fleet.put(Robot { planet: there, ..first });
        assert_eq!(fleet.on_planet(here).collect::<Vec<_>>(), [second.id]);
        assert_eq!(fleet.on_planet(there).collect::<Vec<_>>(), [first.id]);
        fleet.remove(first.id);
        fleet.remove(second.id);
        assert_eq!(fleet, Fleet::default(), "nothing is left of them");
    }
}
