//! The planets as a graph: who is next to whom, what entering a planet costs, and what lies within a distance.
//! A distance is the least sum of the movement difficulties of the planets that are entered.

use crate::terrain::{MOST_DIFFICULT, PlanetWithoutId, Slot};

const NONE: Slot = Slot::MAX;

/// A square of places with an empty border around it, so that every planet has four neighbouring places.
pub(crate) struct Graph {
    /// How many places a row has, the border included.
    width: u32,
    /// The planet of each place.
    slots: Vec<Slot>,
    /// What entering the planet of each place costs.
    costs: Vec<u8>,
    /// The place of each planet.
    places: Vec<u32>,
}

impl Graph {
    /// The planets lie within the square, each on a place of its own.
    pub(crate) fn new(side: u32, planets: &[PlanetWithoutId]) -> Self {
        let width = side + 2;
        let mut slots = vec![NONE; width as usize * width as usize];
        let mut costs = vec![0; slots.len()];
        let mut places = Vec::with_capacity(planets.len());
        for (slot, planet) in (0..).zip(planets) {
            let place = (u32::from(planet.y) + 1) * width + u32::from(planet.x) + 1;
            slots[place as usize] = slot;
            costs[place as usize] = planet.movement_difficulty;
            places.push(place);
        }
        Self { width, slots, costs, places }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    fn around(&self, place: u32) -> [u32; 4] {
        [place + self.width, place + 1, place - self.width, place - 1]
    }

    fn neighbours(&self, slot: Slot) -> impl Iterator<Item = Slot> + use<> {
        let around = self.around(self.places[slot as usize]);
        around.map(|place| self.slots[place as usize]).into_iter().filter(|neighbour| *neighbour != NONE)
    }

    /// Whether every planet can be reached from every other.
    pub(crate) fn is_connected(&self) -> bool {
        self.len() == 0 || self.reached_from(0).into_iter().all(|reached| reached)
    }

    /// Of each planet, whether it can be reached from this one.
    pub(crate) fn reached_from(&self, start: Slot) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        reached[start as usize] = true;
        let mut to_visit = vec![start];
        while let Some(slot) = to_visit.pop() {
            for neighbour in self.neighbours(slot) {
                if !std::mem::replace(&mut reached[neighbour as usize], true) {
                    to_visit.push(neighbour);
                }
            }
        }
        reached
    }

    /// The fewest moves between two of these planets; nothing if they are fewer than two, or none can be reached from another.
    pub(crate) fn least_moves_between(&self, marked: &[Slot]) -> Option<u32> {
        // All of them search at once. Where two searches meet, the way between their origins has been found; the first
        // meeting may be one move longer than a later one, so all are looked at.
        let mut origin = vec![NONE; self.len()];
        let mut moves = vec![0_u32; self.len()];
        let mut found = marked.to_vec();
        for &slot in marked {
            origin[slot as usize] = slot;
        }
        let mut least = None;
        let mut next = 0;
        while let Some(&slot) = found.get(next) {
            next += 1;
            let (from, so_far) = (origin[slot as usize], moves[slot as usize]);
            if least.is_some_and(|least| 2 * so_far >= least) {
                break;
            }
            for neighbour in self.neighbours(slot) {
                let there = neighbour as usize;
                if origin[there] == NONE {
                    (origin[there], moves[there]) = (from, so_far + 1);
                    found.push(neighbour);
                } else if origin[there] != from {
                    let way = so_far + 1 + moves[there];
                    least = Some(least.map_or(way, |least: u32| least.min(way)));
                }
            }
        }
        least
    }

    pub(crate) fn search(&self) -> Search<'_> {
        let unseen = |slot: &Slot| if *slot == NONE { NO_PLANET } else { UNSEEN };
        let distances = self.slots.iter().map(unseen).collect();
        Search { graph: self, distances, waves: Waves::default(), found: Vec::new() }
    }
}

/// Instead of a distance: not found yet.
const UNSEEN: u8 = u8::MAX;
/// Instead of a distance: nothing to be found.
const NO_PLANET: u8 = u8::MAX - 1;

/// Finds what lies near a planet, again and again without allocating anew.
pub(crate) struct Search<'a> {
    graph: &'a Graph,
    /// Of each place.
    distances: Vec<u8>,
    waves: Waves,
    /// The places that were found.
    found: Vec<u32>,
}

impl Search<'_> {
    /// The planets at most so far from the start, which is the first of them, in the order of their distance.
    pub(crate) fn within(&mut self, start: Slot, most: u8) -> impl Iterator<Item = (Slot, u8)> {
        let Self { graph, distances, waves, found } = self;
        let costs = &graph.costs[..];
        let distances = &mut distances[..costs.len()];
        for place in found.drain(..) {
            distances[place as usize] = UNSEEN;
        }
        waves.reset(most);
        let start = graph.places[start as usize];
        waves.push_if(true, 0, start);
        distances[start as usize] = 0;
        for distance in 0..=most {
            for number in 0..waves.len(distance) {
                let place = waves.get(distance, number);
                for neighbour in graph.around(place) {
                    // What entering a place costs does not depend on where one comes from, so the first way found is the
                    // cheapest. Written without a branch: whether a place was seen is as good as random.
                    let known = &mut distances[neighbour as usize];
                    let farther = distance + costs[neighbour as usize];
                    let is_new = *known == UNSEEN && farther <= most;
                    *known = if is_new { farther } else { *known };
                    waves.push_if(is_new, farther, neighbour);
                }
            }
            found.extend_from_slice(waves.all(distance));
        }
        found.iter().map(|place| (graph.slots[*place as usize], distances[*place as usize]))
    }
}

/// The places to look at next, by their distance.
#[derive(Default)]
struct Waves {
    room: usize,
    places: Vec<u32>,
    lengths: Vec<usize>,
}

impl Waves {
    /// Every step costs at least 1, so no wave is larger than all that lies within its distance.
    fn reset(&mut self, most: u8) {
        let (waves, most) = (usize::from(most) + 1 + usize::from(MOST_DIFFICULT), usize::from(most));
        self.room = 2 * most * (most + 1) + 2;
        self.places.resize(waves * self.room, 0);
        self.lengths.clear();
        self.lengths.resize(waves, 0);
    }

    fn push_if(&mut self, condition: bool, distance: u8, place: u32) {
        let length = &mut self.lengths[usize::from(distance)];
        self.places[usize::from(distance) * self.room + *length] = place;
        *length += usize::from(condition);
    }

    fn len(&self, distance: u8) -> usize {
        self.lengths[usize::from(distance)]
    }

    fn get(&self, distance: u8, number: usize) -> u32 {
        self.places[usize::from(distance) * self.room + number]
    }

    fn all(&self, distance: u8) -> &[u32] {
        &self.places[usize::from(distance) * self.room..][..self.len(distance)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terrain::PlanetKind;

    /// The rows of a square, the southern one first: a digit is a planet of that difficulty.
    fn graph<const SIDE: usize>(rows: [&str; SIDE]) -> Graph {
        let cells = rows.concat();
        let planets: Vec<PlanetWithoutId> = (0_u16..)
            .zip(cells.chars())
            .filter_map(|(cell, drawn)| {
                let side = u16::try_from(SIDE).unwrap();
                let movement_difficulty = u8::try_from(drawn.to_digit(10)?).unwrap();
                let (x, y) = (cell % side, cell / side);
                Some(PlanetWithoutId { x, y, kind: PlanetKind::Default, movement_difficulty })
            })
            .collect();
        Graph::new(u32::try_from(SIDE).unwrap(), &planets)
    }

    #[test]
    fn the_cheapest_way_counts_and_not_the_shortest() {
        // The middle costs 9, the way around it four times 1.
        let graph = graph(["111", "191", "1.1"]);
        let mut search = graph.search();
        let find = |search: &mut Search<'_>, start, most| search.within(start, most).collect::<Vec<_>>();
        assert_eq!(find(&mut search, 3, 4), [(3, 0), (6, 1), (0, 1), (1, 2), (2, 3), (5, 4)]);
        assert_eq!(find(&mut search, 3, 0), [(3, 0)]);
        assert_eq!(find(&mut search, 3, 20).last(), Some(&(4, 9)), "nothing is left of the searches before");
    }

    #[test]
    fn pieces_are_noticed() {
        let pieces = graph(["11.", "...", "..1"]);
        assert!(!pieces.is_connected());
        assert_eq!(pieces.reached_from(1), [true, true, false]);
        assert!(graph(["11.", ".1.", ".11"]).is_connected());
    }

    #[test]
    fn the_fewest_moves_lead_around_holes() {
        let graph = graph(["1111", "1..1", "1..1", "1..1"]);
        // The ends of both arms, and a planet in the middle of one.
        let (left, right, low) = (8, 9, 4);
        assert_eq!(graph.least_moves_between(&[left, right]), Some(9));
        assert_eq!(graph.least_moves_between(&[left, right, low]), Some(2));
        assert_eq!(graph.least_moves_between(&[left]), None);
    }
}
