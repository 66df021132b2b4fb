//! Where bought robots are spawned: each player's first one on a station of its own, as long as there are free ones; all
//! further ones on any station, drawn by the game's seed.

use std::collections::BTreeSet;

use starkeep_core_types::{PlanetId, PlayerId, Rng};

/// The stations of a game and what has been drawn so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpawnSites {
    /// In the order in which the map told of them, which does not depend on their ids.
    stations: Vec<PlanetId>,
    /// Stations on which some player's first robot was spawned.
    taken: BTreeSet<PlanetId>,
    /// Players who have had a robot.
    settled: BTreeSet<PlayerId>,
    rng: Rng,
}

impl SpawnSites {
    pub fn new(stations: Vec<PlanetId>, seed: u64) -> Self {
        let rng = Rng::from_seed(seed);
        Self { stations, taken: BTreeSet::new(), settled: BTreeSet::new(), rng }
    }

    pub fn stations(&self) -> &[PlanetId] {
        &self.stations
    }

    /// Where the player's next robots are spawned; none if there is no station.
    pub(crate) fn draw(&mut self, player: PlayerId, robots: u32) -> Vec<PlanetId> {
        if self.stations.is_empty() {
            return Vec::new();
        }
        let mut drawn = Vec::with_capacity(robots as usize);
        if robots > 0 && self.settled.insert(player) {
            let is_free = |station: &PlanetId| !self.taken.contains(station);
            let free: Vec<_> = self.stations.iter().copied().filter(is_free).collect();
            let first = self.rng.pick(if free.is_empty() { &self.stations } else { &free }).copied();
            self.taken.extend(first);
            drawn.extend(first);
        }
        while drawn.len() < robots as usize {
            drawn.extend(self.rng.pick(&self.stations));
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn planets(numbers: std::ops::Range<u128>) -> Vec<PlanetId> {
        numbers.map(|number| PlanetId(Uuid::from_u128(number))).collect()
    }

    fn player(number: u128) -> PlayerId {
        PlayerId(Uuid::from_u128(number))
    }

    #[test]
    fn first_robots_stand_alone_while_there_are_free_stations() {
        for seed in 0..50 {
            let mut sites = SpawnSites::new(planets(0..8), seed);
            let firsts: BTreeSet<_> = (0..8).map(|number| sites.draw(player(number), 3)[0]).collect();
            assert_eq!(firsts.len(), 8, "seed {seed}");
            assert_eq!(sites.draw(player(9), 2).len(), 2, "with none free any will do");
        }
    }

    #[test]
    fn the_choice_depends_on_the_seed_and_not_on_the_ids() {
        let draw = |seed, first: u128| {
            let mut sites = SpawnSites::new(planets(first..first + 5), seed);
            let drawn = (0..20).flat_map(|number| sites.draw(player(number), 2)).collect::<Vec<_>>();
            drawn.into_iter().map(|planet| planet.0.as_u128() - first).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 0), draw(1, 100));
        assert_ne!(draw(1, 0), draw(2, 0));
    }

    #[test]
    fn without_a_station_nothing_is_drawn() {
        assert_eq!(SpawnSites::new(vec![], 1).draw(player(1), 2), []);
    }
}
