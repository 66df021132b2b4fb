//! The square on which a world is drawn: what each cell has become so far.
//! It decides nothing; the stages do.

use crate::terrain::{PlanetKind, Ring, Site};

pub(super) struct Board {
    side: u16,
    grounds: Vec<Ground>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ground {
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
        Self { side, grounds: vec![Ground::Planet; usize::from(side) * usize::from(side)] }
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

    pub(super) fn ground(&self, cell: Cell) -> Ground {
        self.grounds[self.index(cell)]
    }

    pub(super) fn set(&mut self, cell: Cell, ground: Ground) {
        let index = self.index(cell);
        self.grounds[index] = ground;
    }

    /// The cell that many steps to the east and to the north, if it is on the board.
    pub(super) fn shifted(&self, cell: Cell, east: i16, north: i16) -> Option<Cell> {
        let x = cell.x.checked_add_signed(east).filter(|x| *x < self.side)?;
        let y = cell.y.checked_add_signed(north).filter(|y| *y < self.side)?;
        Some(Cell { x, y })
    }

    /// The planets that exist, row by row.
    pub(super) fn sites(&self) -> Vec<Site> {
        self.cells()
            .filter_map(|cell| {
                let kind = match self.ground(cell) {
                    Ground::Planet => PlanetKind::Default,
                    Ground::Station => PlanetKind::SpaceStation,
                    Ground::Hole => return None,
                };
                Some(Site { x: cell.x, y: cell.y, kind })
            })
            .collect()
    }
}
