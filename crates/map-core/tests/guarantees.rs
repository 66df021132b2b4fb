//! What every generated world promises, tried over seeds and sizes.
//! Tables of single formulas stand beside the formulas.

use std::collections::BTreeSet;

use proptest::prelude::*;
use starkeep_map_core::{
    GeneratedMap, Planet, PlanetId, PlanetKind, ResourceKind, Ring, SEEDS, Slot, Spec, Style, Terrain,
    deposits_in, generate, lies_in, side,
};
use uuid::Uuid;

fn map(seed: u64, players: u32) -> GeneratedMap {
    generate(seed, &Spec { players, style: Style::Balanced })
}

fn terrain(map: &GeneratedMap) -> Terrain {
    let planets: Vec<Planet> =
        (0..).zip(&map.planets).map(|(n, planet)| planet.with_id(PlanetId(Uuid::from_u128(n)))).collect();
    Terrain::new(map.side, planets)
}

fn reachable_from_the_first(terrain: &Terrain) -> usize {
    let mut seen = vec![false; terrain.planets().len()];
    seen[0] = true;
    let mut to_visit: Vec<Slot> = vec![0];
    let mut count = 0;
    while let Some(slot) = to_visit.pop() {
        count += 1;
        for (_, neighbour) in terrain.neighbours(slot) {
            if !std::mem::replace(&mut seen[neighbour as usize], true) {
                to_visit.push(neighbour);
            }
        }
    }
    count
}

fn assert_connected(map: &GeneratedMap) {
    assert_eq!(reachable_from_the_first(&terrain(map)), map.planets.len(), "planets within reach");
}

/// Exactly 2 a player, in the outer ring, and none next to another.
fn assert_stations(map: &GeneratedMap, players: u32) {
    let terrain = terrain(map);
    let stations: Vec<Slot> = terrain.stations().collect();
    assert_eq!(stations.len(), 2 * players as usize);
    for slot in stations {
        let station = terrain.planet(slot);
        assert_eq!(station.ring(map.side), Ring::Outer);
        assert_eq!((station.movement_difficulty(map.side), station.recharge_multiplicator()), (1, 2));
        for (direction, neighbour) in terrain.neighbours(slot) {
            assert_eq!(terrain.planet(neighbour).kind, PlanetKind::Default, "{station:?} {direction:?}");
        }
    }
}

/// As many as were drawn, none in the inner ring, none in the second lane from an edge.
fn assert_holes(map: &GeneratedMap) {
    let terrain = terrain(map);
    let side = u16::try_from(map.side).expect("a side of at most 350");
    let mut holes = 0;
    for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
        if terrain.slot_at(x, y).is_none() {
            holes += 1;
            assert_ne!(Ring::at(x, y, map.side), Ring::Inner, "hole at ({x}, {y})");
            assert!([x, y].iter().all(|place| ![1, side - 2].contains(place)), "hole at ({x}, {y})");
        }
    }
    let tenth = (map.side * map.side).div_ceil(10);
    assert!([tenth, 2 * tenth, 3 * tenth].contains(&holes), "{holes} holes, a tenth are {tenth}");
}

/// As many as the table says, each in its region, on planets that are no stations.
fn assert_deposits(map: &GeneratedMap) {
    assert!(map.deposits.is_sorted_by(|(a, _), (b, _)| a < b), "distinct and in slot order");
    for &(slot, kind) in &map.deposits {
        let planet = map.planets[slot as usize];
        assert_eq!(planet.kind, PlanetKind::Default);
        assert!(lies_in(kind, planet.ring(map.side)), "{kind:?} at {planet:?}");
    }
    for kind in ResourceKind::ALL {
        let count = map.deposits.iter().filter(|(_, placed)| *placed == kind).count();
        assert_eq!(count, deposits_in(kind, map.side) as usize, "{kind:?}");
    }
}

fn assert_neighbours_agree(terrain: &Terrain) {
    for (slot, planet) in (0..).zip(terrain.planets()) {
        assert_eq!(terrain.slot_at(planet.x, planet.y), Some(slot));
        let mut directions = BTreeSet::new();
        for (direction, neighbour) in terrain.neighbours(slot) {
            assert!(directions.insert(direction), "one neighbour a direction, in order");
            assert_eq!(directions.last(), Some(&direction), "one neighbour a direction, in order");
            let back: Vec<_> = terrain.neighbours(neighbour).filter(|(_, back)| *back == slot).collect();
            assert_eq!(back, [(direction.opposite(), slot)]);
        }
    }
}

fn assert_all(map: &GeneratedMap, players: u32) {
    assert_eq!(map.side, side(players));
    assert_connected(map);
    assert_stations(map, players);
    assert_holes(map);
    assert_deposits(map);
}

fn players() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 1..10_u32, 4 => 10..20_u32, 3 => 20..100_u32, 1 => 100..600_u32]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_world_keeps_its_promises(seed in SEEDS, players in players()) {
        assert_all(&map(seed, players), players);
    }

    #[test]
    fn a_seed_is_a_world(seed in SEEDS, players in players()) {
        let first = map(seed, players);
        prop_assert_eq!(&first, &map(seed, players));
        prop_assert_ne!(&first.planets, &map(seed ^ 1, players).planets);
    }

    #[test]
    fn neighbours_agree_on_where_they_are(seed in SEEDS, players in 1..30_u32) {
        assert_neighbours_agree(&terrain(&map(seed, players)));
    }
}

#[test]
fn the_fullest_world_of_each_size_keeps_its_promises() {
    for players in [1, 9, 10, 19, 20, 99, 100, 101, 106] {
        for seed in 0..10 {
            assert_all(&map(seed, players), players);
        }
    }
}

#[test]
fn the_largest_world_keeps_its_promises() {
    let largest = map(1, 10_000);
    assert_eq!(largest.side, 350);
    assert_all(&largest, 10_000);
}

#[test]
#[should_panic(expected = "a world for 10001 players")]
fn a_world_that_nobody_may_ask_for_is_not_drawn() {
    map(1, 10_001);
}
