//! The tables in memory, as plain values: the in-memory store keeps its worlds here, and answers the port's questions.
//! Each function gives what its counterpart for SQLite gives; a property test compares them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::memory::MemoryTables;

use crate::domain::{Change, Evicted, Image, Key, Maps, Overview, WorldState};
use crate::ports::Cursor;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// Active and inactive ones.
    worlds: BTreeMap<WorldId, Row>,
    /// Written, but not made yet: no question finds them.
    staged: BTreeMap<WorldId, Row>,
    withdrawn: BTreeMap<WorldId, Timestamp>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    /// As it was when it was made.
    made: Arc<World>,
    world: Arc<World>,
    unannounced_from: Option<u32>,
}

impl MemoryTables for Maps {
    type Tables = Tables;

    fn load(tables: &Tables) -> Image {
        let mut image = Image::default();
        for row in tables.worlds.values().filter(|row| row.world.is_active()) {
            image.insert_world(row.world.clone());
            image.set_unannounced(row.world.id, row.unannounced_from);
        }
        image
    }

    fn fetch(tables: &Tables, key: &Key, image: &mut Image) {
        match *key {
            Key::World(world) => fetch_world(tables, world, image),
            Key::Planet(planet) => {
                if image.planet(planet).is_none()
                    && let Some((world, _)) = find_planet(tables, planet)
                {
                    image.load_planet_for_batch(planet, world.id);
                    fetch_world(tables, world.id, image);
                }
            }
            Key::StagedWorld(id) => {
                if let Some(row) = tables.staged.get(&id) {
                    image.load_staged(row.world.clone());
                } else if let Some(row) = tables.worlds.get(&id) {
                    image.load_staged(row.made.clone());
                }
            }
        }
    }

    fn save(tables: &mut Tables, change: &Change, _: &DocumentWrites) -> Result<(), String> {
        match change {
            Change::WorldMade { world, unannounced_from } => {
                let mut row =
                    tables.staged.remove(world).ok_or(format!("gameworld {world} is not staged"))?;
                row.unannounced_from = *unannounced_from;
                match tables.worlds.insert(*world, row) {
                    None => Ok(()),
                    Some(_) => Err(format!("gameworld {world} was made before")),
                }
            }
            Change::StationsAnnounced { world, unannounced_from } => {
                let row = tables.worlds.get_mut(world).ok_or(format!("there is no gameworld {world}"))?;
                row.unannounced_from = *unannounced_from;
                Ok(())
            }
            Change::Mined { world, mined } => update(tables, *world, |world| {
                let deposit = world.deposits.get(&mined.slot).filter(|there| there.id == mined.deposit);
                let deposit = deposit.ok_or("the deposit is not there")?;
                if !(0..=deposit.current_amount).contains(&mined.amount) {
                    return Err("the deposit does not hold as much".to_owned());
                }
                world.apply_mined(mined);
                Ok(())
            }),
            Change::Replenished { world, replenished } => update(tables, *world, |world| {
                world.apply_replenished(replenished);
                world.books_balance().map_err(|imbalance| imbalance.to_string())
            }),
            Change::Deactivated(deactivated) => update(tables, deactivated.world, |world| {
                world.apply_deactivated(deactivated);
                Ok(())
            }),
            Change::Withdrawn { world, at } => {
                tables.worlds.remove(world);
                tables.staged.remove(world);
                match tables.withdrawn.insert(*world, *at) {
                    None => Ok(()),
                    Some(_) => Err(format!("gameworld {world} was withdrawn before")),
                }
            }
        }
    }
}

/// What the running batch knows about a world goes before what the tables say: it is saved later.
fn fetch_world(tables: &Tables, world: WorldId, image: &mut Image) {
    if !matches!(image.state_of(world), WorldState::Unknown) {
        return;
    }
    if tables.worlds.contains_key(&world) {
        image.load_world_for_batch(world, Evicted::Inactive);
    } else if tables.withdrawn.contains_key(&world) {
        image.load_world_for_batch(world, Evicted::Withdrawn);
    }
}

fn update(
    tables: &mut Tables,
    world: WorldId,
    change: impl FnOnce(&mut World) -> Result<(), String>,
) -> Result<(), String> {
    let row = tables.worlds.get_mut(&world).ok_or(format!("there is no gameworld {world}"))?;
    change(Arc::make_mut(&mut row.world))
}

fn find_planet(tables: &Tables, planet: PlanetId) -> Option<(&Arc<World>, Slot)> {
    tables.worlds.values().find_map(|Row { world, .. }| Some((world, world.terrain.slot_of(planet)?)))
}

pub(crate) fn overview(tables: &Tables, world: WorldId) -> Option<Overview> {
    tables.worlds.get(&world).map(|row| Overview::from(&*row.world))
}

/// Newest first; see `Store::overviews`.
pub(crate) fn overviews(tables: &Tables, after: Option<Cursor>, most: usize) -> Vec<Overview> {
    let place = |world: &World| (world.created_at, world.id);
    let mut worlds: Vec<&World> = tables
        .worlds
        .values()
        .map(|row| &*row.world)
        .filter(|world| after.is_none_or(|cursor| place(world) < (cursor.created_at, cursor.id)))
        .collect();
    worlds.sort_by_key(|world| std::cmp::Reverse(place(world)));
    worlds.into_iter().take(most).map(Overview::from).collect()
}

pub(crate) fn world(tables: &Tables, world: WorldId) -> Option<Arc<World>> {
    tables.worlds.get(&world).map(|row| row.world.clone())
}

pub(crate) fn world_as_made(tables: &Tables, world: WorldId) -> Option<Arc<World>> {
    tables.worlds.get(&world).map(|row| row.made.clone())
}

pub(crate) fn planet(tables: &Tables, planet: PlanetId) -> Option<(Arc<World>, Slot)> {
    find_planet(tables, planet).map(|(world, slot)| (world.clone(), slot))
}

pub(crate) fn forget_withdrawn(tables: &mut Tables, before: Timestamp) -> usize {
    let count = tables.withdrawn.len();
    tables.withdrawn.retain(|_, at| *at >= before);
    count - tables.withdrawn.len()
}

/// See `Store::stage`.
pub(crate) fn stage(tables: &mut Tables, world: Arc<World>) -> bool {
    let is_free = !tables.worlds.contains_key(&world.id) && !tables.withdrawn.contains_key(&world.id);
    if is_free {
        tables.staged.insert(world.id, Row { made: world.clone(), world, unannounced_from: None });
    }
    is_free
}

pub(crate) fn discard_staged(tables: &mut Tables, world: WorldId) {
    tables.staged.remove(&world);
}

pub(crate) fn forget_staged(tables: &mut Tables, before: Timestamp) -> usize {
    let count = tables.staged.len();
    tables.staged.retain(|_, row| row.made.created_at >= before);
    count - tables.staged.len()
}
