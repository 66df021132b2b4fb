//! Generates a map from a seed, in stages: stations, holes, deposits. All of them use one random generator.
//! Planets and deposits get their ids when the world is created.

mod board;
mod deposits;
mod holes;
mod stations;

use self::board::Board;
use starkeep_core_types::Rng;

use crate::fairness::Fairness;
use crate::layout::{Layout, NewDeposit};
use crate::spec::{Spec, side};

/// The same seed, spec and generator version give the same map, on every machine.
///
/// # Panics
/// If there are no players.
pub fn generate(seed: u64, spec: &Spec) -> Layout {
    let &Spec { players, .. } = spec;
    assert!(players > 0, "a world for nobody");
    let side = side(players);
    let mut rng = Rng::from_seed(seed);
    let mut board = Board::new(side);

    stations::place(&mut board, 2 * players, &mut rng);
    holes::cut(&mut board, &mut rng);
    let planets = board.planets();
    let deposits = deposits::place(&planets, side, &mut rng);
    let deposits: Vec<NewDeposit> =
        deposits.into_iter().map(|(slot, kind)| NewDeposit::full(slot, kind)).collect();
    let fairness = Fairness::of(side, &planets, &deposits, players);
    Layout { side, planets, deposits, fairness }
}
