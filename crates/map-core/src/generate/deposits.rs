//! The stage that places the deposits: the number of each kind follows from the size, each in its region, at most one a planet.
//! Where they lie is left to chance here; `balance` moves some of them.

use starkeep_core_types::{ResourceKind, Rng};

use super::board::{Board, Cell, CellKind};
use crate::resource::{NewDeposit, deposits_in, lies_in};

/// The narrowest regions first: the kinds of the wider ones reach into them and might leave too little room.
const ORDER: [ResourceKind; 5] =
    [ResourceKind::Gold, ResourceKind::Platin, ResourceKind::Iron, ResourceKind::Gem, ResourceKind::Coal];

/// By slot, ascending.
pub(super) fn place(board: &Board, rng: &mut Rng) -> Vec<NewDeposit> {
    let mut placed: Vec<Option<ResourceKind>> = board.cells().map(|_| None).collect();
    for kind in ORDER {
        let mut free: Vec<Cell> = board
            .cells()
            .filter(|cell| placed[board.index(*cell)].is_none() && board.leads(*cell))
            .filter(|cell| board.kind(*cell) == CellKind::Planet && lies_in(kind, board.ring(*cell)))
            .collect();
        let mut missing = board.rounded_up(deposits_in(kind, u32::from(board.side())));
        while missing > 0 && !free.is_empty() {
            let drawn = rng.index(free.len());
            for cell in board.with_twin(free.swap_remove(drawn)) {
                placed[board.index(cell)] = Some(kind);
                missing -= 1;
            }
        }
    }
    let planets = board.cells().filter(|cell| board.kind(*cell) != CellKind::Hole);
    let kinds = planets.map(|cell| placed[board.index(cell)]);
    (0..).zip(kinds).filter_map(|(slot, kind)| Some(NewDeposit::full(slot, kind?))).collect()
}
