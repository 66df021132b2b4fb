//! What every generated layout promises, checked on the finished layout, whatever the generator did.
//! The command line checks thousands of seeds with it; it says what is broken, not where in the generator.

use std::error::Error;
use std::fmt;

use starkeep_core_types::ResourceKind;

use crate::fairness::{COAL_REACH, Fairness, stations};
use crate::graph::Graph;
use crate::layout::Layout;
use crate::resource::{deposits_in, lies_in};
use crate::spec::{MOST_PLAYERS_WITH_EVEN_STARTS, Spec, Style, least_spacing, side};
use crate::terrain::{PlanetKind, PlanetWithoutId, Ring, Slot};

/// A promise that a layout does not keep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenGuarantee(String);

impl fmt::Display for BrokenGuarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for BrokenGuarantee {}

type Checked = Result<(), BrokenGuarantee>;

/// Checks a layout against the spec that it was generated for.
pub fn check_guarantees(layout: &Layout, spec: &Spec) -> Checked {
    ensure(layout.side == side(spec.players), || format!("the side is {}", layout.side))?;
    let graph = Graph::new(layout.side, &layout.planets);
    check_planets(layout, *spec)?;
    ensure(graph.is_connected(), || "the world is in pieces".to_owned())?;
    check_stations(layout, *spec)?;
    check_deposits(layout, *spec)?;
    if spec.style == Style::Symmetric {
        check_symmetry(layout)?;
    }
    check_certificate(layout, *spec, &graph)?;
    check_coal(layout, &graph)?;
    if spec.style != Style::Wild {
        let spread = layout.fairness.spread();
        ensure(spec.players > MOST_PLAYERS_WITH_EVEN_STARTS || spread.is_even(), || {
            format!("the best start is worth {:?} times the worst", spread.ratio())
        })?;
    }
    Ok(())
}

fn ensure(holds: bool, broken: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(BrokenGuarantee(broken())) }
}

/// In symmetric worlds everything comes in pairs.
fn in_pairs(count: u32, style: Style) -> u32 {
    if style == Style::Symmetric { count.next_multiple_of(2) } else { count }
}

fn check_planets(layout: &Layout, spec: Spec) -> Checked {
    let side = layout.side;
    let mut is_hole = vec![true; side as usize * side as usize];
    for planet in &layout.planets {
        let PlanetWithoutId { x, y, movement_difficulty, .. } = *planet;
        let expected = planet.ring(side).movement_difficulty();
        ensure(movement_difficulty == expected, || {
            format!("difficulty {movement_difficulty} at ({x}, {y})")
        })?;
        is_hole[usize::from(y) * side as usize + usize::from(x)] = false;
    }
    let tenth = (side * side).div_ceil(10);
    let holes = side * side - u32::try_from(layout.planets.len()).unwrap_or(u32::MAX);
    let allowed = [1, 2, 3].map(|tenths| in_pairs(tenths * tenth, spec.style));
    ensure(allowed.contains(&holes), || format!("{holes} holes instead of one of {allowed:?}"))?;
    let last = u16::try_from(side - 1).unwrap_or(u16::MAX);
    let places = (0..=last).flat_map(|y| (0..=last).map(move |x| (x, y)));
    for ((x, y), _) in places.zip(is_hole).filter(|(_, is_hole)| *is_hole) {
        let is_lane = [x, y].iter().any(|place| [1, last - 1].contains(place));
        ensure(!is_lane && Ring::at(x, y, side) != Ring::Inner, || format!("a hole at ({x}, {y})"))?;
    }
    Ok(())
}

fn check_stations(layout: &Layout, spec: Spec) -> Checked {
    let stations: Vec<&PlanetWithoutId> =
        layout.planets.iter().filter(|planet| planet.kind == PlanetKind::SpaceStation).collect();
    let expected = 2 * spec.players as usize;
    ensure(stations.len() == expected, || format!("{} stations instead of {expected}", stations.len()))?;
    for station in &stations {
        let PlanetWithoutId { x, y, .. } = station;
        ensure(station.ring(layout.side) == Ring::Outer, || format!("a station inside, at ({x}, {y})"))?;
    }
    let least = least_spacing(spec.players);
    for (number, a) in stations.iter().enumerate() {
        // They are in the order of their rows, so those that are near come next.
        let rows = stations[number + 1..].iter().take_while(|b| b.y - a.y < least);
        for b in rows {
            let apart = a.x.abs_diff(b.x) + (b.y - a.y);
            ensure(apart >= least, || {
                format!(
                    "stations at ({}, {}) and ({}, {}) are {apart} apart, not {least}",
                    a.x, a.y, b.x, b.y
                )
            })?;
        }
    }
    Ok(())
}

fn check_deposits(layout: &Layout, spec: Spec) -> Checked {
    let in_order = layout.deposits.is_sorted_by(|a, b| a.slot < b.slot);
    ensure(in_order, || "two deposits on a planet".to_owned())?;
    for deposit in &layout.deposits {
        let planet = &layout.planets[deposit.slot as usize];
        let fits = planet.kind == PlanetKind::Default && lies_in(deposit.kind, planet.ring(layout.side));
        ensure(fits, || format!("{} at ({}, {})", deposit.kind.as_str(), planet.x, planet.y))?;
    }
    for kind in ResourceKind::ALL {
        let count = layout.deposits.iter().filter(|deposit| deposit.kind == kind).count();
        let expected = in_pairs(deposits_in(kind, layout.side), spec.style);
        ensure(count == expected as usize, || {
            format!("{count} deposits of {} instead of {expected}", kind.as_str())
        })?;
    }
    Ok(())
}

/// After half a turn the rows are read from the other end.
fn check_symmetry(layout: &Layout) -> Checked {
    let last = u16::try_from(layout.side - 1).unwrap_or(u16::MAX);
    let turned = layout.planets.iter().rev().map(|planet| PlanetWithoutId {
        x: last - planet.x,
        y: last - planet.y,
        ..*planet
    });
    ensure(turned.eq(layout.planets.iter().copied()), || "the planets are not symmetric".to_owned())?;
    let last = Slot::try_from(layout.planets.len() - 1).unwrap_or(Slot::MAX);
    let turned = layout.deposits.iter().rev().map(|deposit| (last - deposit.slot, deposit.kind));
    let deposits = layout.deposits.iter().map(|deposit| (deposit.slot, deposit.kind));
    ensure(turned.eq(deposits), || "the deposits are not symmetric".to_owned())
}

fn check_certificate(layout: &Layout, spec: Spec, graph: &Graph) -> Checked {
    let actual = Fairness::of(graph, &layout.planets, &layout.deposits, spec.players);
    let certified = Fairness { before: layout.fairness.before, ..actual };
    ensure(layout.fairness == certified, || "the certificate does not fit the world".to_owned())
}

fn check_coal(layout: &Layout, graph: &Graph) -> Checked {
    let mut has_coal = vec![false; layout.planets.len()];
    for deposit in layout.deposits.iter().filter(|deposit| deposit.kind == ResourceKind::Coal) {
        has_coal[deposit.slot as usize] = true;
    }
    let mut search = graph.search();
    for station in stations(&layout.planets) {
        let is_near = search.within(station, COAL_REACH).any(|(slot, _)| has_coal[slot as usize]);
        let PlanetWithoutId { x, y, .. } = layout.planets[station as usize];
        ensure(is_near, || format!("no coal near the station at ({x}, {y})"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::resource::NewDeposit;

    fn symmetric() -> (Layout, Spec) {
        let spec = Spec { players: 4, style: Style::Symmetric };
        (generate(1, &spec), spec)
    }

    #[track_caller]
    fn assert_broken(change: impl FnOnce(&mut Layout), expected: &str) {
        let (mut layout, spec) = symmetric();
        change(&mut layout);
        let broken = check_guarantees(&layout, &spec).unwrap_err().to_string();
        assert!(broken.contains(expected), "{broken}");
    }

    #[test]
    fn a_layout_as_generated_keeps_all_of_them() {
        let (layout, spec) = symmetric();
        assert_eq!(check_guarantees(&layout, &spec), Ok(()));
    }

    #[test]
    fn each_broken_guarantee_is_noticed() {
        assert_broken(|layout| layout.side = 14, "the side is 14");
        assert_broken(|layout| layout.planets[3].movement_difficulty = 2, "difficulty 2 at");
        assert_broken(|layout| layout.planets.truncate(layout.planets.len() - 1), "holes instead of");
        assert_broken(
            |layout| {
                let default = layout.planets.iter_mut().find(|planet| planet.kind == PlanetKind::Default);
                default.unwrap().kind = PlanetKind::SpaceStation;
            },
            "9 stations instead of 8",
        );
        assert_broken(|layout| layout.deposits.truncate(layout.deposits.len() - 1), "deposits of");
        assert_broken(|layout| layout.fairness.values[0] += 1, "the certificate does not fit");
        assert_broken(|layout| layout.fairness.connected = false, "the certificate does not fit");
        assert_broken(
            |layout| {
                let coal = layout.deposits.iter().position(|deposit| deposit.kind == ResourceKind::Coal);
                let taken = |slot: Slot| layout.deposits.iter().any(|deposit| deposit.slot == slot);
                let free = (0..).zip(&layout.planets).find(|(slot, planet)| {
                    planet.kind == PlanetKind::Default && planet.ring(15) == Ring::Outer && !taken(*slot)
                });
                let free = free.unwrap().0;
                layout.deposits.remove(coal.unwrap());
                layout.deposits.push(NewDeposit::full(free, ResourceKind::Coal));
                layout.deposits.sort_by_key(|deposit| deposit.slot);
            },
            "the deposits are not symmetric",
        );
    }
}
