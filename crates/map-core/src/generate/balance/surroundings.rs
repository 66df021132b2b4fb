//! What lies in reach of each start, seen from both sides: the planets near a station, and the stations near a planet.
//! Made once for a layout: neither changes when deposits move.

use crate::graph::Graph;
use crate::terrain::Slot;

/// A position in the list of stations.
pub(super) type Start = u32;

pub(super) struct Surroundings {
    of_starts: Lists,
    of_planets: Lists,
}

/// The number of a planet or start, and how far away it is, in one word: a large world has millions of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Near(u32);

const DISTANCE_BITS: u32 = 5;

impl Near {
    fn new(number: u32, distance: u8) -> Self {
        debug_assert!(number < 1 << (u32::BITS - DISTANCE_BITS) && distance < 1 << DISTANCE_BITS);
        Self((number << DISTANCE_BITS) | u32::from(distance))
    }

    pub(super) fn number(self) -> u32 {
        self.0 >> DISTANCE_BITS
    }

    pub(super) fn distance(self) -> u8 {
        (self.0 & ((1 << DISTANCE_BITS) - 1)) as u8
    }
}

/// One list for each of a range of numbers, all in one piece of memory.
struct Lists {
    /// Where the list of each number ends; it begins where the one before ends.
    ends: Vec<u32>,
    items: Vec<Near>,
}

impl Lists {
    fn of(&self, number: u32) -> &[Near] {
        let number = number as usize;
        let first = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.items[first as usize..self.ends[number] as usize]
    }
}

impl Surroundings {
    /// Of planets that can hold a deposit; the others are left out.
    pub(super) fn new(graph: &Graph, stations: &[Slot], reach: u8, can_hold: impl Fn(Slot) -> bool) -> Self {
        let mut of_starts = Lists { ends: Vec::with_capacity(stations.len()), items: Vec::new() };
        let mut counts = vec![0_u32; graph.len()];
        let mut search = graph.search();
        for station in stations {
            for (slot, distance) in search.within(*station, reach) {
                if can_hold(slot) {
                    of_starts.items.push(Near::new(slot, distance));
                    counts[slot as usize] += 1;
                }
            }
            of_starts.ends.push(length(&of_starts.items));
        }
        let of_planets = turned_around(&of_starts, counts);
        Self { of_starts, of_planets }
    }

    /// The planets in reach of a start.
    pub(super) fn of_start(&self, start: Start) -> &[Near] {
        self.of_starts.of(start)
    }

    /// The starts that have a planet in reach.
    pub(super) fn of_planet(&self, slot: Slot) -> &[Near] {
        self.of_planets.of(slot)
    }
}

/// `counts` says how long the list of each planet becomes.
fn turned_around(of_starts: &Lists, counts: Vec<u32>) -> Lists {
    // Where the next item of each list goes; in the end that is where the list ends.
    let mut next = counts;
    let mut sum = 0;
    for count in &mut next {
        sum += std::mem::replace(count, sum);
    }
    let mut items = vec![Near::default(); of_starts.items.len()];
    for start in 0..length(&of_starts.ends) {
        for near in of_starts.of(start) {
            let place = &mut next[near.number() as usize];
            items[*place as usize] = Near::new(start, near.distance());
            *place += 1;
        }
    }
    Lists { ends: next, items }
}

fn length<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("a world has fewer than 2^32 pairs of starts and planets")
}
