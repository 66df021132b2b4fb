//! How fair the starts of a world are: the value of each space station, from what lies in reach of a new robot.
//! Values are exact: whole multiples of a fraction that every distance divides.

use starkeep_core_types::ResourceKind;

use crate::graph::Graph;
use crate::resource::NewDeposit;
use crate::terrain::{PlanetKind, PlanetWithoutId, Slot};

/// A value of 1, in the units that values are counted in: the least number that 1…21 divide, so that weight / (1 + distance)
/// is whole for every distance up to 20.
pub const VALUE_UNIT: u64 = 232_792_560;

/// Every start of a generated world has coal within this distance.
pub const COAL_REACH: u8 = 6;

/// How far a new robot comes before it has to rest; in crowded worlds others are nearer to what lies farther away.
pub fn reach(players: u32) -> u8 {
    if players > 99 { 6 } else { 20 }
}

pub(crate) fn weight(kind: ResourceKind) -> u64 {
    match kind {
        ResourceKind::Coal => 1,
        ResourceKind::Iron => 2,
        ResourceKind::Gem => 4,
        ResourceKind::Gold => 8,
        ResourceKind::Platin => 16,
    }
}

/// What a deposit at this distance is worth, in [`VALUE_UNIT`]s.
pub(crate) fn worth(kind: ResourceKind, distance: u8) -> u64 {
    weight(kind) * VALUE_UNIT / (1 + u64::from(distance))
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    pub connected: bool,
    /// The fewest moves between two space stations; nothing if there is only one.
    pub least_distance: Option<u32>,
    /// The values of the space stations in slot order, in [`VALUE_UNIT`]s.
    pub values: Vec<u64>,
    /// As it was before deposits were moved.
    pub before: Spread,
}

/// The values of the best and the worst start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    pub best: u64,
    pub worst: u64,
}

impl Fairness {
    /// Of a world whose deposits were not moved.
    pub(crate) fn of(
        graph: &Graph,
        planets: &[PlanetWithoutId],
        deposits: &[NewDeposit],
        players: u32,
    ) -> Self {
        let mut kinds: Vec<Option<ResourceKind>> = vec![None; planets.len()];
        for deposit in deposits {
            kinds[deposit.slot as usize] = Some(deposit.kind);
        }
        let stations = stations(planets);
        let mut search = graph.search();
        let values: Vec<u64> = stations
            .iter()
            .map(|station| {
                let near = search.within(*station, reach(players));
                near.filter_map(|(slot, distance)| Some(worth(kinds[slot as usize]?, distance))).sum()
            })
            .collect();
        let before = Spread::of(&values);
        Self::new(graph, &stations, values, before)
    }

    pub(crate) fn new(graph: &Graph, stations: &[Slot], values: Vec<u64>, before: Spread) -> Self {
        let least_distance = graph.least_moves_between(stations);
        Self { connected: graph.is_connected(), least_distance, values, before }
    }

    pub fn spread(&self) -> Spread {
        Spread::of(&self.values)
    }
}

impl Spread {
    pub(crate) fn of(values: &[u64]) -> Self {
        let bounds = values.iter().fold(None, |bounds, &value| {
            let (best, worst) = bounds.unwrap_or((value, value));
            Some((value.max(best), value.min(worst)))
        });
        let (best, worst) = bounds.unwrap_or((0, 0));
        Self { best, worst }
    }

    /// The best start is worth at most one and a half times the worst.
    pub fn is_even(self) -> bool {
        2 * self.best <= 3 * self.worst
    }

    /// Best divided by worst; nothing if the worst is 0.
    #[allow(clippy::cast_precision_loss, reason = "values are far smaller than 2^53")]
    pub fn ratio(self) -> Option<f64> {
        (self.worst > 0).then(|| self.best as f64 / self.worst as f64)
    }
}

/// The value as a number.
#[allow(clippy::cast_precision_loss, reason = "values are far smaller than 2^53")]
pub fn value_as_number(value: u64) -> f64 {
    value as f64 / VALUE_UNIT as f64
}

pub(crate) fn stations(planets: &[PlanetWithoutId]) -> Vec<Slot> {
    (0..)
        .zip(planets)
        .filter(|(_, planet)| planet.kind == PlanetKind::SpaceStation)
        .map(|(slot, _)| slot)
        .collect()
}
