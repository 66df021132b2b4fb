//! Ids that follow from a seed: whoever decides something draws one seed, and the ids of what comes of it are then always the same.
//! They have the form of random ids (UUID version 4).

use uuid::{Builder, Uuid};

use crate::rng::Rng;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdGenerator {
    high: Rng,
    low: Rng,
}

impl IdGenerator {
    pub fn from_seed(seed: u64) -> Self {
        let mut high = Rng::from_seed(seed);
        // Two generators: the numbers of one alone may overlap with those of another seed, and ids must never repeat.
        let low = Rng::from_seed(high.next_u64());
        Self { high, low }
    }

    pub fn next_id(&mut self) -> Uuid {
        let bits = (u128::from(self.high.next_u64()) << 64) | u128::from(self.low.next_u64());
        Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn ids(seed: u64) -> Vec<Uuid> {
        let mut ids = IdGenerator::from_seed(seed);
        (0..1_000).map(|_| ids.next_id()).collect()
    }

    #[test]
    fn a_seed_gives_its_ids_and_no_others() {
        assert_eq!(ids(7), ids(7));
        // The second seed is where the first generator of the first one is after two numbers.
        let overlapping = 7_u64.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2));
        let all: BTreeSet<Uuid> = [7, 8, overlapping].into_iter().flat_map(ids).collect();
        assert_eq!(all.len(), 3_000);
        assert!(all.iter().all(|id| id.get_version_num() == 4 && id.get_variant() == uuid::Variant::RFC4122));
    }
}
