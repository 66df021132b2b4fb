//! The certificate of a world in the contract's form.
//! Values are shown as numbers here for the first time; the core counts in whole units.

use starkeep_contract::map;
use starkeep_map_core::{World, value_as_number};

use super::view::{planet_id, style};

/// Nothing of worlds from earlier versions, which have no certificate.
pub(crate) fn fairness(world: &World) -> Option<map::Fairness> {
    let fairness = world.fairness.as_deref()?;
    let stations = world.terrain.stations().zip(&fairness.values).map(|(slot, value)| map::StationValue {
        planet_id: planet_id(world.terrain.planet(slot).id),
        value: value_as_number(*value),
    });
    Some(map::Fairness {
        generator_version: world.origin.generator_version(),
        style: style(world.origin),
        connected: fairness.connected,
        least_distance: fairness.least_distance,
        stations: stations.collect(),
        ratio_before: fairness.before.ratio(),
        ratio: fairness.spread().ratio(),
        seed_commitment: world.seed_commitment(),
    })
}
