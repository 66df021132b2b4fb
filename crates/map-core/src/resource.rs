//! What can be mined: the five kinds, where each of them lies and how much of it a world gets, and the deposit.
//! Placing, mining and replenishing deposits are in modules of their own.

use jiff::Timestamp;

use crate::ids::DepositId;
use crate::terrain::Ring;

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

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ResourceKind {
    Coal,
    Iron,
    Gem,
    Gold,
    Platin,
}

impl ResourceKind {
    pub const ALL: [Self; 5] = [Self::Coal, Self::Iron, Self::Gem, Self::Gold, Self::Platin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Coal => "coal",
            Self::Iron => "iron",
            Self::Gem => "gem",
            Self::Gold => "gold",
            Self::Platin => "platin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The position in [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        self as usize
    }

    /// Whether the ring belongs to the region where this kind lies.
    pub fn lies_in(self, ring: Ring) -> bool {
        match self {
            Self::Coal => ring == Ring::Outer,
            Self::Iron | Self::Gem => matches!(ring, Ring::Mid | Ring::Inner),
            Self::Gold | Self::Platin => ring == Ring::Inner,
        }
    }

    /// How many deposits of this kind a world has. Holes count as if they were planets, so that the number
    /// of deposits does not depend on the random number of holes.
    pub fn deposits_in(self, side: u32) -> u32 {
        let cells = side * side;
        match self {
            Self::Coal => cells / 20,
            Self::Iron => cells / 30,
            Self::Gem => cells / 40,
            Self::Gold => cells / 50,
            Self::Platin => cells / 60,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_hold_as_many_deposits_as_in_the_original() {
        let table = [(15, [11, 7, 5, 4, 3]), (20, [20, 13, 10, 8, 6]), (35, [61, 40, 30, 24, 20])];
        for (side, expected) in table {
            assert_eq!(ResourceKind::ALL.map(|kind| kind.deposits_in(side)), expected, "side {side}");
        }
    }

    #[test]
    fn each_kind_has_its_region() {
        let regions = ResourceKind::ALL.map(|kind| Ring::ALL.map(|ring| kind.lies_in(ring)));
        let (inner, mid, outer) = ([true, false, false], [true, true, false], [false, false, true]);
        assert_eq!(regions, [outer, mid, mid, inner, inner]);
    }

    #[test]
    fn kinds_are_read_as_they_are_written_and_know_their_place() {
        for (place, kind) in ResourceKind::ALL.into_iter().enumerate() {
            assert_eq!(ResourceKind::parse(kind.as_str()), Some(kind));
            assert_eq!(kind.index(), place);
        }
        assert_eq!(ResourceKind::parse("platinum"), None);
    }
}
