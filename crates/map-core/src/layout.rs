//! A world before it has ids: its planets and deposits, generated or made by hand, and how fair its starts are.
//! `World::create` makes a world of it.

use crate::fairness::Fairness;
use crate::resource::NewDeposit;
use crate::terrain::PlanetWithoutId;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub side: u32,
    /// The planets that exist, row by row from the south west; the position is the slot.
    pub planets: Vec<PlanetWithoutId>,
    /// By slot, ascending.
    pub deposits: Vec<NewDeposit>,
    pub fairness: Fairness,
}
