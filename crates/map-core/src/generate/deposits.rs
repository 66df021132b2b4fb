//! The stage that lays the deposits: as many of each kind as the size asks for, each in its region, at most one a planet.
//! How much a deposit holds is settled when the world is founded.

use crate::resource::ResourceKind;
use crate::rng::Rng;
use crate::terrain::{PlanetKind, Site, Slot};

/// The narrowest regions first: the kinds of the wider ones reach into them and might leave too little room.
const ORDER: [ResourceKind; 5] =
    [ResourceKind::Gold, ResourceKind::Platin, ResourceKind::Iron, ResourceKind::Gem, ResourceKind::Coal];

/// By slot, ascending.
pub(super) fn lay(sites: &[Site], side: u32, rng: &mut Rng) -> Vec<(Slot, ResourceKind)> {
    let mut laid: Vec<Option<ResourceKind>> = vec![None; sites.len()];
    for kind in ORDER {
        let mut free: Vec<usize> = (0..sites.len())
            .filter(|slot| laid[*slot].is_none())
            .filter(|slot| sites[*slot].kind == PlanetKind::Default && kind.lies_in(sites[*slot].ring(side)))
            .collect();
        for _ in 0..kind.deposits_in(side) {
            if free.is_empty() {
                break;
            }
            let drawn = rng.index(free.len());
            laid[free.swap_remove(drawn)] = Some(kind);
        }
    }
    (0..).zip(laid).filter_map(|(slot, kind)| Some((slot, kind?))).collect()
}
