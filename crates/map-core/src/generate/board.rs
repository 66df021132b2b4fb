//! The square grid that the stages of the generator work on: each cell is a planet, a station or a hole.
//! The stages decide what a cell becomes.

use crate::terrain::{PlanetKind, PlanetWithoutId, Ring};

pub(super) struct Board {
    side: u16,
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
    pub(super) fn new(side: u32) -> Self {
        let side = u16::try_from(side).expect("the largest world is far smaller than 65,536");
        Self { side, kinds: vec![CellKind::Planet; usize::from(side) * usize::from(side)] }
    }

    pub(super) fn side(&self) -> u16 {
        self.side
    }

    /// Row by row from the south west.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let side = self.side;
        (0..side).flat_map(move |y| (0..side).map(move |x| Cell { x, y }))
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
