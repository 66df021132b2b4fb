//! What can be mined: where each kind of resource lies and how much of it a world gets, and the deposit.
//! Placing, mining and replenishing deposits are in modules of their own.

use jiff::Timestamp;
use starkeep_core_types::{DepositId, ResourceKind};

use crate::spec::FULL_DEPOSIT;
use crate::terrain::{Ring, Slot};

/// What can be mined on one planet; a planet holds at most one deposit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deposit {
    pub id: DepositId,
    pub kind: ResourceKind,
    pub max_amount: i64,
    pub current_amount: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Deposit {
    pub fn full(id: DepositId, kind: ResourceKind, max_amount: i64, now: Timestamp) -> Self {
        Self { id, kind, max_amount, current_amount: max_amount, created_at: now, updated_at: now }
    }

    pub fn is_exhausted(&self) -> bool {
        self.current_amount == 0
    }

    pub fn is_full(&self) -> bool {
        self.current_amount == self.max_amount
    }
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

/// Whether the ring belongs to the region where this kind lies.
pub fn lies_in(kind: ResourceKind, ring: Ring) -> bool {
    match kind {
        ResourceKind::Coal => ring == Ring::Outer,
        ResourceKind::Iron | ResourceKind::Gem => matches!(ring, Ring::Mid | Ring::Inner),
        ResourceKind::Gold | ResourceKind::Platin => ring == Ring::Inner,
    }
}

/// How many deposits of this kind a world has. Holes count as if they were planets, so that the number
/// of deposits does not depend on the random number of holes.
pub fn deposits_in(kind: ResourceKind, side: u32) -> u32 {
    let cells = side * side;
    match kind {
        ResourceKind::Coal => cells / 20,
        ResourceKind::Iron => cells / 30,
        ResourceKind::Gem => cells / 40,
        ResourceKind::Gold => cells / 50,
        ResourceKind::Platin => cells / 60,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_hold_as_many_deposits_as_in_the_original() {
        let table = [(15, [11, 7, 5, 4, 3]), (20, [20, 13, 10, 8, 6]), (35, [61, 40, 30, 24, 20])];
        for (side, expected) in table {
            assert_eq!(ResourceKind::ALL.map(|kind| deposits_in(kind, side)), expected, "side {side}");
        }
    }

    #[test]
    fn each_kind_has_its_region() {
        let regions = ResourceKind::ALL.map(|kind| Ring::ALL.map(|ring| lies_in(kind, ring)));
        let (inner, mid, outer) = ([true, false, false], [true, true, false], [false, false, true]);
        assert_eq!(regions, [outer, mid, mid, inner, inner]);
    }
}
