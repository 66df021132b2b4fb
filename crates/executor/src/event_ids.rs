//! Ids of events that a decision makes: how many it needs is known only inside, so all of them follow from one seed that
//! was drawn before.

use starkeep_core_types::Rng;
use uuid::{Builder, Uuid};

pub struct EventIds {
    high: Rng,
    low: Rng,
}

impl EventIds {
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

    #[test]
    fn a_seed_always_gives_the_same_ids_and_two_seeds_share_none() {
        let ids = |seed| {
            let mut ids = EventIds::from_seed(seed);
            (0..1000).map(|_| ids.next_id()).collect::<Vec<_>>()
        };
        assert_eq!(ids(1), ids(1));
        let all: BTreeSet<_> = [ids(1), ids(2), ids(0x9E37_79B9_7F4A_7C16)].concat().into_iter().collect();
        assert_eq!(all.len(), 3000);
    }
}
