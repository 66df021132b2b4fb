//! The part of a world that never changes: its planets, their coordinates and their neighbours.
//! Deposits change, so they are kept in `World`.

mod direction;
mod id_index;
mod planet;
mod ring;

pub use direction::Direction;
pub use planet::{MOST_DIFFICULT, Planet, PlanetKind, PlanetWithoutId};
pub use ring::Ring;
use starkeep_core_types::PlanetId;

use self::id_index::IdIndex;

/// The index of a planet within its terrain.
pub type Slot = u32;

const HOLE: Slot = Slot::MAX;

/// All planets of a world and the square they lie in: flat lists, so that the largest world stays small.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terrain {
    side: u32,
    planets: Vec<Planet>,
    grid: Vec<Slot>,
    /// All slots, in the order of their planets' ids.
    by_id: Vec<Slot>,
    index: IdIndex,
}

impl Terrain {
    /// The planets get their slots in the order in which they are given.
    ///
    /// # Panics
    /// If a planet lies outside of the square or on another one: such a list was not made by a generator.
    pub fn new(side: u32, planets: Vec<Planet>) -> Self {
        let mut grid = vec![HOLE; side as usize * side as usize];
        for (slot, planet) in (0..HOLE).zip(&planets) {
            let cell = cell(side, planet.x, planet.y).unwrap_or_else(|| {
                panic!("planet {} at ({}, {}) lies outside of side {side}", planet.id, planet.x, planet.y)
            });
            assert!(grid[cell] == HOLE, "two planets at ({}, {})", planet.x, planet.y);
            grid[cell] = slot;
        }
        let mut by_id: Vec<Slot> = (0..HOLE).take(planets.len()).collect();
        by_id.sort_unstable_by_key(|slot| planets[*slot as usize].id);
        let index = IdIndex::new(&planets);
        Self { side, planets, grid, by_id, index }
    }

    pub fn side(&self) -> u32 {
        self.side
    }

    /// In slot order.
    pub fn planets(&self) -> &[Planet] {
        &self.planets
    }

    /// # Panics
    /// If the slot belongs to another terrain.
    pub fn planet(&self, slot: Slot) -> &Planet {
        &self.planets[slot as usize]
    }

    /// All slots, in the order of their planets' ids.
    pub fn by_id(&self) -> &[Slot] {
        &self.by_id
    }

    pub fn slot_of(&self, id: PlanetId) -> Option<Slot> {
        self.index.slot_of(id, &self.planets)
    }

    pub fn slot_at(&self, x: u16, y: u16) -> Option<Slot> {
        let slot = self.grid[cell(self.side, x, y)?];
        (slot != HOLE).then_some(slot)
    }

    /// The planets next to this one, in the order north, east, south, west.
    pub fn neighbours(&self, slot: Slot) -> impl Iterator<Item = (Direction, Slot)> {
        let &Planet { x, y, .. } = self.planet(slot);
        Direction::ALL.into_iter().filter_map(move |direction| {
            let (dx, dy) = direction.step();
            let neighbour = self.slot_at(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?)?;
            Some((direction, neighbour))
        })
    }

    /// The slots of the space stations, ascending.
    pub fn stations(&self) -> impl Iterator<Item = Slot> {
        (0..HOLE)
            .zip(&self.planets)
            .filter(|(_, planet)| planet.kind == PlanetKind::SpaceStation)
            .map(|(slot, _)| slot)
    }
}

/// Where a place is found in the grid; nowhere if it lies outside.
fn cell(side: u32, x: u16, y: u16) -> Option<usize> {
    let (side, x, y) = (side as usize, usize::from(x), usize::from(y));
    (x < side && y < side).then(|| y * side + x)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn planet(number: u128, x: u16, y: u16) -> Planet {
        Planet {
            id: PlanetId(Uuid::from_u128(number)),
            x,
            y,
            kind: PlanetKind::Default,
            movement_difficulty: 1,
        }
    }

    #[test]
    fn north_is_up_and_east_is_right() {
        let terrain = Terrain::new(
            3,
            vec![planet(1, 1, 0), planet(2, 0, 1), planet(3, 1, 1), planet(4, 2, 1), planet(5, 1, 2)],
        );
        let around: Vec<_> = terrain.neighbours(2).collect();
        assert_eq!(
            around,
            [(Direction::North, 4), (Direction::East, 3), (Direction::South, 0), (Direction::West, 1)]
        );
        assert_eq!(terrain.neighbours(4).collect::<Vec<_>>(), [(Direction::South, 2)]);
    }

    #[test]
    fn holes_and_the_outside_hold_no_planet() {
        let terrain = Terrain::new(2, vec![planet(1, 0, 0)]);
        assert_eq!(terrain.slot_at(0, 0), Some(0));
        assert_eq!(terrain.slot_at(1, 0), None);
        assert_eq!(terrain.slot_at(2, 0), None);
        assert_eq!(terrain.slot_at(0, u16::MAX), None);
    }

    #[test]
    fn a_planet_takes_few_bytes() {
        assert!(size_of::<Planet>() <= 24);
    }

    #[test]
    #[should_panic(expected = "two planets at (1, 1)")]
    fn two_planets_on_one_place_are_refused() {
        Terrain::new(2, vec![planet(1, 1, 1), planet(2, 1, 1)]);
    }

    #[test]
    #[should_panic(expected = "outside of side 2")]
    fn a_planet_outside_is_refused() {
        Terrain::new(2, vec![planet(1, 2, 1)]);
    }
}
