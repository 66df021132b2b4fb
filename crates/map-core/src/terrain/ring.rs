//! The three rings of a world: the nearer to the centre, the harder to cross and the richer.
//! Which kind of deposit is found in which ring: see `resource::lies_in`.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ring {
    Inner,
    Mid,
    Outer,
}

impl Ring {
    pub const ALL: [Self; 3] = [Self::Inner, Self::Mid, Self::Outer];

    /// The ring of a place in a square world.
    pub fn at(x: u16, y: u16, side: u32) -> Self {
        let last = side.saturating_sub(1);
        let third = last / 3;
        let sixth = third / 2;
        let within = |margin: u32| {
            [x, y].into_iter().all(|place| margin < u32::from(place) && u32::from(place) < last - margin)
        };
        if within(third) {
            Self::Inner
        } else if within(sixth) {
            Self::Mid
        } else {
            Self::Outer
        }
    }

    pub fn movement_difficulty(self) -> u8 {
        match self {
            Self::Inner => 3,
            Self::Mid => 2,
            Self::Outer => 1,
        }
    }

    pub fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_hold_as_many_cells_as_in_the_original() {
        for (side, inner, mid, outer) in [(15, 25, 56, 144), (20, 36, 108, 256), (35, 121, 408, 696)] {
            let mut cells = [0; 3];
            for y in 0..side {
                for x in 0..side {
                    cells[Ring::at(x, y, u32::from(side)).index()] += 1;
                }
            }
            assert_eq!(cells, [inner, mid, outer], "side {side}");
        }
    }

    #[test]
    fn rings_begin_and_end_where_the_original_says() {
        for (side, inner, mid) in [(15, 5..=9, 3..=11), (20, 7..=12, 4..=15), (35, 12..=22, 6..=28)] {
            for x in 0..side {
                let expected = if inner.contains(&x) {
                    Ring::Inner
                } else if mid.contains(&x) {
                    Ring::Mid
                } else {
                    Ring::Outer
                };
                assert_eq!(Ring::at(x, side / 2, u32::from(side)), expected, "x {x}, side {side}");
                assert_eq!(Ring::at(side / 2, x, u32::from(side)), expected, "y {x}, side {side}");
            }
        }
    }

    #[test]
    fn the_centre_is_hardest() {
        assert_eq!(Ring::ALL.map(Ring::movement_difficulty), [3, 2, 1]);
    }
}
