//! The square grid that the stages of the generator work on: each cell is a planet, a station or a hole.
//! The stages decide what a cell becomes.

use crate::terrain::{PlanetKind, PlanetWithoutId, Ring};

pub(super) struct Board {
    side: u16,
    /// Whether the board is to be the same after half a turn.
    is_symmetric: bool,
    kinds: Vec<CellKind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CellKind {
    Planet,
    Station,
    Hole,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) x: u16,
    pub(super) y: u16,
}

impl Board {
    /// Plain planets everywhere.
    pub(super) fn new(side: u32, is_symmetric: bool) -> Self {
        let side = u16::try_from(side).expect("the largest world is far smaller than 65,536");
        let kinds = vec![CellKind::Planet; usize::from(side) * usize::from(side)];
        Self { side, is_symmetric, kinds }
    }

    pub(super) fn side(&self) -> u16 {
        self.side
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    /// Row by row from the south west.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let side = self.side;
        (0..side).flat_map(move |y| (0..side).map(move |x| Cell { x, y }))
    }

    /// Where the cell is after half a turn, on a symmetric board. The middle of an odd side is its own twin.
    pub(super) fn twin(&self, cell: Cell) -> Option<Cell> {
        let last = self.side - 1;
        self.is_symmetric.then(|| Cell { x: last - cell.x, y: last - cell.y })
    }

    /// The cell and, on a symmetric board, its twin: what happens to one happens to both.
    pub(super) fn with_twin(&self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        std::iter::once(cell).chain(self.twin(cell))
    }

    /// One cell of each pair of twins, without one that is its own; every cell of a board without symmetry.
    pub(super) fn leads(&self, cell: Cell) -> bool {
        self.twin(cell).is_none_or(|twin| self.index(cell) < self.index(twin))
    }

    /// On a symmetric board everything comes in pairs.
    pub(super) fn rounded_up(&self, count: u32) -> u32 {
        if self.is_symmetric { count.next_multiple_of(2) } else { count }
    }

    /// The position of a cell in [`cells`](Self::cells).
    pub(super) fn index(&self, cell: Cell) -> usize {
        usize::from(cell.y) * usize::from(self.side) + usize::from(cell.x)
    }

    pub(super) fn ring(&self, cell: Cell) -> Ring {
        Ring::at(cell.x, cell.y, u32::from(self.side))
    }

    pub(super) fn kind(&self, cell: Cell) -> CellKind {
        self.kinds[self.index(cell)]
    }

    pub(super) fn set(&mut self, cell: Cell, kind: CellKind) {
        let index = self.index(cell);
        self.kinds[index] = kind;
    }

    /// The cell that many steps to the east and to the north, if it is on the board.
    pub(super) fn shifted(&self, cell: Cell, east: i16, north: i16) -> Option<Cell> {
        let x = cell.x.checked_add_signed(east).filter(|x| *x < self.side)?;
        let y = cell.y.checked_add_signed(north).filter(|y| *y < self.side)?;
        Some(Cell { x, y })
    }

    /// The cells next to this one, holes as well.
    pub(super) fn neighbours(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        [(0, 1), (1, 0), (0, -1), (-1, 0)]
            .into_iter()
            .filter_map(move |(east, north)| self.shifted(cell, east, north))
    }

    /// The planets that exist, row by row.
    pub(super) fn planets(&self) -> Vec<PlanetWithoutId> {
        self.cells()
            .filter_map(|cell| {
                let kind = match self.kind(cell) {
                    CellKind::Planet => PlanetKind::Default,
                    CellKind::Station => PlanetKind::SpaceStation,
                    CellKind::Hole => return None,
                };
                let movement_difficulty = self.ring(cell).movement_difficulty();
                Some(PlanetWithoutId { x: cell.x, y: cell.y, kind, movement_difficulty })
            })
            .collect()
    }
}
