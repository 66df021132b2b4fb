//! A robot's levels, and what each of them is worth.
//! The robot service goes by it, and so does a bot that plans what to buy.

use crate::resource::ResourceKind;
use crate::upgrade::Upgrade;

/// A robot's levels. A new robot has level 0 of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels([u8; 7]);

impl Levels {
    /// In the order of [`Upgrade::ALL`]; None if one of them is too high.
    pub fn new(levels: [u8; 7]) -> Option<Self> {
        let fits = |upgrade: Upgrade| levels[upgrade as usize] <= upgrade.highest();
        Upgrade::ALL.into_iter().all(fits).then_some(Self(levels))
    }

    pub fn of(self, upgrade: Upgrade) -> u8 {
        self.0[upgrade as usize]
    }

    /// With the next level of that; none if there is no higher one. A level is reached from the one below it only.
    pub fn raised(self, upgrade: Upgrade) -> Option<Self> {
        let mut levels = self.0;
        levels[upgrade as usize] += 1;
        Self::new(levels)
    }

    /// How many upgrades the robot has had.
    pub fn total(self) -> u32 {
        self.0.into_iter().map(u32::from).sum()
    }

    pub fn max_storage(self) -> u64 {
        [20, 50, 100, 200, 400, 1000][self.index(Upgrade::Storage)]
    }

    pub fn max_health(self) -> i64 {
        [10, 25, 50, 100, 200, 500][self.index(Upgrade::Health)]
    }

    pub fn attack_damage(self) -> i64 {
        [1, 2, 5, 10, 20, 50][self.index(Upgrade::Damage)]
    }

    /// What one attack costs.
    pub fn attack_energy(self) -> u32 {
        u32::from(self.of(Upgrade::Damage)) + 1
    }

    /// How much one mining asks for.
    pub fn mining_speed(self) -> u64 {
        [2, 5, 10, 15, 20, 40][self.index(Upgrade::MiningSpeed)]
    }

    pub fn can_mine(self, kind: ResourceKind) -> bool {
        usize::from(self.of(Upgrade::Mining)) >= kind.index()
    }

    pub fn max_energy(self) -> u32 {
        [20, 30, 40, 60, 100, 200][self.index(Upgrade::MaxEnergy)]
    }

    pub fn energy_regen(self) -> u32 {
        [4, 6, 8, 10, 15, 20][self.index(Upgrade::EnergyRegen)]
    }

    fn index(self, upgrade: Upgrade) -> usize {
        usize::from(self.of(upgrade))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_robot_has_the_values_of_level_0() {
        let levels = Levels::default();
        assert_eq!((levels.max_storage(), levels.max_health(), levels.max_energy()), (20, 10, 20));
        assert_eq!((levels.attack_damage(), levels.attack_energy()), (1, 1));
        assert_eq!((levels.mining_speed(), levels.energy_regen()), (2, 4));
        assert_eq!(ResourceKind::ALL.map(|kind| levels.can_mine(kind)), [true, false, false, false, false]);
    }

    #[test]
    fn the_highest_levels_have_the_values_of_the_table() {
        let levels = Levels::new(Upgrade::ALL.map(Upgrade::highest)).unwrap();
        assert_eq!((levels.max_storage(), levels.max_health(), levels.max_energy()), (1000, 500, 200));
        assert_eq!((levels.attack_damage(), levels.attack_energy()), (50, 6));
        assert_eq!((levels.mining_speed(), levels.energy_regen()), (40, 20));
        assert!(ResourceKind::ALL.into_iter().all(|kind| levels.can_mine(kind)));
    }

    #[test]
    fn levels_are_raised_one_at_a_time_up_to_the_highest() {
        for upgrade in Upgrade::ALL {
            let mut levels = Levels::default();
            for level in 1..=upgrade.highest() {
                levels = levels.raised(upgrade).unwrap();
                assert_eq!((levels.of(upgrade), levels.total()), (level, level.into()));
            }
            assert_eq!(levels.raised(upgrade), None);
        }
    }

    #[test]
    fn a_level_above_the_highest_is_none() {
        assert_eq!(Levels::new([0, 0, 0, 0, 5, 0, 0]), None, "MINING ends at 4");
        assert_eq!(Levels::new([6, 0, 0, 0, 0, 0, 0]), None);
        assert!(Levels::new([5, 5, 5, 5, 4, 5, 5]).is_some());
    }
}
