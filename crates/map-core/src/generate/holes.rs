//! The stage that removes planets, so that all that remain are still connected.
//! Stations, the inner ring and the second row and column from each edge are never removed.

use starkeep_core_types::Rng;

use super::board::{Board, Cell, CellKind};
use crate::terrain::Ring;

pub(super) fn cut(board: &mut Board, rng: &mut Rng) {
    let cells = u32::from(board.side()) * u32::from(board.side());
    let tenths = 1 + u32::try_from(rng.below(3)).expect("below 3");
    let count = board.rounded_up(cells.div_ceil(10) * tenths);
    let candidates = board.cells().filter(|cell| board.leads(*cell) && may_become_hole(board, *cell));
    let mut candidates: Vec<Cell> = candidates.collect();
    rng.shuffle(&mut candidates);
    remove_cells(board, candidates, count);
}

/// Removes candidates in their order, each with its twin, until enough are removed or no other can be.
fn remove_cells(board: &mut Board, mut candidates: Vec<Cell>, mut missing: u32) {
    // A cell that connects two parts may be a dead end once others are removed, so those that were kept are tried again.
    loop {
        let before = candidates.len();
        candidates.retain(|cell| {
            let is_removed = missing > 0 && may_be_removed(board, *cell);
            if is_removed {
                // The surroundings of a twin are the same, and none of them is near its own twin: that would be in the inner ring.
                for cell in board.with_twin(*cell) {
                    board.set(cell, CellKind::Hole);
                    missing -= 1;
                }
            }
            !is_removed
        });
        if missing == 0 || candidates.len() == before {
            return;
        }
    }
}

fn may_become_hole(board: &Board, cell: Cell) -> bool {
    let lanes = [1, board.side() - 2];
    board.kind(cell) == CellKind::Planet
        && board.ring(cell) != Ring::Inner
        && !lanes.contains(&cell.x)
        && !lanes.contains(&cell.y)
}

fn may_be_removed(board: &Board, cell: Cell) -> bool {
    leaves_the_rest_connected(board, cell) && leaves_stations_a_way_out(board, cell)
}

/// Every station keeps a neighbour in the outer ring: that is where coal lies, and coal has to be near.
fn leaves_stations_a_way_out(board: &Board, cell: Cell) -> bool {
    let is_station = |near: &Cell| board.kind(*near) == CellKind::Station;
    board.neighbours(cell).filter(is_station).all(|station| {
        let mut others = board.neighbours(station).filter(|other| *other != cell);
        others.any(|other| board.kind(other) == CellKind::Planet && board.ring(other) == Ring::Outer)
    })
}

/// Once around a cell, clockwise from the north: each is next to its successor, every second one is next to the cell itself.
const AROUND: [(i16, i16); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// Every path through the cell enters and leaves by its neighbours. If these reach one another around it, any such path has a detour.
/// The test looks at eight cells only, so it may keep a cell that could have gone, but never lets one go that had to stay.
fn leaves_the_rest_connected(board: &Board, cell: Cell) -> bool {
    let present = AROUND.map(|(east, north)| {
        board.shifted(cell, east, north).is_some_and(|near| board.kind(near) != CellKind::Hole)
    });
    let neighbours = (0..8).step_by(2).filter(|i| present[*i]).count();
    let links = (0..8).step_by(2).filter(|i| present[*i] && present[i + 1] && present[(i + 2) % 8]).count();
    neighbours > 0 && links + 1 >= neighbours
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a square board, the southern one first; `#` is a planet.
    fn drawn<const SIDE: usize>(rows: [&str; SIDE]) -> Board {
        let mut board = Board::new(u32::try_from(SIDE).unwrap(), false);
        for (cell, drawn) in board.cells().zip(rows.concat().chars()) {
            if drawn != '#' {
                board.set(cell, CellKind::Hole);
            }
        }
        board
    }

    fn middle_may_go(rows: [&str; 3]) -> bool {
        leaves_the_rest_connected(&drawn(rows), Cell { x: 1, y: 1 })
    }

    #[test]
    fn a_path_is_eaten_from_its_end() {
        let path = || (0..4).map(|x| Cell { x, y: 0 }).collect::<Vec<Cell>>();
        for (count, expected) in [(0, 4), (1, 3), (3, 1), (9, 1)] {
            let mut board = drawn(["####", "....", "....", "...."]);
            // The way in first: it holds the rest until the rest is gone.
            let candidates = path().split_off(1);
            remove_cells(&mut board, candidates, count);
            let left = path().into_iter().filter(|cell| board.kind(*cell) == CellKind::Planet).count();
            assert_eq!(left, expected, "{count} to remove");
            assert_eq!(board.kind(Cell { x: 0, y: 0 }), CellKind::Planet, "no candidate");
        }
    }

    #[test]
    fn the_middle_of_a_full_block_may_go() {
        assert!(middle_may_go(["###", "###", "###"]));
        assert!(middle_may_go(["###", "###", "##."]));
    }

    #[test]
    fn a_dead_end_may_go() {
        assert!(middle_may_go(["...", "##.", "..."]));
        assert!(middle_may_go(["#.#", "##.", "#.#"]));
    }

    #[test]
    fn a_station_keeps_a_neighbour_with_coal() {
        let mut board = drawn(["###.", "#..#", "....", "...."]);
        board.set(Cell { x: 0, y: 0 }, CellKind::Station);
        let [north, east] = [Cell { x: 0, y: 1 }, Cell { x: 1, y: 0 }];
        assert!(may_be_removed(&board, north));
        board.set(north, CellKind::Hole);
        assert!(!leaves_stations_a_way_out(&board, east));
    }

    #[test]
    fn a_bridge_stays() {
        assert!(!middle_may_go(["...", "###", "..."]));
        assert!(!middle_may_go(["##.", "###", ".##"]));
        assert!(!middle_may_go([".#.", "##.", "..."]));
    }

    #[test]
    fn an_island_stays_as_it_may_be_all_there_is() {
        assert!(!middle_may_go(["...", ".#.", "..."]));
        assert!(!middle_may_go(["#.#", ".#.", "#.#"]));
    }
}
