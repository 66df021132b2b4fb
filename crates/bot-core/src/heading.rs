//! In which direction a robot explores. The rich regions lie around the centre, and nobody is told where that is: a robot
//! keeps its direction, and turns aside when it has gone straight for long without leaving the region that it is in.

use crate::view::Direction;

/// The outer region of a large world is not wider.
const STRAIGHT_MOVES: u32 = 7;
/// In per cent.
const PREFERRED: u64 = 130;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heading {
    direction: Option<Direction>,
    /// In this direction, on planets of one difficulty.
    moves: u32,
    difficulty: u32,
}

impl Heading {
    /// How much the robot prefers to explore in that direction, in per cent.
    pub(crate) fn preference(&self, direction: Direction) -> u64 {
        let Some(ahead) = self.direction else { return 100 };
        let is_straight = direction == ahead;
        match (is_straight, self.moves < STRAIGHT_MOVES) {
            (true, true) => PREFERRED,
            (false, false) if direction != opposite(ahead) => PREFERRED,
            _ => 100,
        }
    }

    /// The robot moves to a planet of that difficulty.
    pub(crate) fn moved(&mut self, direction: Direction, difficulty: u32) {
        let goes_on = self.direction == Some(direction) && self.difficulty == difficulty;
        let moves = if goes_on { self.moves + 1 } else { 1 };
        *self = Self { direction: Some(direction), moves, difficulty };
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::North => Direction::South,
        Direction::East => Direction::West,
        Direction::South => Direction::North,
        Direction::West => Direction::East,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_robot_goes_straight_until_it_has_gone_too_far() {
        let mut heading = Heading::default();
        let of = |heading: &Heading| {
            [Direction::North, Direction::East, Direction::South, Direction::West]
                .map(|direction| heading.preference(direction))
        };
        assert_eq!(of(&heading), [100; 4]);
        for _ in 1..STRAIGHT_MOVES {
            heading.moved(Direction::North, 1);
            assert_eq!(of(&heading), [PREFERRED, 100, 100, 100]);
        }
        heading.moved(Direction::North, 1);
        assert_eq!(of(&heading), [100, PREFERRED, 100, PREFERRED]);
        heading.moved(Direction::North, 2);
        assert_eq!(of(&heading), [PREFERRED, 100, 100, 100], "it has left the region");
    }
}
