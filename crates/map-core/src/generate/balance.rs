//! The stage that makes the starts even: deposits move within their regions until every start has coal near it and is worth
//! about the same. What was worth how much before is kept for the certificate.

mod search;
mod surroundings;

use starkeep_core_types::Rng;

use self::search::Search;
use self::surroundings::Surroundings;
use crate::fairness::{Fairness, Spread, reach, stations, worth};
use crate::graph::Graph;
use crate::resource::NewDeposit;
use crate::spec::{Spec, Style};
use crate::terrain::{PlanetKind, PlanetWithoutId};

/// A world before and while its deposits move.
pub(super) struct Draft<'a> {
    pub(super) spec: &'a Spec,
    pub(super) side: u32,
    pub(super) planets: &'a [PlanetWithoutId],
    pub(super) graph: &'a Graph,
}

/// Moves deposits: coal to every start, and, unless the world is wild, whatever makes the starts even. Nothing if no coal was
/// found for a start.
pub(super) fn balance(draft: &Draft<'_>, deposits: &mut [NewDeposit], rng: &mut Rng) -> Option<Fairness> {
    let &Draft { spec, planets, graph, .. } = draft;
    let stations = stations(planets);
    let surroundings = Surroundings::new(graph, &stations, reach(spec.players), |slot| {
        planets[slot as usize].kind == PlanetKind::Default
    });
    let drawn = Spread::of(&values(&surroundings, stations.len(), deposits));

    let mut search = Search::new(draft, &surroundings, stations.len(), deposits);
    search.bring_coal_near(rng);
    if search.without_coal() > 0 {
        return None;
    }
    if spec.style != Style::Wild {
        search.even_out(rng);
    }
    let mut moved = search.into_deposits();
    moved.sort_unstable_by_key(|(slot, _)| *slot);
    for (deposit, (slot, kind)) in deposits.iter_mut().zip(moved) {
        *deposit = NewDeposit::full(slot, kind);
    }
    let values = values(&surroundings, stations.len(), deposits);
    let before = if spec.style == Style::Wild { Spread::of(&values) } else { drawn };
    Some(Fairness::new(graph, &stations, values, before))
}

/// The exact values of the starts.
fn values(surroundings: &Surroundings, starts: usize, deposits: &[NewDeposit]) -> Vec<u64> {
    let mut values = vec![0; starts];
    for deposit in deposits {
        for near in surroundings.of_planet(deposit.slot) {
            values[near.number() as usize] += worth(deposit.kind, near.distance());
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use starkeep_core_types::ResourceKind;

    use super::*;
    use crate::fairness::COAL_REACH;

    /// A station in the middle of a row of planets.
    fn row() -> Vec<PlanetWithoutId> {
        let kind = |x| if x == 7 { PlanetKind::SpaceStation } else { PlanetKind::Default };
        (0..15).map(|x| PlanetWithoutId { x, y: 0, kind: kind(x), movement_difficulty: 1 }).collect()
    }

    fn balanced(kind: ResourceKind) -> Option<NewDeposit> {
        let planets = row();
        let graph = Graph::new(15, &planets);
        let spec = Spec { players: 1, style: Style::Balanced };
        let draft = Draft { spec: &spec, side: 15, planets: &planets, graph: &graph };
        let mut deposits = [NewDeposit::full(0, kind)];
        balance(&draft, &mut deposits, &mut Rng::from_seed(1)).map(|_| deposits[0])
    }

    #[test]
    fn coal_is_brought_near() {
        let coal = balanced(ResourceKind::Coal).unwrap();
        assert!(coal.slot.abs_diff(7) <= u32::from(COAL_REACH), "{coal:?}");
    }

    #[test]
    fn where_there_is_no_coal_nothing_is_promised() {
        assert_eq!(balanced(ResourceKind::Iron), None);
    }
}
