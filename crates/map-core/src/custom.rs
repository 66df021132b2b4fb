//! Worlds that are made by hand: the planets as somebody wrote them down, checked, as a layout.
//! What is wrong is said with the position of the planet in the list.

use std::error::Error;
use std::fmt;

use starkeep_core_types::ResourceKind;

use crate::fairness::Fairness;
use crate::graph::Graph;
use crate::layout::Layout;
use crate::resource::NewDeposit;
use crate::terrain::{MOST_DIFFICULT, PlanetKind, PlanetWithoutId, Slot};

/// As many as the largest generated world has places for.
pub const MOST_CUSTOM_PLANETS: usize = 122_500;
/// Coordinates are smaller than this.
pub const CUSTOM_SIDE: u16 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CustomPlanet {
    pub planet: PlanetWithoutId,
    pub deposit: Option<CustomDeposit>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CustomDeposit {
    pub kind: ResourceKind,
    pub max_amount: i64,
    pub current_amount: i64,
}

/// What is wrong with a list of planets. Positions count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CustomFault {
    NoPlanets,
    TooManyPlanets {
        count: usize,
    },
    TooFarOut {
        position: usize,
        x: u16,
        y: u16,
    },
    BadDifficulty {
        position: usize,
        difficulty: u8,
    },
    BadAmounts {
        position: usize,
        current: i64,
        max: i64,
    },
    DepositOnStation {
        position: usize,
    },
    SamePlace {
        position: usize,
        earlier: usize,
        x: u16,
        y: u16,
    },
    NoStation,
    /// The planet cannot be reached from the first one.
    CutOff {
        position: usize,
        x: u16,
        y: u16,
    },
}

/// The planets get their slots row by row, whatever order they are given in.
pub fn custom_layout(planets: &[CustomPlanet], players: u32) -> Result<Layout, CustomFault> {
    check_each(planets)?;
    let mut order: Vec<usize> = (0..planets.len()).collect();
    order.sort_by_key(|position| place(&planets[*position]));
    for pair in order.windows(2) {
        let (earlier, position) = (pair[0], pair[1]);
        let CustomPlanet { planet: PlanetWithoutId { x, y, .. }, .. } = planets[position];
        if place(&planets[earlier]) == (y, x) {
            return Err(CustomFault::SamePlace { position, earlier, x, y });
        }
    }
    if !planets.iter().any(|custom| custom.planet.kind == PlanetKind::SpaceStation) {
        return Err(CustomFault::NoStation);
    }
    let sorted: Vec<PlanetWithoutId> = order.iter().map(|position| planets[*position].planet).collect();
    let side = sorted.iter().map(|planet| planet.x.max(planet.y)).max().map_or(1, |most| u32::from(most) + 1);
    let graph = Graph::new(side, &sorted);
    check_connected(&graph, &sorted, &order)?;
    let deposits: Vec<NewDeposit> = (0..)
        .zip(&order)
        .filter_map(|(slot, position)| {
            let CustomDeposit { kind, max_amount, current_amount } = planets[*position].deposit?;
            Some(NewDeposit { slot, kind, max_amount, current_amount })
        })
        .collect();
    let fairness = Fairness::of(&graph, &sorted, &deposits, players);
    Ok(Layout { side, planets: sorted, deposits, fairness })
}

/// Row by row from the south west.
fn place(custom: &CustomPlanet) -> (u16, u16) {
    (custom.planet.y, custom.planet.x)
}

fn check_each(planets: &[CustomPlanet]) -> Result<(), CustomFault> {
    if planets.is_empty() {
        return Err(CustomFault::NoPlanets);
    }
    if planets.len() > MOST_CUSTOM_PLANETS {
        return Err(CustomFault::TooManyPlanets { count: planets.len() });
    }
    for (position, CustomPlanet { planet, deposit }) in planets.iter().enumerate() {
        let &PlanetWithoutId { x, y, kind, movement_difficulty: difficulty } = planet;
        if x >= CUSTOM_SIDE || y >= CUSTOM_SIDE {
            return Err(CustomFault::TooFarOut { position, x, y });
        }
        if !(1..=MOST_DIFFICULT).contains(&difficulty) {
            return Err(CustomFault::BadDifficulty { position, difficulty });
        }
        let Some(CustomDeposit { max_amount: max, current_amount: current, .. }) = *deposit else { continue };
        if kind == PlanetKind::SpaceStation {
            return Err(CustomFault::DepositOnStation { position });
        }
        if max < 1 || !(0..=max).contains(&current) {
            return Err(CustomFault::BadAmounts { position, current, max });
        }
    }
    Ok(())
}

/// `order` says where each planet stands in the list that was given.
fn check_connected(graph: &Graph, sorted: &[PlanetWithoutId], order: &[usize]) -> Result<(), CustomFault> {
    let first = order.iter().position(|position| *position == 0).unwrap_or(0);
    let first = Slot::try_from(first).expect("fewer planets than slots");
    let reached = graph.reached_from(first);
    let cut_off = (0..sorted.len()).filter(|slot| !reached[*slot]).min_by_key(|slot| order[*slot]);
    cut_off.map_or(Ok(()), |slot| {
        let PlanetWithoutId { x, y, .. } = sorted[slot];
        Err(CustomFault::CutOff { position: order[slot], x, y })
    })
}

impl CustomFault {
    /// The planet and field that the fault is about, as `[3].x`; nothing if it is about the list.
    pub fn field(&self) -> String {
        match self {
            Self::NoPlanets | Self::TooManyPlanets { .. } | Self::NoStation => String::new(),
            Self::TooFarOut { position, .. }
            | Self::SamePlace { position, .. }
            | Self::CutOff { position, .. } => {
                format!("[{position}]")
            }
            Self::BadDifficulty { position, .. } => format!("[{position}].movement_difficulty"),
            Self::BadAmounts { position, .. } => format!("[{position}].resource.current_amount"),
            Self::DepositOnStation { position } => format!("[{position}].resource"),
        }
    }
}

impl fmt::Display for CustomFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlanets => write!(f, "a world needs at least one planet"),
            Self::TooManyPlanets { count } => {
                write!(f, "a world has at most {MOST_CUSTOM_PLANETS} planets, not {count}")
            }
            Self::TooFarOut { x, y, .. } => {
                write!(f, "the planet lies at ({x}, {y}), but coordinates go from 0 to {}", CUSTOM_SIDE - 1)
            }
            Self::BadDifficulty { difficulty, .. } => {
                write!(f, "a movement difficulty goes from 1 to {MOST_DIFFICULT}, so it is not {difficulty}")
            }
            Self::BadAmounts { current, max, .. } => write!(
                f,
                "a deposit holds from 0 to its max_amount, which is at least 1, so it does not hold {current} of {max}"
            ),
            Self::DepositOnStation { .. } => write!(f, "a space station never holds a deposit"),
            Self::SamePlace { earlier, x, y, .. } => {
                write!(f, "the planet lies at ({x}, {y}), as planet {earlier} of the list does")
            }
            Self::NoStation => write!(f, "a world needs at least one planet of the type `spacestation`"),
            Self::CutOff { x, y, .. } => write!(
                f,
                "the planet at ({x}, {y}) cannot be reached from the first one of the list: \
                 planets are neighbours if they differ by 1 in x or in y"
            ),
        }
    }
}

impl Error for CustomFault {}

#[cfg(test)]
mod tests {
    use super::*;

    fn planet(x: u16, y: u16) -> CustomPlanet {
        let kind = PlanetKind::Default;
        CustomPlanet { planet: PlanetWithoutId { x, y, kind, movement_difficulty: 1 }, deposit: None }
    }

    fn station(x: u16, y: u16) -> CustomPlanet {
        let mut station = planet(x, y);
        station.planet.kind = PlanetKind::SpaceStation;
        station
    }

    fn with_deposit(custom: CustomPlanet, current_amount: i64, max_amount: i64) -> CustomPlanet {
        let deposit = CustomDeposit { kind: ResourceKind::Gold, max_amount, current_amount };
        CustomPlanet { deposit: Some(deposit), ..custom }
    }

    #[test]
    fn planets_get_their_slots_row_by_row() {
        let given = [with_deposit(planet(1, 1), 3, 9), station(0, 0), planet(1, 0)];
        let layout = custom_layout(&given, 1).unwrap();
        assert_eq!(layout.side, 2);
        assert_eq!(layout.planets, [given[1].planet, given[2].planet, given[0].planet]);
        let gold = NewDeposit { slot: 2, kind: ResourceKind::Gold, max_amount: 9, current_amount: 3 };
        assert_eq!(layout.deposits, [gold]);
        assert!(layout.fairness.connected);
        assert_eq!(layout.fairness.least_distance, None, "there is only one station");
        assert_eq!(layout.fairness.values, [crate::fairness::VALUE_UNIT * 8 / 3]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let mut hard = planet(0, 1);
        hard.planet.movement_difficulty = 21;
        let table: [(Vec<CustomPlanet>, CustomFault, &str); 9] = [
            (vec![], CustomFault::NoPlanets, ""),
            (
                vec![station(0, 0), hard],
                CustomFault::BadDifficulty { position: 1, difficulty: 21 },
                "[1].movement_difficulty",
            ),
            (
                vec![station(0, 0), planet(1000, 0)],
                CustomFault::TooFarOut { position: 1, x: 1000, y: 0 },
                "[1]",
            ),
            (
                vec![with_deposit(planet(0, 0), 10, 9)],
                CustomFault::BadAmounts { position: 0, current: 10, max: 9 },
                "[0].resource.current_amount",
            ),
            (
                vec![with_deposit(planet(0, 0), 0, 0)],
                CustomFault::BadAmounts { position: 0, current: 0, max: 0 },
                "[0].resource.current_amount",
            ),
            (
                vec![with_deposit(station(0, 0), 1, 1)],
                CustomFault::DepositOnStation { position: 0 },
                "[0].resource",
            ),
            (
                vec![station(0, 0), planet(0, 1), planet(0, 0)],
                CustomFault::SamePlace { position: 2, earlier: 0, x: 0, y: 0 },
                "[2]",
            ),
            (vec![planet(0, 0)], CustomFault::NoStation, ""),
            (
                vec![planet(2, 0), planet(3, 0), station(0, 1)],
                CustomFault::CutOff { position: 2, x: 0, y: 1 },
                "[2]",
            ),
        ];
        for (planets, expected, field) in table {
            let fault = custom_layout(&planets, 1).unwrap_err();
            assert_eq!(fault, expected);
            assert_eq!(fault.field(), field);
            assert!(!fault.to_string().is_empty());
        }
    }
}
