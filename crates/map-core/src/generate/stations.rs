//! The stage that places the space stations: in the outer ring, spread out, so that no two players start next to each other.
//! The deposits around a station are placed later.

use starkeep_core_types::Rng;

use super::board::{Board, Cell, CellKind};
use crate::terrain::Ring;

/// Two stations side by side would be the same place to start from.
const LEAST_SPACING: u16 = 2;

pub(super) fn place(board: &mut Board, count: u32, rng: &mut Rng) {
    let count = count as usize;
    let mut outer: Vec<Cell> = board.cells().filter(|cell| board.ring(*cell) == Ring::Outer).collect();
    rng.shuffle(&mut outer);

    let chosen = (LEAST_SPACING..=first_spacing_to_try(outer.len(), count))
        .rev()
        .find_map(|spacing| spread(board, &outer, count, spacing))
        .unwrap_or_else(|| cells_of_one_colour(&outer, count));
    for cell in chosen {
        board.set(cell, CellKind::Station);
    }
}

/// The largest spacing that is tried: too large for many stations, and just possible for few.
/// It shrinks as the ring fills, and so do the areas that are marked below; the work stays in proportion to the ring.
fn first_spacing_to_try(cells: usize, count: usize) -> u16 {
    let root = (cells / count.max(1)).isqrt();
    u16::try_from(2 * root + 2).expect("smaller than the ring is long")
}

/// Takes cells in the given order, skipping those too near to a chosen one; nothing if too few remain.
fn spread(board: &Board, order: &[Cell], count: usize, spacing: u16) -> Option<Vec<Cell>> {
    let reach = (spacing - 1).cast_signed();
    let mut too_near = vec![false; usize::from(board.side()) * usize::from(board.side())];
    let mut chosen = Vec::with_capacity(count);
    for &cell in order {
        if chosen.len() == count {
            break;
        }
        if too_near[board.index(cell)] {
            continue;
        }
        chosen.push(cell);
        for north in -reach..=reach {
            let width = reach - north.abs();
            for near in (-width..=width).filter_map(|east| board.shifted(cell, east, north)) {
                too_near[board.index(near)] = true;
            }
        }
    }
    (chosen.len() == count).then_some(chosen)
}

/// Used when no random choice keeps the least spacing: the fields of one colour of a chessboard are never side by side.
/// Every legal world has more of them in its ring than stations; only a ring without that room would use the other colour as well.
fn cells_of_one_colour(order: &[Cell], count: usize) -> Vec<Cell> {
    let is_dark = |cell: &&Cell| (cell.x + cell.y).is_multiple_of(2);
    let dark = order.iter().filter(is_dark);
    let light = order.iter().filter(|cell| !is_dark(cell));
    dark.chain(light).take(count).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{PLAYERS, side};

    fn distance(a: Cell, b: Cell) -> u16 {
        a.x.abs_diff(b.x) + a.y.abs_diff(b.y)
    }

    fn least_distance(cells: &[Cell]) -> u16 {
        let pairs = cells.iter().enumerate().flat_map(|(i, a)| cells[..i].iter().map(|b| distance(*a, *b)));
        pairs.min().unwrap_or(u16::MAX)
    }

    fn placed(seed: u64, players: u32) -> Vec<Cell> {
        let mut board = Board::new(side(players));
        place(&mut board, 2 * players, &mut Rng::from_seed(seed));
        board.cells().filter(|cell| board.kind(*cell) == CellKind::Station).collect()
    }

    #[test]
    fn few_stations_lie_far_apart() {
        for seed in 0..50 {
            assert!(least_distance(&placed(seed, 1)) >= 12, "seed {seed}, 1 player");
            assert!(least_distance(&placed(seed, 4)) >= 4, "seed {seed}, 4 players");
            assert!(least_distance(&placed(seed, 9)) >= 3, "seed {seed}, 9 players");
        }
    }

    #[test]
    fn the_fullest_rings_keep_the_least_spacing() {
        for (players, seeds) in [(9, 50), (19, 50), (99, 20), (101, 20), (1_000, 2)] {
            for seed in 0..seeds {
                let stations = placed(seed, players);
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
            let board = Board::new(side(players));
            let outer = board.cells().filter(|cell| board.ring(*cell) == Ring::Outer);
            let dark = outer.filter(|cell| (cell.x + cell.y).is_multiple_of(2)).count();
            assert!(dark >= 2 * players as usize, "{players} players");
        }
    }

    #[test]
    fn the_last_resort_keeps_the_least_spacing() {
        let board = Board::new(15);
        let mut order: Vec<Cell> = board.cells().filter(|cell| board.ring(*cell) == Ring::Outer).collect();
        Rng::from_seed(1).shuffle(&mut order);
        assert_eq!(least_distance(&cells_of_one_colour(&order, 60)), LEAST_SPACING);
    }
}
