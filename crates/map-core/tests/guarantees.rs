//! What every generated world promises, tried over seeds, sizes and styles.
//! The values of the certificate are computed a second time here, in another way than the generator does.

use std::collections::BTreeSet;

use proptest::prelude::*;
use starkeep_map_core::fairness::VALUE_UNIT;
use starkeep_map_core::{
    Layout, Planet, PlanetId, ResourceKind, SEEDS, Slot, Spec, Style, Terrain, check_guarantees, generate,
};
use uuid::Uuid;

fn terrain(layout: &Layout) -> Terrain {
    let planets: Vec<Planet> =
        (0..).zip(&layout.planets).map(|(n, planet)| planet.with_id(PlanetId(Uuid::from_u128(n)))).collect();
    Terrain::new(layout.side, planets)
}

#[track_caller]
fn assert_kept(seed: u64, players: u32, style: Style) -> Layout {
    let spec = Spec { players, style };
    let layout = generate(seed, &spec);
    assert_eq!(check_guarantees(&layout, &spec), Ok(()), "seed {seed}, {spec:?}");
    layout
}

/// Distances from a planet to all others: every planet is looked at again until nothing gets shorter.
fn distances(terrain: &Terrain, from: Slot) -> Vec<Option<u32>> {
    let mut distances: Vec<Option<u32>> = vec![None; terrain.planets().len()];
    distances[from as usize] = Some(0);
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for slot in (0..).take(distances.len()) {
            let cost = u32::from(terrain.planet(slot).movement_difficulty);
            let ways = terrain.neighbours(slot).filter_map(|(_, from)| distances[from as usize]);
            let Some(shortest) = ways.min().map(|way| way + cost) else { continue };
            if slot != from && distances[slot as usize].is_none_or(|known| shortest < known) {
                distances[slot as usize] = Some(shortest);
                has_changed = true;
            }
        }
    }
    distances
}

fn assert_certificate(layout: &Layout, players: u32) {
    let reach = if players > 99 { 6 } else { 20 };
    let terrain = terrain(layout);
    let stations: Vec<Slot> = terrain.stations().collect();
    assert_eq!(layout.fairness.values.len(), stations.len());
    for (station, value) in stations.into_iter().zip(&layout.fairness.values) {
        let distances = distances(&terrain, station);
        assert!(distances.iter().all(Option::is_some), "all can be reached");
        let in_reach = layout.deposits.iter().filter_map(|deposit| {
            let distance = distances[deposit.slot as usize]?;
            let weight = match deposit.kind {
                ResourceKind::Coal => 1,
                ResourceKind::Iron => 2,
                ResourceKind::Gem => 4,
                ResourceKind::Gold => 8,
                ResourceKind::Platin => 16,
            };
            (distance <= reach).then(|| weight * VALUE_UNIT / u64::from(1 + distance))
        });
        assert_eq!(in_reach.sum::<u64>(), *value);
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

fn players() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 1..10_u32, 4 => 10..20_u32, 3 => 20..100_u32, 1 => 100..600_u32]
}

fn styles() -> impl Strategy<Value = Style> {
    prop::sample::select(Style::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_world_keeps_its_promises(seed in SEEDS, players in players(), style in styles()) {
        assert_kept(seed, players, style);
    }

    #[test]
    fn the_certificate_is_what_anybody_can_compute(seed in SEEDS, players in 1..20_u32, style in styles()) {
        assert_certificate(&generate(seed, &Spec { players, style }), players);
    }

    #[test]
    fn a_seed_is_a_world(seed in SEEDS, players in players(), style in styles()) {
        let spec = Spec { players, style };
        let first = generate(seed, &spec);
        prop_assert_eq!(&first, &generate(seed, &spec));
        prop_assert_ne!(&first.planets, &generate(seed ^ 1, &spec).planets);
    }

    #[test]
    fn neighbours_agree_on_where_they_are(seed in SEEDS, players in 1..30_u32, style in styles()) {
        assert_neighbours_agree(&terrain(&generate(seed, &Spec { players, style })));
    }
}

#[test]
fn two_hundred_seeds_of_each_small_size_are_fair() {
    for style in Style::ALL {
        for players in [1, 4, 9] {
            for seed in 0..200 {
                assert_kept(seed, players, style);
            }
        }
    }
}

#[test]
fn the_fullest_world_of_each_size_keeps_its_promises() {
    for players in [1, 9, 10, 19, 20, 99, 100, 101, 106] {
        for (seed, style) in (0..10).zip(Style::ALL.into_iter().cycle()) {
            assert_kept(seed, players, style);
        }
    }
}

#[test]
fn crowded_worlds_have_the_certificate_that_anybody_can_compute() {
    for players in [99, 100] {
        assert_certificate(&generate(3, &Spec { players, style: Style::Balanced }), players);
    }
}

#[test]
fn the_largest_world_keeps_its_promises() {
    for style in Style::ALL {
        let largest = assert_kept(1, 10_000, style);
        assert_eq!(largest.side, 350);
    }
}

#[test]
fn balancing_makes_starts_more_even() {
    for players in [2, 6, 9, 15, 40, 150] {
        let fairness_of = |style| generate(5, &Spec { players, style }).fairness;
        let (balanced, symmetric) = (fairness_of(Style::Balanced), fairness_of(Style::Symmetric));
        for fairness in [balanced, symmetric] {
            let after = fairness.spread();
            // best / worst is smaller than before, without dividing by a worst that may be 0.
            let (best, worst) = (fairness.before.best, fairness.before.worst);
            assert!(
                after.best * worst <= best * after.worst,
                "{players} players: {after:?} from {best} / {worst}"
            );
        }
        let wild = fairness_of(Style::Wild);
        assert_eq!(wild.spread(), wild.before, "nothing was moved");
    }
}

#[test]
#[should_panic(expected = "a world for nobody")]
fn a_world_for_nobody_is_not_drawn() {
    generate(1, &Spec { players: 0, style: Style::Wild });
}
