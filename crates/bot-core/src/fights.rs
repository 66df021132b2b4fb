//! Whom a bot's robots fight: who attacks them, and now and then somebody they meet. The stronger a robot, the sooner it
//! begins. A robot that has begun goes on until the other one is destroyed or gone, or until it is wounded itself.

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
pub(crate) struct Fights {
    /// Robots of others, by the planet where they were last seen, in the order in which they stood there.
    seen: BTreeMap<PlanetId, Sighting>,
    /// By the bot's own robots.
    under_way: BTreeMap<RobotId, Fight>,
}

#[derive(Clone, Debug)]
struct Sighting {
    round: u32,
    robots: Vec<RobotId>,
}

#[derive(Clone, Copy, Debug)]
struct Fight {
    target: RobotId,
    /// Where it began; none as long as the robot has not struck.
    on: Option<PlanetId>,
    strikes: u32,
}

impl Fights {
    /// All robots that stand on a planet.
    pub(crate) fn saw(&mut self, round: u32, planet: PlanetId, robots: Vec<RobotId>) {
        self.seen.insert(planet, Sighting { round, robots });
    }

    /// Another robot has struck one of the bot's own, which strikes back unless it fights already.
    pub(crate) fn attacked(&mut self, robot: RobotId, by: RobotId) {
        self.under_way.entry(robot).or_insert(Fight { target: by, on: None, strikes: 0 });
    }

    /// The robot is destroyed, or was not where it was attacked.
    pub(crate) fn forget(&mut self, target: RobotId) {
        self.under_way.retain(|_, fight| fight.target != target);
        for sighting in self.seen.values_mut() {
            sighting.robots.retain(|seen| *seen != target);
        }
    }

    /// Forgets old sightings and fights of robots that live no longer. A robot that was seen may turn out to be the bot's own:
    /// it was bought in the same round.
    pub(crate) fn clean_up(&mut self, round: u32, own: &BTreeSet<RobotId>) {
        self.seen.retain(|_, sighting| sighting.round + REMEMBERED_ROUNDS >= round);
        self.seen.values_mut().for_each(|sighting| sighting.robots.retain(|robot| !own.contains(robot)));
        self.under_way.retain(|robot, _| own.contains(robot));
    }

    /// Whom the robot attacks in this round.
    pub(crate) fn target(&mut self, robot: &OwnRobot, rng: &mut Rng) -> Option<RobotId> {
        let fight = match self.under_way.get(&robot.id) {
            Some(fight) if Self::goes_on(fight, robot) => *fight,
            Some(_) => {
                self.under_way.remove(&robot.id);
                return None;
            }
            None => self.begin(robot, rng)?,
        };
        if robot.energy < robot.levels.attack_energy() {
            return None;
        }
        let fight = Fight { on: Some(robot.planet), strikes: fight.strikes + 1, ..fight };
        self.under_way.insert(robot.id, fight);
        Some(fight.target)
    }

    fn goes_on(fight: &Fight, robot: &OwnRobot) -> bool {
        let is_there = fight.on.is_none_or(|planet| planet == robot.planet);
        is_there && fight.strikes < MOST_STRIKES
    }

    fn begin(&self, robot: &OwnRobot, rng: &mut Rng) -> Option<Fight> {
        let sighting = self.seen.get(&robot.planet).filter(|sighting| !sighting.robots.is_empty())?;
        let level = usize::from(robot.levels.of(Upgrade::Damage));
        if robot.is_wounded() || rng.below(100) >= READINESS[level] {
            return None;
        }
        let target = *rng.pick(&sighting.robots)?;
        Some(Fight { target, on: None, strikes: 0 })
    }
}

#[cfg(test)]
mod tests {
    use starkeep_core_types::{Amounts, Levels};
    use uuid::Uuid;

    use super::*;

    const HERE: PlanetId = PlanetId(Uuid::from_u128(1));

    fn robot(number: u128) -> RobotId {
        RobotId(Uuid::from_u128(number))
    }

    /// It always begins a fight.
    fn strong() -> OwnRobot {
        let levels = Levels::new([0, 0, 5, 0, 0, 0, 0]).unwrap();
        OwnRobot { id: robot(1), planet: HERE, health: 10, energy: 20, levels, cargo: Amounts::NONE }
    }

    fn met() -> (Fights, Rng) {
        let mut fights = Fights::default();
        fights.saw(3, HERE, vec![robot(8)]);
        (fights, Rng::from_seed(1))
    }

    #[test]
    fn a_fight_goes_on_until_it_has_taken_too_long() {
        let (mut fights, mut rng) = met();
        for _ in 0..MOST_STRIKES {
            assert_eq!(fights.target(&strong(), &mut rng), Some(robot(8)));
        }
        assert_eq!(fights.target(&strong(), &mut rng), None);
    }

    #[test]
    fn who_is_gone_is_fought_no_longer() {
        let (mut fights, mut rng) = met();
        assert_eq!(fights.target(&strong(), &mut rng), Some(robot(8)));
        fights.forget(robot(8));
        assert_eq!(fights.target(&strong(), &mut rng), None);

        let (mut fights, mut rng) = met();
        fights.clean_up(3 + REMEMBERED_ROUNDS, &BTreeSet::new());
        assert_eq!(fights.target(&strong(), &mut rng), Some(robot(8)));
        fights.clean_up(4 + REMEMBERED_ROUNDS, &BTreeSet::new());
        assert_eq!(fights.target(&strong(), &mut rng), None);
    }

    #[test]
    fn the_weak_the_wounded_and_the_tired_begin_no_fight() {
        let (fights, _) = met();
        let begins = |robot: OwnRobot| {
            let of_seed = |seed| fights.clone().target(&robot, &mut Rng::from_seed(seed)).is_some();
            (0..100).filter(|seed| of_seed(*seed)).count()
        };
        assert_eq!(begins(strong()), 100);
        assert_eq!(begins(OwnRobot { health: 3, ..strong() }), 0);
        assert_eq!(begins(OwnRobot { energy: 5, ..strong() }), 0);
        assert!((1..20).contains(&begins(OwnRobot { levels: Levels::default(), ..strong() })));
        let elsewhere = PlanetId(Uuid::from_u128(2));
        assert_eq!(begins(OwnRobot { planet: elsewhere, ..strong() }), 0);
    }
}
