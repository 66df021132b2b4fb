//! Ids of events and their transactions, all derived from one seed that is drawn before a decision is made.
//! So a decision gives the same events however often it is run. The ids need to be unique, not hard to guess.

use starkeep_platform::chance::Chance;
use uuid::Uuid;

/// Drawn once for each decision. As random as a UUID of version 4, so no two decisions share an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventSeed(u64, u64);

impl EventSeed {
    pub(crate) fn draw(chance: &dyn Chance) -> Self {
        let (high, low) = chance.uuid().as_u64_pair();
        Self(high, low)
    }

    /// The ids of this seed, from the first one on.
    pub(crate) fn ids(self) -> EventIds {
        EventIds { seed: self, taken: 0 }
    }
}

/// The ids of one seed, in their order.
pub struct EventIds {
    seed: EventSeed,
    taken: u64,
}

impl EventIds {
    pub fn next_id(&mut self) -> Uuid {
        self.taken += 1;
        let EventSeed(high, low) = self.seed;
        let (high, low) = (split_mix(high, self.taken), split_mix(low, self.taken));
        uuid::Builder::from_random_bytes(Uuid::from_u64_pair(high, low).into_bytes()).into_uuid()
    }
}

/// The number at this place of the sequence that splitmix64 makes of the seed (Steele, Lea, Flood 2014, as in Java's
/// `SplittableRandom`). Each seed and each place is mapped one to one, so two of them never share both halves.
fn split_mix(seed: u64, place: u64) -> u64 {
    let mut bits = seed.wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_mixing_function_is_splitmix64() {
        // The first numbers of the reference implementation with the seed 1234567.
        let numbers: Vec<_> = (1..=3).map(|place| split_mix(1_234_567, place)).collect();
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn a_seed_always_gives_the_same_ids_and_no_two_seeds_share_one() {
        let mut all = HashSet::new();
        for number in 0..200 {
            let seed = EventSeed(7, number);
            let draw = || {
                let mut ids = seed.ids();
                (0..20).map(|_| ids.next_id()).collect::<Vec<_>>()
            };
            assert_eq!(draw(), draw());
            for id in draw() {
                assert_eq!(id.get_version(), Some(uuid::Version::Random));
                assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
                assert!(all.insert(id), "{id} came twice");
            }
        }
    }
}
