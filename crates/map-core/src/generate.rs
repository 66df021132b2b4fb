//! Generates a layout from a seed, in stages: stations, holes, deposits, balance. All of them use one random generator.
//! Everything is computed with whole numbers, so a seed gives the same layout on every machine.

mod balance;
mod board;
mod deposits;
mod holes;
mod stations;

use starkeep_core_types::Rng;

use self::balance::{Draft, balance};
use self::board::Board;
use crate::graph::Graph;
use crate::layout::Layout;
use crate::resource::NewDeposit;
use crate::spec::{MOST_PLAYERS_WITH_EVEN_STARTS, Spec, Style, side};
use crate::terrain::PlanetWithoutId;

/// The same seed, spec and generator version give the same layout.
///
/// # Panics
/// If there are no players.
pub fn generate(seed: u64, spec: &Spec) -> Layout {
    assert!(spec.players > 0, "a world for nobody");
    let mut rng = Rng::from_seed(seed);
    loop {
        let Draw { side, planets, mut deposits } = draw(spec, &mut rng);
        let graph = Graph::new(side, &planets);
        let draft = Draft { spec, side, planets: &planets, graph: &graph };
        let fairness = balance(&draft, &mut deposits, &mut rng);
        let may_be_uneven = spec.style == Style::Wild || spec.players > MOST_PLAYERS_WITH_EVEN_STARTS;
        if let Some(fairness) = fairness.filter(|fairness| may_be_uneven || fairness.spread().is_even()) {
            return Layout { side, planets, deposits, fairness };
        }
    }
}

/// Planets and deposits as chance has put them.
pub struct Draw {
    pub side: u32,
    pub planets: Vec<PlanetWithoutId>,
    pub deposits: Vec<NewDeposit>,
}

/// What generation begins with. It is repeated if the starts cannot be made even.
pub fn draw(spec: &Spec, rng: &mut Rng) -> Draw {
    let side = side(spec.players);
    let mut board = Board::new(side, spec.style == Style::Symmetric);
    stations::place(&mut board, spec.players, rng);
    holes::cut(&mut board, rng);
    Draw { side, planets: board.planets(), deposits: deposits::place(&board, rng) }
}
