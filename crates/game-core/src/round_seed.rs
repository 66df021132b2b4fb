//! What the random choices of a round are drawn from, by whoever carries its commands out.
//! The same seed and round always give the same number, in every version: a game can be played again.

use starkeep_core_types::Rng;

use crate::game::Game;

impl Game {
    /// Of the seed that the host gave, or else of the one that was drawn when the game was created.
    pub fn seed_of_round(&self, round: u32) -> u64 {
        seed_of_round(self.seed.unwrap_or(self.drawn_seed), round)
    }
}

/// Mixed twice: neither close seeds nor close rounds have anything in common.
fn seed_of_round(seed: u64, round: u32) -> u64 {
    let of_game = Rng::from_seed(seed).next_u64();
    Rng::from_seed(of_game.wrapping_add(u64::from(round))).next_u64()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_seed_and_a_round_give_the_same_number_in_every_version() {
        let numbers = [(0, 1), (7, 1), (7, 2), (9_007_199_254_740_991, 1_000_000)];
        let numbers = numbers.map(|(seed, round)| seed_of_round(seed, round));
        assert_eq!(
            numbers,
            [
                3_069_472_533_636_442_495,
                2_875_738_036_014_693_257,
                16_129_155_333_475_108_587,
                16_743_825_739_394_791_066
            ]
        );
    }

    #[test]
    fn no_two_rounds_of_close_seeds_have_the_same_number() {
        let rounds = (0..100).flat_map(|seed| (1..=100).map(move |round| seed_of_round(seed, round)));
        assert_eq!(rounds.collect::<HashSet<_>>().len(), 10_000);
    }
}
