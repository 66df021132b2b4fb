//! The part of a world that is needed to show one planet, its neighbours and their neighbours.
//! Slots count row by row, so two rows to the north and two to the south are one range of slots.

use starkeep_map_core::Slot;

/// A range of slots, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: Slot,
    pub(super) last: Slot,
}

impl Window {
    pub(super) const WHOLE_WORLD: Self = Self { first: 0, last: Slot::MAX };

    /// No row is longer than the side, so twice the side reaches two rows in both directions.
    pub(super) fn around(slot: Slot, side: u32) -> Self {
        let reach = 2 * side;
        Self { first: slot.saturating_sub(reach), last: slot.saturating_add(reach) }
    }
}
