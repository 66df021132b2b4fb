//! Generates a map from a seed, in stages: stations, holes, deposits. All of them use one random generator.
//! Planets and deposits get their ids when the world is created.

mod board;
mod deposits;
mod holes;
mod stations;

use self::board::Board;
use starkeep_core_types::{ResourceKind, Rng};

use crate::spec::{PLAYERS, Spec, Style, side};
use crate::terrain::{PlanetWithoutId, Slot};

/// The planets and deposits of a world, without ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratedMap {
    pub side: u32,
    /// The planets that exist, row by row from the south west; the position is the slot.
    pub planets: Vec<PlanetWithoutId>,
    /// By slot, ascending.
    pub deposits: Vec<(Slot, ResourceKind)>,
    /// The random generator, to be used on by the world.
    pub rng: Rng,
}

/// The same seed, spec and generator version give the same map, on every machine.
///
/// # Panics
/// If the number of players is out of bounds.
pub fn generate(seed: u64, spec: &Spec) -> GeneratedMap {
    let &Spec { players, style: Style::Balanced } = spec;
    assert!(PLAYERS.contains(&players), "a world for {players} players");
    let side = side(players);
    let mut rng = Rng::from_seed(seed);
    let mut board = Board::new(side);

    stations::place(&mut board, 2 * players, &mut rng);
    holes::cut(&mut board, &mut rng);
    let planets = board.planets();
    let deposits = deposits::place(&planets, side, &mut rng);

    GeneratedMap { side, planets, deposits, rng }
}
