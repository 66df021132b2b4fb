//! Whom a bot's robots fight: robots of others that they met where they arrived. The stronger a robot, the sooner it begins.
//! A robot that has begun goes on until the other one is destroyed or gone, or has taken too long.

use std::collections::{BTreeMap, BTreeSet};

use starkeep_core_types::{PlanetId, Rng, RobotId, Upgrade};

use crate::view::OwnRobot;

/// A robot that was seen is looked for only so many rounds: it is likely to have left.
const REMEMBERED_ROUNDS: u32 = 3;
/// A new robot needs ten strikes for another new one.
const MOST_STRIKES: u32 = 12;
/// How often, in per cent, a robot with that damage level begins a fight with somebody it sees.
const READINESS: [u64; 6] = [8, 35, 70, 80, 90, 100];

#[derive(Clone, Debug, Default)]
pub(crate) struct Quarrels {
    /// Robots of others, by the planet where they were last seen, in the order in which they stood there.
    seen: BTreeMap<PlanetId, Sighting>,
    /// By the bot's own robots.
    fights: BTreeMap<RobotId, Fight>,
}

#[derive(Clone, Debug)]
struct Sighting {
    round: u32,
    robots: Vec<RobotId>,
}

#[derive(Clone, Copy, Debug)]
struct Fight {
    target: RobotId,
    on: PlanetId,
    strikes: u32,
}

impl Quarrels {
    pub(crate) fn saw(&mut self, round: u32, planet: PlanetId, others: Vec<RobotId>) {
        self.seen.insert(planet, Sighting { round, robots: others });
    }

    /// The robot is destroyed, or was not where it was attacked.
    pub(crate) fn forget(&mut self, target: RobotId) {
        self.fights.retain(|_, fight| fight.target != target);
        for sighting in self.seen.values_mut() {
            sighting.robots.retain(|seen| *seen != target);
        }
    }

    /// Old sightings, and fights of robots that live no longer.
    pub(crate) fn clean_up(&mut self, round: u32, alive: &BTreeSet<RobotId>) {
        self.seen.retain(|_, sighting| sighting.round + REMEMBERED_ROUNDS >= round);
        self.fights.retain(|robot, _| alive.contains(robot));
    }

    /// Whom the robot attacks in this round.
    pub(crate) fn target(&mut self, robot: &OwnRobot, rng: &mut Rng) -> Option<RobotId> {
        let fight = match self.fights.get(&robot.id) {
            Some(fight) if fight.on == robot.planet && fight.strikes < MOST_STRIKES => *fight,
            Some(_) => {
                self.fights.remove(&robot.id);
                return None;
            }
            None => self.begin(robot, rng)?,
        };
        if robot.energy < robot.levels.attack_energy() {
            return None;
        }
        self.fights.insert(robot.id, Fight { strikes: fight.strikes + 1, ..fight });
        Some(fight.target)
    }

    fn begin(&self, robot: &OwnRobot, rng: &mut Rng) -> Option<Fight> {
        let sighting = self.seen.get(&robot.planet).filter(|sighting| !sighting.robots.is_empty())?;
        let level = usize::from(robot.levels.of(Upgrade::Damage).min(5));
        if robot.is_wounded() || rng.below(100) >= READINESS[level] {
            return None;
        }
        let target = *rng.pick(&sighting.robots)?;
        Some(Fight { target, on: robot.planet, strikes: 0 })
    }
}

#[cfg(test)]
mod tests {
    use starkeep_core_types::Amounts;
    use uuid::Uuid;

    use super::*;
    use crate::rules::Levels;

    const HERE: PlanetId = PlanetId(Uuid::from_u128(1));

    fn robot(number: u128) -> RobotId {
        RobotId(Uuid::from_u128(number))
    }

    /// It always begins a fight.
    fn fierce() -> OwnRobot {
        let levels = Levels([0, 0, 5, 0, 0, 0, 0]);
        OwnRobot { id: robot(1), planet: HERE, health: 10, energy: 20, levels, cargo: Amounts::NONE }
    }

    fn met() -> (Quarrels, Rng) {
        let mut quarrels = Quarrels::default();
        quarrels.saw(3, HERE, vec![robot(8)]);
        (quarrels, Rng::from_seed(1))
    }

    #[test]
    fn a_fight_goes_on_until_it_has_taken_too_long() {
        let (mut quarrels, mut rng) = met();
        for _ in 0..MOST_STRIKES {
            assert_eq!(quarrels.target(&fierce(), &mut rng), Some(robot(8)));
        }
        assert_eq!(quarrels.target(&fierce(), &mut rng), None);
    }

    #[test]
    fn who_is_gone_is_fought_no_longer() {
        let (mut quarrels, mut rng) = met();
        assert_eq!(quarrels.target(&fierce(), &mut rng), Some(robot(8)));
        quarrels.forget(robot(8));
        assert_eq!(quarrels.target(&fierce(), &mut rng), None);

        let (mut quarrels, mut rng) = met();
        quarrels.clean_up(3 + REMEMBERED_ROUNDS, &BTreeSet::new());
        assert_eq!(quarrels.target(&fierce(), &mut rng), Some(robot(8)));
        quarrels.clean_up(4 + REMEMBERED_ROUNDS, &BTreeSet::new());
        assert_eq!(quarrels.target(&fierce(), &mut rng), None);
    }

    #[test]
    fn the_weak_the_wounded_and_the_tired_keep_the_peace() {
        let (quarrels, _) = met();
        let begins = |robot: OwnRobot| {
            let of_seed = |seed| quarrels.clone().target(&robot, &mut Rng::from_seed(seed)).is_some();
            (0..100).filter(|seed| of_seed(*seed)).count()
        };
        assert_eq!(begins(fierce()), 100);
        assert_eq!(begins(OwnRobot { health: 5, ..fierce() }), 0);
        assert_eq!(begins(OwnRobot { energy: 5, ..fierce() }), 0);
        assert!((1..20).contains(&begins(OwnRobot { levels: Levels::default(), ..fierce() })));
        let elsewhere = PlanetId(Uuid::from_u128(2));
        assert_eq!(begins(OwnRobot { planet: elsewhere, ..fierce() }), 0);
    }
}
