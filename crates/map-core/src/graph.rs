//! The planets as a graph: who is next to whom, what entering a planet costs, and what lies within a distance.
//! A distance is the least sum of the movement difficulties of the planets that are entered.

use crate::terrain::{PlanetWithoutId, Slot};

const NONE: Slot = Slot::MAX;

pub(crate) struct Graph {
    /// North, east, south and west of each slot; `NONE` where there is no planet.
    neighbours: Vec<[Slot; 4]>,
    difficulties: Vec<u8>,
}

impl Graph {
    /// The planets lie within the square, each on a place of its own.
    pub(crate) fn new(side: u32, planets: &[PlanetWithoutId]) -> Self {
        let side = side as usize;
        let mut grid = vec![NONE; side * side];
        for (slot, planet) in (0..).zip(planets) {
            grid[usize::from(planet.y) * side + usize::from(planet.x)] = slot;
        }
        let neighbours = planets.iter().map(|planet| {
            let (x, y) = (usize::from(planet.x), usize::from(planet.y));
            let at = |exists: bool, cell: usize| if exists { grid[cell] } else { NONE };
            let cell = y * side + x;
            [
                at(y + 1 < side, cell + side),
                at(x + 1 < side, cell + 1),
                at(y > 0, cell.wrapping_sub(side)),
                at(x > 0, cell.wrapping_sub(1)),
            ]
        });
        Self {
            neighbours: neighbours.collect(),
            difficulties: planets.iter().map(|planet| planet.movement_difficulty).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.neighbours.len()
    }

    pub(crate) fn neighbours(&self, slot: Slot) -> impl Iterator<Item = Slot> + use<> {
        self.neighbours[slot as usize].into_iter().filter(|neighbour| *neighbour != NONE)
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
        Search { graph: self, distances: vec![u8::MAX; self.len()], rings: Vec::new(), found: Vec::new() }
    }
}

/// Finds what lies near a planet, again and again without allocating anew.
pub(crate) struct Search<'a> {
    graph: &'a Graph,
    /// `u8::MAX`: not found yet.
    distances: Vec<u8>,
    /// The planets to look at next, by their distance.
    rings: Vec<Vec<Slot>>,
    found: Vec<(Slot, u8)>,
}

impl Search<'_> {
    /// The planets at most so far from the start, which is the first of them, in the order of their distance.
    pub(crate) fn within(&mut self, start: Slot, most: u8) -> &[(Slot, u8)] {
        for (slot, _) in self.found.drain(..) {
            self.distances[slot as usize] = u8::MAX;
        }
        self.rings.resize_with(usize::from(most) + 1, Vec::new);
        self.rings[0].push(start);
        self.distances[start as usize] = 0;
        for distance in 0..=most {
            let mut ring = std::mem::take(&mut self.rings[usize::from(distance)]);
            for slot in ring.drain(..) {
                // A shorter way was found after it was put here.
                if self.distances[slot as usize] != distance {
                    continue;
                }
                self.found.push((slot, distance));
                for neighbour in self.graph.neighbours(slot) {
                    let farther = distance.saturating_add(self.graph.difficulties[neighbour as usize]);
                    let known = &mut self.distances[neighbour as usize];
                    if farther <= most && farther < *known {
                        *known = farther;
                        self.rings[usize::from(farther)].push(neighbour);
                    }
                }
            }
            self.rings[usize::from(distance)] = ring;
        }
        &self.found
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
        let find = |search: &mut Search<'_>, start, most| search.within(start, most).to_vec();
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
