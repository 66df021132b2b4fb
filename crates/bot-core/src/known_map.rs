//! What a bot knows of the map: the planets where its robots have been, and those that it has heard of as their neighbours.
//! Planets are numbered in the order in which the bot heard of them, so that no choice depends on ids.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use starkeep_core_types::PlanetId;

use crate::trip::Trip;
use crate::view::{Deposit, Direction, SeenPlanet};

/// A planet's number in the map.
pub(crate) type Place = usize;

#[derive(Clone, Debug, Default)]
pub(crate) struct KnownMap {
    entries: Vec<Entry>,
    places: BTreeMap<PlanetId, Place>,
}

#[derive(Clone, Debug)]
struct Entry {
    id: PlanetId,
    difficulty: u32,
    /// None until a robot has been there.
    explored: Option<Explored>,
}

#[derive(Clone, Debug)]
struct Explored {
    is_station: bool,
    deposit: Option<Deposit>,
    neighbours: Vec<(Place, Direction)>,
}

/// The shortest ways from one planet to all others that can be reached through explored ones.
pub(crate) struct Routes {
    from: Place,
    /// By place: the trip, and the place before it.
    ways: Vec<Option<(Trip, Place)>>,
}

impl KnownMap {
    pub(crate) fn learn(&mut self, planet: &SeenPlanet) {
        let place = self.enter(planet.id, planet.movement_difficulty);
        let near = planet.neighbours.iter();
        let near = near.map(|near| (self.enter(near.planet, near.movement_difficulty), near.direction));
        let neighbours = near.collect();
        let &SeenPlanet { is_station, deposit, .. } = planet;
        self.entries[place].explored = Some(Explored { is_station, deposit, neighbours });
    }

    fn enter(&mut self, id: PlanetId, difficulty: u32) -> Place {
        let place = *self.places.entry(id).or_insert(self.entries.len());
        if place == self.entries.len() {
            self.entries.push(Entry { id, difficulty, explored: None });
        }
        place
    }

    pub(crate) fn place(&self, id: PlanetId) -> Option<Place> {
        self.places.get(&id).copied()
    }

    pub(crate) fn id(&self, place: Place) -> PlanetId {
        self.entries[place].id
    }

    pub(crate) fn difficulty(&self, place: Place) -> u32 {
        self.entries[place].difficulty
    }

    pub(crate) fn is_station(&self, place: Place) -> bool {
        self.entries[place].explored.as_ref().is_some_and(|explored| explored.is_station)
    }

    /// Where something is left to be mined, as far as the bot knows.
    pub(crate) fn deposits(&self) -> impl Iterator<Item = (Place, Deposit)> {
        self.entries.iter().enumerate().filter_map(|(place, entry)| {
            let deposit = entry.explored.as_ref()?.deposit.filter(|deposit| deposit.amount > 0)?;
            Some((place, deposit))
        })
    }

    /// In which direction a planet lies from the one beside it.
    pub(crate) fn direction(&self, from: Place, to: Place) -> Option<Direction> {
        let explored = self.entries[from].explored.as_ref()?;
        explored.neighbours.iter().find(|(near, _)| *near == to).map(|(_, direction)| *direction)
    }

    /// The difficulties of the planets where the bot's robots have been.
    pub(crate) fn explored_difficulties(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().filter(|entry| entry.explored.is_some()).map(|entry| entry.difficulty)
    }

    pub(crate) fn unexplored(&self) -> impl Iterator<Item = Place> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.explored.is_none()).map(|(place, _)| place)
    }

    pub(crate) fn routes_from(&self, from: Place) -> Routes {
        let ways = self.search([from], |_, next| self.entries[next].difficulty);
        Routes { from, ways }
    }

    /// By place: the trip to the nearest known station.
    pub(crate) fn trips_to_stations(&self) -> Vec<Option<Trip>> {
        let stations = (0..self.entries.len()).filter(|place| self.is_station(*place));
        // Searched backwards: who comes from `next` pays for `place`.
        let ways = self.search(stations, |place, _| self.entries[place].difficulty);
        ways.into_iter().map(|way| way.map(|(trip, _)| trip)).collect()
    }

    /// Dijkstra's search. Whatever has not been explored ends a way.
    fn search(
        &self,
        from: impl IntoIterator<Item = Place>,
        cost: impl Fn(Place, Place) -> u32,
    ) -> Vec<Option<(Trip, Place)>> {
        let mut ways = vec![None; self.entries.len()];
        let mut open = BinaryHeap::new();
        for place in from {
            ways[place] = Some((Trip::default(), place));
            open.push(Reverse((0, place)));
        }
        while let Some(Reverse((weight, place))) = open.pop() {
            let Some((trip, _)) = ways[place] else { continue };
            let Some(explored) = &self.entries[place].explored else { continue };
            if weight > trip.weight() {
                continue;
            }
            for &(next, _) in &explored.neighbours {
                let there = trip.and_to(cost(place, next));
                if ways[next].is_none_or(|(known, _): (Trip, Place)| there.weight() < known.weight()) {
                    ways[next] = Some((there, place));
                    open.push(Reverse((there.weight(), next)));
                }
            }
        }
        ways
    }
}

impl Routes {
    pub(crate) fn from(&self) -> Place {
        self.from
    }

    pub(crate) fn trip(&self, to: Place) -> Option<Trip> {
        self.ways.get(to).copied().flatten().map(|(trip, _)| trip)
    }

    /// The first move on the way; none if the robot is there, or if there is no way.
    pub(crate) fn first_move(&self, to: Place) -> Option<Place> {
        let mut step = to;
        loop {
            let (_, before) = self.ways.get(step).copied().flatten()?;
            if before == step {
                return None;
            }
            if before == self.from {
                return Some(step);
            }
            step = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::view::Neighbour;

    fn planet(number: u128) -> PlanetId {
        PlanetId(Uuid::from_u128(number))
    }

    /// Number and difficulty, and the same of its neighbours.
    fn seen(number: u128, difficulty: u32, is_station: bool, neighbours: &[(u128, u32)]) -> SeenPlanet {
        let near = |(near, movement_difficulty): &(u128, u32)| Neighbour {
            planet: planet(*near),
            movement_difficulty: *movement_difficulty,
            direction: Direction::North,
        };
        SeenPlanet {
            id: planet(number),
            movement_difficulty: difficulty,
            is_station,
            deposit: None,
            neighbours: neighbours.iter().map(near).collect(),
        }
    }

    /// A station, 1, in the west; from there a short way through the hard planet 2 and a long one through 3 and 4 to 5.
    fn map() -> KnownMap {
        let mut map = KnownMap::default();
        map.learn(&seen(1, 1, true, &[(2, 9), (3, 1)]));
        map.learn(&seen(2, 9, false, &[(1, 1), (5, 2)]));
        map.learn(&seen(3, 1, false, &[(1, 1), (4, 1)]));
        map.learn(&seen(4, 1, false, &[(3, 1), (5, 2)]));
        map
    }

    #[test]
    fn ways_avoid_what_costs_more_than_a_detour() {
        let map = map();
        let place = |number| map.place(planet(number)).unwrap();
        let routes = map.routes_from(place(1));
        assert_eq!(routes.trip(place(5)), Some(Trip { moves: 3, energy: 4 }));
        assert_eq!(routes.first_move(place(5)), Some(place(3)));
        assert_eq!(routes.first_move(place(2)), Some(place(2)));
        assert_eq!(routes.first_move(place(1)), None, "it is there");
    }

    #[test]
    fn the_way_back_is_paid_for_where_it_leads() {
        let map = map();
        let to_station = map.trips_to_stations();
        let place = |number| map.place(planet(number)).unwrap();
        assert_eq!(to_station[place(1)], Some(Trip::default()));
        assert_eq!(to_station[place(4)], Some(Trip { moves: 2, energy: 2 }));
        assert_eq!(to_station[place(2)], Some(Trip { moves: 1, energy: 1 }));
    }

    #[test]
    fn nothing_is_known_beyond_what_was_explored() {
        let mut map = map();
        assert_eq!(map.unexplored().map(|place| map.id(place)).collect::<Vec<_>>(), [planet(5)]);
        map.learn(&seen(7, 1, false, &[]));
        let routes = map.routes_from(map.place(planet(1)).unwrap());
        assert_eq!(routes.trip(map.place(planet(7)).unwrap()), None);
        assert_eq!(map.place(planet(8)), None);
    }
}
