//! All planets of the active worlds in the order of their ids, without an index of them: the worlds' own lists, merged.
//! Only the worlds that the reader has come to are looked at, so that a first page costs little, however many there are.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use starkeep_map_core::{PlanetId, Slot, World, WorldId, worlds_that_may_hold};

pub(super) struct PlanetsById<'a, W: Iterator<Item = &'a Arc<World>>> {
    /// The next planet of every world that was begun, and its position among the planets of its world.
    begun: BTreeMap<(PlanetId, WorldId), (&'a Arc<World>, usize)>,
    /// By id, as their planets' are.
    later: Peekable<W>,
}

/// Whether the ids of all planets begin as the world's does. Those of worlds of earlier versions do not.
pub(super) fn has_own_ids(world: &World) -> bool {
    // What begins alike is side by side in the order of ids, so the first and the last stand for all.
    let ends = [world.terrain.by_id().first(), world.terrain.by_id().last()];
    ends.into_iter()
        .flatten()
        .all(|slot| worlds_that_may_hold(world.terrain.planet(*slot).id).contains(&world.id))
}

impl<'a, W: Iterator<Item = &'a Arc<World>>> PlanetsById<'a, W> {
    /// `earlier` may hold planets of any ids; the others are worlds with [own ids](has_own_ids), by their ids.
    pub(super) fn new(earlier: impl Iterator<Item = &'a Arc<World>>, others: W) -> Self {
        let mut planets = Self { begun: BTreeMap::new(), later: others.peekable() };
        for world in earlier {
            planets.stand_at(world, 0);
        }
        planets
    }

    fn stand_at(&mut self, world: &'a Arc<World>, position: usize) {
        if let Some(slot) = world.terrain.by_id().get(position) {
            self.begun.insert((world.terrain.planet(*slot).id, world.id), (world, position));
        }
    }

    /// Begins the worlds that may have a planet before all those that come next in the others.
    fn begin_worlds(&mut self) {
        loop {
            let next = self.begun.first_key_value().map(|((planet, _), _)| *planet);
            let world = self
                .later
                .next_if(|world| next.is_none_or(|next| world.id <= *worlds_that_may_hold(next).end()));
            let Some(world) = world else { return };
            self.stand_at(world, 0);
        }
    }
}

impl<'a, W: Iterator<Item = &'a Arc<World>>> Iterator for PlanetsById<'a, W> {
    type Item = (&'a Arc<World>, Slot);

    fn next(&mut self) -> Option<Self::Item> {
        self.begin_worlds();
        let (_, (world, position)) = self.begun.pop_first()?;
        self.stand_at(world, position + 1);
        Some((world, world.terrain.by_id()[position]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use starkeep_map_core::{Planet, PlanetKind, Terrain};
    use uuid::Uuid;

    use super::super::Image;
    use super::super::image::tests::example_world;
    use super::*;

    static EXAMPLE: LazyLock<Arc<World>> = LazyLock::new(|| example_world(WorldId(Uuid::nil())));

    /// A world with planets of these ids in a row.
    fn world_with(id: WorldId, planets: &[PlanetId]) -> Arc<World> {
        let mut world = World { id, ..World::clone(&EXAMPLE) };
        let planets = (0..).zip(planets).map(|(x, id)| {
            let kind = PlanetKind::ALL[usize::from(x % 2 == 1)];
            Planet { id: *id, x, y: 0, kind, movement_difficulty: 1 }
        });
        world.deposits.clear();
        world.terrain = Arc::new(Terrain::new(12, planets.collect()));
        Arc::new(world)
    }

    /// Few beginnings, so that worlds share them, and few ids, so that they lie next to each other.
    fn uuid() -> impl Strategy<Value = Uuid> {
        (0..4_u128, any::<u16>()).prop_map(|(begin, rest)| Uuid::from_u128(begin << 80 | u128::from(rest)))
    }

    /// Of an earlier version: with planets of any ids.
    fn world() -> impl Strategy<Value = (Uuid, bool, Vec<Uuid>)> {
        (uuid(), prop::bool::weighted(0.2), prop::collection::vec(uuid(), 0..12))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn planets_are_found_and_listed_as_if_they_were_sorted(worlds in prop::collection::vec(world(), 0..12), gone in any::<prop::sample::Index>()) {
            let mut image = Image::default();
            let mut expected: BTreeMap<PlanetId, WorldId> = BTreeMap::new();
            for (id, is_earlier, planets) in worlds {
                let id = WorldId(id);
                let begin = id.0.as_u128() >> 80 << 80;
                let planets = planets.into_iter().map(|planet| {
                    PlanetId(if is_earlier { planet } else { Uuid::from_u128(begin | planet.as_u128() & 0xffff) })
                });
                let mut planets: Vec<PlanetId> = planets.filter(|planet| !expected.contains_key(planet)).collect();
                planets.sort();
                planets.dedup();
                if image.world(id).is_some() {
                    continue;
                }
                expected.extend(planets.iter().map(|planet| (*planet, id)));
                // Slots are not in the order of ids.
                planets.reverse();
                image.insert_world(world_with(id, &planets));
            }
            let ids: Vec<WorldId> = image.active().map(|world| world.id).collect();
            if !ids.is_empty() {
                let gone = ids[gone.index(ids.len())];
                image.withdraw(gone);
                expected.retain(|_, world| *world != gone);
            }
            let listed: Vec<(PlanetId, WorldId)> =
                image.planets().map(|(world, slot)| (world.terrain.planet(slot).id, world.id)).collect();
            prop_assert_eq!(listed, expected.iter().map(|(planet, world)| (*planet, *world)).collect::<Vec<_>>());
            for number in 0..4_u128 << 8 {
                let planet = PlanetId(Uuid::from_u128((number >> 8) << 80 | number & 0xff));
                let found = image.planet(planet).map(|(world, slot)| (world.id, world.terrain.planet(slot).id));
                prop_assert_eq!(found, expected.get(&planet).map(|world| (*world, planet)));
            }
            for (planet, world) in &expected {
                let (found, slot) = image.planet(*planet).unwrap();
                prop_assert_eq!((found.id, found.terrain.planet(slot).id), (*world, *planet));
            }
        }
    }

    #[test]
    fn worlds_that_come_later_are_not_looked_at() {
        let worlds: Vec<Arc<World>> = (0..1_000)
            .map(|number| {
                let id = Uuid::from_u128(number << 80);
                world_with(WorldId(id), &[PlanetId(id), PlanetId(Uuid::from_u128(number << 80 | 1))])
            })
            .collect();
        let mut looked_at = 0;
        let planets = PlanetsById::new(std::iter::empty(), worlds.iter().inspect(|_| looked_at += 1));
        assert_eq!(planets.take(50).count(), 50);
        assert!(looked_at <= 27, "{looked_at} worlds for 50 planets");
    }
}
