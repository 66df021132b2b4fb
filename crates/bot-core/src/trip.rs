//! A way from one planet to another: how many moves it takes and how much energy.
//! A robot without energy regenerates on the way, which takes rounds as well.

use crate::view::OwnRobot;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trip {
    pub(crate) moves: u32,
    pub(crate) energy: u32,
}

impl Trip {
    /// With one more move, to a planet of that difficulty.
    pub(crate) fn and_to(self, difficulty: u32) -> Self {
        Self { moves: self.moves + 1, energy: self.energy + difficulty }
    }

    pub(crate) fn and_then(self, other: Self) -> Self {
        Self { moves: self.moves + other.moves, energy: self.energy + other.energy }
    }

    /// How many rounds the robot needs for it.
    pub(crate) fn rounds(self, robot: &OwnRobot) -> u32 {
        self.rounds_with(robot.energy, robot.levels.energy_regen())
    }

    /// The same with that much energy, and that much with each regeneration.
    pub(crate) fn rounds_with(self, energy: u32, regen: u32) -> u32 {
        self.moves + self.energy.saturating_sub(energy).div_ceil(regen)
    }

    /// By which trips are compared. A new robot regenerates 4 in a round.
    pub(crate) fn weight(self) -> u32 {
        4 * self.moves + self.energy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_moves_and_regenerations() {
        let trip = Trip { moves: 3, energy: 9 };
        let table = [((20, 4), 3), ((9, 4), 3), ((8, 4), 4), ((4, 4), 5), ((0, 4), 6), ((0, 9), 4)];
        for ((energy, regen), expected) in table {
            assert_eq!(trip.rounds_with(energy, regen), expected, "{energy} energy, {regen} each time");
        }
    }
}
