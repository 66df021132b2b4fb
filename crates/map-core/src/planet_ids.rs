//! The ids of planets begin with the first six bytes of their world's id, so that the world of a planet is found without an
//! index of all planets. The other ten bytes are random.

use std::ops::RangeInclusive;

use starkeep_core_types::{PlanetId, WorldId};
use uuid::Uuid;

const SHARED_BYTES: usize = 6;

/// The id of a planet of this world, from a random UUID.
pub(crate) fn planet_id_in(world: WorldId, random: Uuid) -> PlanetId {
    let mut bytes = random.into_bytes();
    // The version and the variant of a UUID are in later bytes.
    bytes[..SHARED_BYTES].copy_from_slice(&world.0.as_bytes()[..SHARED_BYTES]);
    PlanetId(Uuid::from_bytes(bytes))
}

/// The ids that the world of this planet can have. Several worlds may: their terrains know which of them it is.
/// Worlds of earlier versions are not found this way.
pub fn worlds_that_may_hold(planet: PlanetId) -> RangeInclusive<WorldId> {
    let with_rest = |rest: u8| {
        let mut bytes = [rest; 16];
        bytes[..SHARED_BYTES].copy_from_slice(&planet.0.as_bytes()[..SHARED_BYTES]);
        WorldId(Uuid::from_bytes(bytes))
    };
    with_rest(0)..=with_rest(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planet_leads_to_its_world() {
        let world = WorldId(Uuid::from_u128(0x0123_4567_89ab_4cde_8123_4567_89ab_cdef));
        let random = Uuid::from_u128(0xffff_ffff_ffff_4fff_bfff_ffff_ffff_ffff);
        let planet = planet_id_in(world, random);
        assert_eq!(planet.0, Uuid::from_u128(0x0123_4567_89ab_4fff_bfff_ffff_ffff_ffff));
        assert_eq!(planet.0.get_version_num(), 4);
        assert!(worlds_that_may_hold(planet).contains(&world));
        let other = WorldId(Uuid::from_u128(0x0123_4567_89ac_4cde_8123_4567_89ab_cdef));
        assert!(!worlds_that_may_hold(planet).contains(&other));
    }
}
