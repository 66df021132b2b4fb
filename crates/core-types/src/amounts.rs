//! An amount of each kind of resource: what a robot holds, what is sold, what is lost.
//! Sums stop at the largest number instead of wrapping around; no game comes near it.

use crate::resource::ResourceKind;

/// In the order of [`ResourceKind::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amounts([u64; 5]);

impl Amounts {
    pub const NONE: Self = Self([0; 5]);

    /// In the order of [`ResourceKind::ALL`].
    pub fn new(amounts: [u64; 5]) -> Self {
        Self(amounts)
    }

    pub fn of(self, kind: ResourceKind) -> u64 {
        self.0[kind.index()]
    }

    /// In the order of [`ResourceKind::ALL`].
    pub fn each(self) -> [(ResourceKind, u64); 5] {
        ResourceKind::ALL.map(|kind| (kind, self.of(kind)))
    }

    /// Of all kinds together.
    pub fn total(self) -> u64 {
        self.0.into_iter().fold(0, u64::saturating_add)
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    pub fn add(&mut self, kind: ResourceKind, amount: u64) {
        let held = &mut self.0[kind.index()];
        *held = held.saturating_add(amount);
    }

    pub fn add_all(&mut self, other: Self) {
        for (kind, amount) in other.each() {
            self.add(kind, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_there_and_is_of_its_kind() {
        let mut held = Amounts::NONE;
        assert!(held.is_empty());
        held.add(ResourceKind::Gem, 3);
        held.add_all(Amounts::new([1, 0, 2, 0, 5]));
        assert_eq!(held, Amounts::new([1, 0, 5, 0, 5]));
        assert_eq!((held.of(ResourceKind::Gem), held.total()), (5, 11));
    }

    #[test]
    fn an_amount_stops_at_its_largest_value() {
        let mut held = Amounts::new([u64::MAX, 1, 0, 0, 0]);
        held.add(ResourceKind::Coal, 1);
        assert_eq!((held.of(ResourceKind::Coal), held.total()), (u64::MAX, u64::MAX));
    }
}
