//! Upgrades and restorations, which trading pays for.
//! A level is reached from the one below it; a restoration fills up what has been used.

use starkeep_core_types::Upgrade;

use crate::robot::Robot;

/// Why a robot cannot have a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpgradeRefusal {
    /// There is no such level.
    NoSuchLevel { highest: u8 },
    /// Levels below it are missing.
    SkipsLevels { current: u8 },
    /// It has that level, or a higher one.
    HasLevel { current: u8 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restoration {
    Health,
    Energy,
}

impl Robot {
    /// Growth of what it can hold comes filled: a robot at 8 of 10 health is at 23 of 25 afterwards.
    pub fn upgraded(self, upgrade: Upgrade, level: u32) -> Result<Self, UpgradeRefusal> {
        let (current, highest) = (self.levels.of(upgrade), upgrade.highest());
        let level = u8::try_from(level).ok().filter(|level| *level <= highest);
        let level = level.ok_or(UpgradeRefusal::NoSuchLevel { highest })?;
        if level > current + 1 {
            return Err(UpgradeRefusal::SkipsLevels { current });
        }
        if level <= current {
            return Err(UpgradeRefusal::HasLevel { current });
        }
        let levels = self.levels.raised(upgrade).ok_or(UpgradeRefusal::NoSuchLevel { highest })?;
        let mut after = Self { levels, ..self };
        after.health += after.levels.max_health() - self.levels.max_health();
        after.energy += after.levels.max_energy() - self.levels.max_energy();
        Ok(after)
    }

    #[must_use]
    pub fn restored(self, restoration: Restoration) -> Self {
        match restoration {
            Restoration::Health => Self { health: self.levels.max_health(), ..self },
            Restoration::Energy => Self { energy: self.levels.max_energy(), ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use starkeep_core_types::{PlanetId, PlayerId, RobotId};
    use uuid::Uuid;

    use super::*;

    fn robot() -> Robot {
        Robot::new(RobotId(Uuid::nil()), 1, PlayerId(Uuid::nil()), PlanetId(Uuid::nil()))
    }

    #[test]
    fn refusals_come_in_their_order() {
        let once = robot().upgraded(Upgrade::Storage, 1).unwrap();
        for (robot, upgrade, level, refusal) in [
            (robot(), Upgrade::Storage, 6, UpgradeRefusal::NoSuchLevel { highest: 5 }),
            (robot(), Upgrade::Mining, 5, UpgradeRefusal::NoSuchLevel { highest: 4 }),
            (robot(), Upgrade::Storage, u32::MAX, UpgradeRefusal::NoSuchLevel { highest: 5 }),
            (robot(), Upgrade::Storage, 2, UpgradeRefusal::SkipsLevels { current: 0 }),
            (robot(), Upgrade::Storage, 0, UpgradeRefusal::HasLevel { current: 0 }),
            (once, Upgrade::Storage, 1, UpgradeRefusal::HasLevel { current: 1 }),
        ] {
            assert_eq!(robot.upgraded(upgrade, level), Err(refusal));
        }
    }

    #[test]
    fn health_and_energy_grow_with_their_limits() {
        let used = Robot { health: 8, energy: 18, ..robot() };
        let healthier = used.upgraded(Upgrade::Health, 1).unwrap();
        assert_eq!((healthier.health, healthier.energy), (23, 18));
        let stronger = used.upgraded(Upgrade::MaxEnergy, 1).unwrap();
        assert_eq!((stronger.health, stronger.energy), (8, 28));
    }

    #[test]
    fn a_restoration_fills_up_what_it_names() {
        let used = Robot { health: 3, energy: 4, ..robot() };
        assert_eq!(used.restored(Restoration::Health), Robot { health: 10, ..used });
        assert_eq!(used.restored(Restoration::Energy), Robot { energy: 20, ..used });
    }

    proptest! {
        #[test]
        fn levels_never_skip_and_never_fall(steps in prop::collection::vec((0..7_usize, 0..8_u32), 0..60)) {
            let mut robot = robot();
            for (upgrade, level) in steps {
                let upgrade = Upgrade::ALL[upgrade];
                let before = robot;
                if let Ok(after) = robot.upgraded(upgrade, level) {
                    prop_assert_eq!(after.levels.of(upgrade), before.levels.of(upgrade) + 1);
                    prop_assert!(after.levels.of(upgrade) <= upgrade.highest());
                    robot = after;
                }
                prop_assert!(robot.energy <= robot.levels.max_energy());
                prop_assert!(robot.health <= robot.levels.max_health());
            }
        }
    }
}
