//! The image that reads are rendered from and decisions are made on: every active world. Planets are found by their ids.
//! Other worlds are only in the store; what a batch asks about them is loaded into the image and evicted before publication.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use starkeep_map_core::{PlanetId, Slot, World, WorldId, worlds_that_may_hold};

use super::planets_by_id::{PlanetsById, has_own_ids};

/// Cheap to clone: a clone shares everything that it does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Ordered, as all maps here: their order shows in events and in what is reported.
    active: OrdMap<WorldId, Arc<World>>,
    /// The active worlds of earlier versions, whose planets cannot be told by their ids. None is ever added but at the start.
    earlier: OrdSet<WorldId>,
    /// The active worlds of which not all stations are announced: the first that is not.
    unannounced: OrdMap<WorldId, u32>,
    /// Worlds that are not active and that this batch asked about.
    loaded_worlds: BTreeMap<WorldId, Evicted>,
    /// Planets of worlds that are not active and that this batch asked about.
    loaded_planets: BTreeMap<PlanetId, WorldId>,
    /// Worlds as they are before the change that makes them.
    staged: BTreeMap<WorldId, Arc<World>>,
}

/// Why a world is not among the active ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evicted {
    Inactive,
    Withdrawn,
}

/// What is known about an id of a world.
#[derive(Debug)]
pub(crate) enum WorldState<'a> {
    Active(&'a Arc<World>),
    Inactive,
    Withdrawn,
    Unknown,
}

impl Image {
    pub(crate) fn active(&self) -> impl ExactSizeIterator<Item = &Arc<World>> {
        self.active.values()
    }

    pub(crate) fn world(&self, world: WorldId) -> Option<&Arc<World>> {
        self.active.get(&world)
    }

    /// A planet of an active world.
    pub(crate) fn planet(&self, planet: PlanetId) -> Option<(&Arc<World>, Slot)> {
        let own = self.active.range(worlds_that_may_hold(planet)).map(|(_, world)| world);
        own.chain(self.earlier_worlds()).find_map(|world| Some((world, world.terrain.slot_of(planet)?)))
    }

    /// The planets of active worlds, by id.
    pub(crate) fn planets(&self) -> impl Iterator<Item = (&Arc<World>, Slot)> {
        let others = self.active.values().filter(|world| !self.earlier.contains(&world.id));
        PlanetsById::new(self.earlier_worlds(), others)
    }

    fn earlier_worlds(&self) -> impl Iterator<Item = &Arc<World>> {
        self.earlier.iter().filter_map(|world| self.active.get(world))
    }

    /// Active worlds of which not all stations are announced, by id.
    pub(crate) fn unannounced_worlds(&self) -> impl Iterator<Item = WorldId> {
        self.unannounced.keys().copied()
    }

    /// The world, and the first of its stations that is not announced, if there is one.
    pub(crate) fn unannounced(&self, world: WorldId) -> Option<(&Arc<World>, u32)> {
        Some((self.active.get(&world)?, *self.unannounced.get(&world)?))
    }

    /// Of a world that is not active: what was loaded for this batch.
    pub(crate) fn state_of(&self, world: WorldId) -> WorldState<'_> {
        match (self.active.get(&world), self.loaded_worlds.get(&world)) {
            (Some(world), _) => WorldState::Active(world),
            (None, Some(Evicted::Inactive)) => WorldState::Inactive,
            (None, Some(Evicted::Withdrawn)) => WorldState::Withdrawn,
            (None, None) => WorldState::Unknown,
        }
    }

    /// The inactive world of a planet that was loaded for this batch.
    pub(crate) fn inactive_world_of(&self, planet: PlanetId) -> Option<WorldId> {
        let world = *self.loaded_planets.get(&planet)?;
        matches!(self.state_of(world), WorldState::Inactive).then_some(world)
    }

    pub(crate) fn load_world_for_batch(&mut self, world: WorldId, why: Evicted) {
        self.loaded_worlds.insert(world, why);
    }

    pub(crate) fn load_planet_for_batch(&mut self, planet: PlanetId, world: WorldId) {
        self.loaded_planets.insert(planet, world);
    }

    pub(crate) fn staged(&self, world: WorldId) -> Option<&Arc<World>> {
        self.staged.get(&world)
    }

    pub(crate) fn load_staged(&mut self, world: Arc<World>) {
        self.staged.insert(world.id, world);
    }

    pub(super) fn evict_loaded(&mut self) {
        self.loaded_worlds = BTreeMap::new();
        self.loaded_planets = BTreeMap::new();
        self.staged = BTreeMap::new();
    }

    /// Adds an active world.
    pub(crate) fn insert_world(&mut self, world: Arc<World>) {
        if !has_own_ids(&world) {
            self.earlier.insert(world.id);
        }
        self.active.insert(world.id, world);
    }

    /// A staged world that cannot be loaded any more was withdrawn by a later change, so it need not become active.
    pub(super) fn activate_staged(&mut self, world: WorldId) {
        if let Some(world) = self.staged.remove(&world) {
            self.insert_world(world);
        }
    }

    /// Only of active worlds: nobody has to find the stations of others.
    pub(crate) fn set_unannounced(&mut self, world: WorldId, from: Option<u32>) {
        match from.filter(|_| self.active.contains_key(&world)) {
            Some(from) => self.unannounced.insert(world, from),
            None => self.unannounced.remove(&world),
        };
    }

    pub(super) fn change(&mut self, world: WorldId, change: impl FnOnce(&mut World)) {
        if let Some(world) = self.active.get_mut(&world) {
            change(Arc::make_mut(world));
        }
    }

    pub(super) fn deactivate(&mut self, world: WorldId) {
        self.remove(world);
        // Until the batch is saved the database still calls it active.
        self.load_world_for_batch(world, Evicted::Inactive);
    }

    pub(super) fn withdraw(&mut self, world: WorldId) {
        self.remove(world);
        self.load_world_for_batch(world, Evicted::Withdrawn);
    }

    fn remove(&mut self, world: WorldId) {
        self.active.remove(&world);
        self.earlier.remove(&world);
        self.unannounced.remove(&world);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use jiff::Timestamp;
    use starkeep_map_core::{
        GENERATOR_VERSION, NewWorld, Nonce, Origin, ReplenishmentMode, Spec, Style, generate,
    };
    use uuid::Uuid;

    use super::*;

    pub(crate) fn example_world(id: WorldId) -> Arc<World> {
        let new = NewWorld {
            id,
            player_amount: 1,
            round_amount: None,
            origin: Origin::Generated { style: Style::Balanced, version: GENERATOR_VERSION },
            replenishment: ReplenishmentMode::Automatic,
            seed: 1,
            nonce: Nonce::from_bits(1),
            id_seed: 1,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let layout = generate(1, &Spec { players: 1, style: Style::Balanced });
        Arc::new(World::create(&new, layout))
    }

    #[test]
    fn a_world_that_is_no_longer_active_is_known_until_the_batch_is_saved() {
        let world = example_world(WorldId(Uuid::from_u128(1)));
        let planet = world.terrain.planet(0).id;
        let mut image = Image::default();
        image.load_staged(world.clone());
        assert!(matches!(image.state_of(world.id), WorldState::Unknown), "staged is not made");
        image.activate_staged(world.id);
        assert!(matches!(image.state_of(world.id), WorldState::Active(_)));
        assert_eq!(image.planet(planet).map(|(_, slot)| slot), Some(0));

        image.deactivate(world.id);
        image.load_planet_for_batch(planet, world.id);
        assert!(matches!(image.state_of(world.id), WorldState::Inactive));
        assert_eq!((image.planet(planet), image.planets().count()), (None, 0));
        assert_eq!(image.inactive_world_of(planet), Some(world.id));

        image.withdraw(world.id);
        assert!(matches!(image.state_of(world.id), WorldState::Withdrawn));
        assert_eq!(image.inactive_world_of(planet), None);

        image.evict_loaded();
        assert!(matches!(image.state_of(world.id), WorldState::Unknown));
    }
}
