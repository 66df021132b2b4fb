//! Chance that is the same in every run: numbers drawn from a seed (SplitMix64).
//! What is drawn, and from which seed, is the user's.

use std::ops::RangeInclusive;

#[derive(Clone, Debug)]
pub struct Chance(pub u64);

impl Chance {
    pub fn draw(&mut self, range: &RangeInclusive<u64>) -> u64 {
        range.start() + self.next() % (range.end() - range.start() + 1)
    }

    /// Something else to draw from, which is not disturbed by what is drawn here.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.next())
    }

    /// One of them; there is at least one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let place = self.next() % from.len() as u64;
        &from[usize::try_from(place).unwrap_or(0)]
    }

    /// Once in so many draws.
    pub fn one_in(&mut self, draws: u64) -> bool {
        self.draw(&(1..=draws)) == 1
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
