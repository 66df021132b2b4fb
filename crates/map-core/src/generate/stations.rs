//! The stage that places the space stations: in the outer ring, spread out, so that no two players start next to each other.
//! The deposits around a station are placed later.

use starkeep_core_types::Rng;

use super::board::{Board, Cell, CellKind};
use crate::spec::least_spacing;
use crate::terrain::Ring;

/// Two stations side by side would be the same place to start from. Every ring has room for so much.
const LEAST_SPACING: u16 = 2;

/// Two for each player.
pub(super) fn place(board: &mut Board, players: u32, rng: &mut Rng) {
    let count = 2 * players as usize;
    let mut outer: Vec<Cell> =
        board.cells().filter(|cell| board.ring(*cell) == Ring::Outer && board.leads(*cell)).collect();
    let largest = first_spacing_to_try(board, outer.len(), count);
    // Nearly every order of the cells of a small world keeps what is promised to its few players.
    let least = least_spacing(players);
    let chosen = loop {
        rng.shuffle(&mut outer);
        let spacings = (least..=largest.max(least)).rev();
        if let Some(chosen) = spacings.into_iter().find_map(|spacing| spread(board, &outer, count, spacing)) {
            break chosen;
        }
        if least == LEAST_SPACING {
            break cells_of_one_colour(board, &outer, count);
        }
    };
    for cell in chosen {
        board.set(cell, CellKind::Station);
    }
}

/// The largest spacing that is tried: too large for many stations, and just possible for few.
/// It shrinks as the ring fills, and so do the areas that are marked below; the work stays in proportion to the ring.
fn first_spacing_to_try(board: &Board, leading: usize, count: usize) -> u16 {
    let cells = if board.is_symmetric() { 2 * leading } else { leading };
    let root = (cells / count).isqrt();
    u16::try_from(2 * root + 2).expect("smaller than the ring is long")
}

/// Takes cells in the given order, each with its twin, skipping those too near to a chosen one; nothing if too few remain.
fn spread(board: &Board, order: &[Cell], count: usize, spacing: u16) -> Option<Vec<Cell>> {
    let reach = (spacing - 1).cast_signed();
    let mut too_near = vec![false; usize::from(board.side()) * usize::from(board.side())];
    let mut chosen = Vec::with_capacity(count);
    for &cell in order {
        if chosen.len() >= count {
            break;
        }
        let is_near_twin = board.twin(cell).is_some_and(|twin| distance(cell, twin) < spacing);
        if too_near[board.index(cell)] || is_near_twin {
            continue;
        }
        for cell in board.with_twin(cell) {
            chosen.push(cell);
            for north in -reach..=reach {
                let width = reach - north.abs();
                for near in (-width..=width).filter_map(|east| board.shifted(cell, east, north)) {
                    too_near[board.index(near)] = true;
                }
            }
        }
    }
    (chosen.len() == count).then_some(chosen)
}

/// Used when no random choice keeps the least spacing: the fields of one colour of a chessboard are never side by side, and
/// twins have the same colour. Every legal world has more of them in its ring than stations; only a ring without that room
/// would use the other colour as well.
fn cells_of_one_colour(board: &Board, order: &[Cell], count: usize) -> Vec<Cell> {
    let is_dark = |cell: &&Cell| (cell.x + cell.y).is_multiple_of(2);
    let dark = order.iter().filter(is_dark);
    let light = order.iter().filter(|cell| !is_dark(cell));
    dark.chain(light).flat_map(|cell| board.with_twin(*cell)).take(count).collect()
}

/// In moves, if there were no holes.
fn distance(a: Cell, b: Cell) -> u16 {
    a.x.abs_diff(b.x) + a.y.abs_diff(b.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{PLAYERS, side};

    fn least_distance(cells: &[Cell]) -> u16 {
        let pairs = cells.iter().enumerate().flat_map(|(i, a)| cells[..i].iter().map(|b| distance(*a, *b)));
        pairs.min().unwrap_or(u16::MAX)
    }

    fn placed(seed: u64, players: u32, is_symmetric: bool) -> Vec<Cell> {
        let mut board = Board::new(side(players), is_symmetric);
        place(&mut board, players, &mut Rng::from_seed(seed));
        board.cells().filter(|cell| board.kind(*cell) == CellKind::Station).collect()
    }

    #[test]
    fn few_stations_lie_far_apart() {
        for (seed, is_symmetric) in (0..50).flat_map(|seed| [(seed, false), (seed, true)]) {
            for (players, least) in [(1, 12), (4, 4), (9, 3)] {
                let stations = placed(seed, players, is_symmetric);
                assert_eq!(stations.len(), 2 * players as usize);
                assert!(least_distance(&stations) >= least, "seed {seed}, {players} players");
            }
        }
    }

    #[test]
    fn the_fullest_rings_keep_the_least_spacing() {
        for (players, seeds) in [(9, 50), (19, 50), (99, 20), (101, 20), (1_000, 2)] {
            for seed in 0..seeds {
                let stations = placed(seed, players, seed % 2 == 0);
                assert_eq!(stations.len(), 2 * players as usize);
                assert!(least_distance(&stations) >= LEAST_SPACING, "seed {seed}, {players} players");
            }
        }
    }

    #[test]
    fn every_ring_has_room_for_the_last_resort() {
        // The most players of a size are those just before the next one.
        let fullest = PLAYERS.filter(|players| side(*players) < side(players + 1));
        for players in fullest.step_by(13).chain([9, 19, 99, 10_000]) {
            let board = Board::new(side(players), false);
            let outer = board.cells().filter(|cell| board.ring(*cell) == Ring::Outer);
            let dark = outer.filter(|cell| (cell.x + cell.y).is_multiple_of(2)).count();
            assert!(dark >= 2 * players as usize, "{players} players");
        }
    }

    #[test]
    fn the_last_resort_keeps_the_least_spacing() {
        let board = Board::new(15, false);
        let mut order: Vec<Cell> = board.cells().filter(|cell| board.ring(*cell) == Ring::Outer).collect();
        Rng::from_seed(1).shuffle(&mut order);
        assert_eq!(least_distance(&cells_of_one_colour(&board, &order, 60)), LEAST_SPACING);
    }
}
