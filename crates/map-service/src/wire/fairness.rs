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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use starkeep_map_core::{
        Fairness, GENERATOR_VERSION, NewWorld, Nonce, Origin, ReplenishmentMode, Spec, Spread, Style,
        WorldId, generate,
    };
    use uuid::Uuid;

    use super::*;

    fn world() -> World {
        let style = Style::Wild;
        let new = NewWorld {
            id: WorldId(Uuid::from_u128(1)),
            player_amount: 1,
            round_amount: None,
            origin: Origin::Generated { style, version: GENERATOR_VERSION },
            replenishment: ReplenishmentMode::Automatic,
            seed: 42,
            nonce: Nonce::from_bits(1),
            id_seed: 1,
            created_at: Timestamp::UNIX_EPOCH,
        };
        World::create(&new, generate(42, &Spec { players: 1, style }))
    }

    #[test]
    fn what_was_before_is_told_beside_what_is() {
        let unit = starkeep_map_core::fairness::VALUE_UNIT;
        let fairness = Fairness {
            connected: true,
            least_distance: Some(12),
            values: vec![6 * unit, 5 * unit],
            before: Spread { best: 9 * unit, worst: 4 * unit },
        };
        let world = World { fairness: Some(Arc::new(fairness)), ..world() };
        let shown = super::fairness(&world).unwrap();
        assert_eq!((shown.ratio_before, shown.ratio), (Some(2.25), Some(1.2)));
        assert_eq!(shown.stations.iter().map(|station| station.value).collect::<Vec<_>>(), [6.0, 5.0]);
        assert_eq!((shown.style, shown.generator_version), (map::WorldStyle::Wild, Some(GENERATOR_VERSION)));
        assert_eq!(shown.seed_commitment, world.seed_commitment());
        assert!(super::fairness(&World { fairness: None, ..world }).is_none());
    }
}
