//! The planets that a deposit can appear on, kept by ring so that choosing, removing and adding one is cheap.
//! Built for one replenishment and dropped after it.

use starkeep_core_types::{ResourceKind, Rng};

use super::super::World;
use crate::resource::lies_in;
use crate::terrain::{PlanetKind, Ring, Slot};

#[derive(Default)]
pub(super) struct FreePlanets {
    /// In the order of [`Ring::ALL`].
    by_ring: [Vec<Slot>; 3],
}

impl FreePlanets {
    pub(super) fn of(world: &World) -> Self {
        let terrain = &world.terrain;
        let mut free = Self::default();
        // Both lists ascend, so one pass over them shows which planets are taken.
        let mut taken = world.deposits.keys().copied().peekable();
        for (slot, planet) in (0..).zip(terrain.planets()) {
            if taken.next_if_eq(&slot).is_none() && planet.kind == PlanetKind::Default {
                free.add(slot, planet.ring(terrain.side()));
            }
        }
        free
    }

    /// Removes and returns a random free planet of the kind's region.
    pub(super) fn take(&mut self, kind: ResourceKind, rng: &mut Rng) -> Option<Slot> {
        let region = || Ring::ALL.into_iter().filter(|ring| lies_in(kind, *ring)).map(Ring::index);
        let count = region().map(|ring| self.by_ring[ring].len()).sum();
        if count == 0 {
            return None;
        }
        let mut drawn = rng.index(count);
        for ring in region() {
            let slots = &mut self.by_ring[ring];
            if drawn < slots.len() {
                return Some(slots.swap_remove(drawn));
            }
            drawn -= slots.len();
        }
        None
    }

    pub(super) fn add(&mut self, slot: Slot, ring: Ring) {
        self.by_ring[ring.index()].push(slot);
    }
}
