//! From a seed to a world: stages that each add one thing to the board, all fed by the one random stream.
//! What comes out has places and kinds but no names; ids are given to it when the world is founded.

mod board;
mod deposits;
mod holes;
mod stations;

use self::board::Board;
use crate::resource::ResourceKind;
use crate::rng::Rng;
use crate::spec::{PLAYERS, Spec, Style, side};
use crate::terrain::{Site, Slot};

/// A world before it gets its ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sketch {
    pub side: u32,
    /// The planets that exist, row by row from the south west; the position is the slot.
    pub sites: Vec<Site>,
    /// By slot, ascending.
    pub deposits: Vec<(Slot, ResourceKind)>,
    /// The stream to go on with.
    pub rng: Rng,
}

/// The same seed, spec and generator version give the same sketch, on every machine.
///
/// # Panics
/// If the number of players is out of bounds.
pub fn generate(seed: u64, spec: &Spec) -> Sketch {
    let &Spec { players, style: Style::Balanced } = spec;
    assert!(PLAYERS.contains(&players), "a world for {players} players");
    let side = side(players);
    let mut rng = Rng::from_seed(seed);
    let mut board = Board::new(side);

    stations::place(&mut board, 2 * players, &mut rng);
    holes::cut(&mut board, &mut rng);
    let sites = board.sites();
    let deposits = deposits::lay(&sites, side, &mut rng);

    Sketch { side, sites, deposits, rng }
}
