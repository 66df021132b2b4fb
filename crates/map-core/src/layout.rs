//! A world before it has ids: its planets and deposits, generated or made by hand, and how fair its starts are.
//! `World::create` makes a world of it.

use starkeep_core_types::ResourceKind;

use crate::fairness::Fairness;
use crate::spec::FULL_DEPOSIT;
use crate::terrain::{PlanetWithoutId, Slot};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub side: u32,
    /// The planets that exist, row by row from the south west; the position is the slot.
    pub planets: Vec<PlanetWithoutId>,
    /// By slot, ascending.
    pub deposits: Vec<NewDeposit>,
    pub fairness: Fairness,
}

/// A deposit of a world that is to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewDeposit {
    pub slot: Slot,
    pub kind: ResourceKind,
    pub max_amount: i64,
    pub current_amount: i64,
}

impl NewDeposit {
    pub fn full(slot: Slot, kind: ResourceKind) -> Self {
        Self { slot, kind, max_amount: FULL_DEPOSIT, current_amount: FULL_DEPOSIT }
    }
}
