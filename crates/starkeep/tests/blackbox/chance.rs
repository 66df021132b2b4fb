//! Chance that is the same in every run: numbers drawn from a seed (SplitMix64).
//! What is drawn, and from which seed, is each test's.

use std::ops::RangeInclusive;

pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn draw(&mut self, range: &RangeInclusive<u64>) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        range.start() + mixed % (range.end() - range.start() + 1)
    }
}
