//! Finds the slot of a planet by its id: an open-addressed hash table of slots. The ids themselves stand with the planets, so
//! that it is small; a search of the sorted ids would look at seventeen planets of a large world, each far from the last.

use starkeep_core_types::PlanetId;

use super::{HOLE, Planet, Slot};

/// At most half of the places are taken, so that a search ends soon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct IdIndex(Vec<Slot>);

impl IdIndex {
    pub(super) fn new(planets: &[Planet]) -> Self {
        let mut index = Self(vec![HOLE; (planets.len() * 2).next_power_of_two()]);
        for (slot, planet) in (0..HOLE).zip(planets) {
            let place = index.places(planet.id).find(|place| index.0[*place] == HOLE);
            index.0[place.expect("half of the places are free")] = slot;
        }
        index
    }

    pub(super) fn slot_of(&self, id: PlanetId, planets: &[Planet]) -> Option<Slot> {
        self.places(id)
            .map(|place| self.0[place])
            .take_while(|slot| *slot != HOLE)
            .find(|slot| planets[*slot as usize].id == id)
    }

    /// All places, beginning with the one for this id.
    fn places(&self, id: PlanetId) -> impl Iterator<Item = usize> + use<> {
        let (high, low) = id.0.as_u64_pair();
        // The ids of imported worlds need not be random.
        let hash = (high.rotate_left(32) ^ low).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (first, places) = ((hash >> 32) as usize, self.0.len());
        (0..places).map(move |step| first.wrapping_add(step) & (places - 1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::PlanetKind;

    /// Ids that are near each other, and any others.
    fn id() -> impl Strategy<Value = u128> {
        prop_oneof![0..50_u128, (0..50_u128).prop_map(|number| number << 64), any::<u128>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_planet_is_found_and_nothing_else(
            ids in proptest::collection::btree_set(id(), 0..200),
            others in proptest::collection::btree_set(id(), 0..50),
        ) {
            let planet = |(x, id): (u16, &u128)| {
                let id = PlanetId(Uuid::from_u128(*id));
                Planet { id, x, y: 0, kind: PlanetKind::Default, movement_difficulty: 1 }
            };
            let planets: Vec<_> = (0..).zip(&ids).map(planet).collect();
            let index = IdIndex::new(&planets);
            for (slot, planet) in (0..).zip(&planets) {
                prop_assert_eq!(index.slot_of(planet.id, &planets), Some(slot));
            }
            for other in others.difference(&ids).collect::<BTreeSet<_>>() {
                prop_assert_eq!(index.slot_of(PlanetId(Uuid::from_u128(*other)), &planets), None);
            }
        }
    }
}
