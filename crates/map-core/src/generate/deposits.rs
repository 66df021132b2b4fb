//! The stage that places the deposits: the number of each kind follows from the size, each in its region, at most one a planet.
//! How much a deposit holds is set when the world is created.

use starkeep_core_types::{ResourceKind, Rng};

use crate::resource::{deposits_in, lies_in};
use crate::terrain::{PlanetKind, PlanetWithoutId, Slot};

/// The narrowest regions first: the kinds of the wider ones reach into them and might leave too little room.
const ORDER: [ResourceKind; 5] =
    [ResourceKind::Gold, ResourceKind::Platin, ResourceKind::Iron, ResourceKind::Gem, ResourceKind::Coal];

/// By slot, ascending.
pub(super) fn place(planets: &[PlanetWithoutId], side: u32, rng: &mut Rng) -> Vec<(Slot, ResourceKind)> {
    let mut placed: Vec<Option<ResourceKind>> = vec![None; planets.len()];
    for kind in ORDER {
        let mut free: Vec<usize> = (0..planets.len())
            .filter(|slot| placed[*slot].is_none())
            .filter(|slot| {
                planets[*slot].kind == PlanetKind::Default && lies_in(kind, planets[*slot].ring(side))
            })
            .collect();
        for _ in 0..deposits_in(kind, side) {
            if free.is_empty() {
                break;
            }
            let drawn = rng.index(free.len());
            placed[free.swap_remove(drawn)] = Some(kind);
        }
    }
    (0..).zip(placed).filter_map(|(slot, kind)| Some((slot, kind?))).collect()
}
