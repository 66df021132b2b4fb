//! The books of a game's robots: what the map gave to them is held, was sold, or is lost.
//! What is held is not stored here but counted from the robots, so that the two can be compared.

use starkeep_core_types::{Amounts, ResourceKind};

use crate::fleet::Fleet;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// What the map gave.
    pub mined: Amounts,
    /// What was unloaded to be sold.
    pub sold: Amounts,
    /// What did not fit into anybody.
    pub lost: Amounts,
}

/// A kind of which more or less is there than the books say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imbalance {
    pub kind: ResourceKind,
    pub mined: u64,
    pub sold: u64,
    pub lost: u64,
    pub held: u64,
}

impl Books {
    /// mined = held + sold + lost, for each kind.
    pub fn balance(&self, fleet: &Fleet) -> Result<(), Imbalance> {
        let mut held = Amounts::NONE;
        fleet.iter().for_each(|robot| held.add_all(robot.cargo));
        let imbalance = ResourceKind::ALL.into_iter().map(|kind| Imbalance {
            kind,
            mined: self.mined.of(kind),
            sold: self.sold.of(kind),
            lost: self.lost.of(kind),
            held: held.of(kind),
        });
        let is_off = |book: &Imbalance| book.mined != book.held + book.sold + book.lost;
        imbalance.into_iter().find(is_off).map_or(Ok(()), Err)
    }
}
