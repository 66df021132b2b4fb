//! Where bought robots are spawned: each player's first one on a station of its own, as long as there are free ones; all
//! further ones on any station, drawn by the game's seed.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::OrdMap;
use starkeep_core_types::{PlanetId, PlayerId, Rng};

/// The stations of a game and what has been drawn so far. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpawnSites {
    /// In the order in which the map told of them, which does not depend on their ids. None before it has.
    pub stations: Option<Arc<[PlanetId]>>,
    /// Where each player's first robot was spawned.
    pub firsts: OrdMap<PlayerId, PlanetId>,
    /// The state of what is drawn from; none before the first robot of the game.
    pub rng_state: Option<u64>,
}

/// What was drawn for one purchase.
pub(crate) struct Draw {
    pub(crate) planets: Vec<PlanetId>,
    /// The first planet is that of the player's first robot.
    pub(crate) is_first: bool,
}

impl SpawnSites {
    pub fn stations(&self) -> &[PlanetId] {
        self.stations.as_deref().unwrap_or_default()
    }

    /// Where the player's next robots are spawned; none if there is no station. The seed is for the game's first robot.
    pub(crate) fn draw(&mut self, player: PlayerId, robots: u32, seed: u64) -> Option<Draw> {
        let stations = self.stations.clone().filter(|stations| !stations.is_empty())?;
        let mut rng = self.rng_state.map_or_else(|| Rng::from_seed(seed), Rng::from_state);
        let mut planets = Vec::with_capacity(robots as usize);
        let is_first = robots > 0 && !self.firsts.contains_key(&player);
        if is_first {
            let taken: BTreeSet<_> = self.firsts.values().copied().collect();
            let free: Vec<_> = stations.iter().copied().filter(|station| !taken.contains(station)).collect();
            let first = rng.pick(if free.is_empty() { &stations } else { &free }).copied();
            self.firsts.extend(first.map(|first| (player, first)));
            planets.extend(first);
        }
        while planets.len() < robots as usize {
            planets.extend(rng.pick(&stations));
        }
        self.rng_state = Some(rng.state());
        Some(Draw { planets, is_first })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn sites(numbers: std::ops::Range<u128>) -> SpawnSites {
        let stations = numbers.map(|number| PlanetId(Uuid::from_u128(number))).collect();
        SpawnSites { stations: Some(stations), ..SpawnSites::default() }
    }

    fn player(number: u128) -> PlayerId {
        PlayerId(Uuid::from_u128(number))
    }

    fn draw(sites: &mut SpawnSites, number: u128, robots: u32, seed: u64) -> Vec<PlanetId> {
        sites.draw(player(number), robots, seed).unwrap().planets
    }

    #[test]
    fn first_robots_stand_alone_while_there_are_free_stations() {
        for seed in 0..50 {
            let mut sites = sites(0..8);
            let firsts: BTreeSet<_> = (0..8).map(|number| draw(&mut sites, number, 3, seed)[0]).collect();
            assert_eq!(firsts.len(), 8, "seed {seed}");
            assert_eq!(draw(&mut sites, 9, 2, seed).len(), 2, "with none free any will do");
        }
    }

    #[test]
    fn the_choice_depends_on_the_first_seed_and_not_on_the_ids() {
        let drawn = |seed, later, first: u128| {
            let mut sites = sites(first..first + 5);
            let drawn = (0..20_u128)
                .flat_map(|number| draw(&mut sites, number, 2, if number == 0 { seed } else { later }));
            drawn.map(|planet| planet.0.as_u128() - first).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, 1, 0), drawn(1, 7, 100));
        assert_ne!(drawn(1, 1, 0), drawn(2, 1, 0));
    }

    #[test]
    fn without_a_station_nothing_is_drawn() {
        assert!(sites(0..0).draw(player(1), 2, 1).is_none());
        assert!(SpawnSites::default().draw(player(1), 2, 1).is_none());
    }
}
