//! The account of a player in a game: what it began with, what it earned, what it spent, and on what.
//! The balance is not stored but follows from these, so that money cannot appear or vanish unnoticed.

use starkeep_core_types::PlayerId;

use crate::item::Item;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    pub player: PlayerId,
    pub start: u64,
    pub earned: u64,
    /// With what is reserved for purchases that are under way.
    pub spent: u64,
    /// What the robot service has delivered.
    pub bought: Bought,
}

/// How many were bought of each kind: robots, restorations of health and of energy, upgrades to each level.
/// Counted beside the money, so that the two can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bought(pub [u64; 8]);

/// The player has less than it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CannotAfford {
    pub player: PlayerId,
    pub needed: u64,
}

impl Account {
    pub fn open(player: PlayerId, start: u64) -> Self {
        Self { player, start, earned: 0, spent: 0, bought: Bought::default() }
    }

    pub fn balance(&self) -> u64 {
        self.start.saturating_add(self.earned).saturating_sub(self.spent)
    }

    #[must_use]
    pub(crate) fn earning(self, income: u64) -> Self {
        Self { earned: self.earned.saturating_add(income), ..self }
    }

    pub(crate) fn spending(self, needed: u64) -> Result<Self, CannotAfford> {
        if self.balance() < needed {
            return Err(CannotAfford { player: self.player, needed });
        }
        Ok(Self { spent: self.spent + needed, ..self })
    }

    /// Takes back a payment.
    #[must_use]
    pub(crate) fn refunded(self, amount: u64) -> Self {
        Self { spent: self.spent.saturating_sub(amount), ..self }
    }
}

impl Bought {
    /// The place of an item in the counts; none for what is not for sale.
    pub fn place(item: Item) -> Option<usize> {
        match item {
            Item::Special(_) => None,
            Item::Robot => Some(0),
            Item::Health => Some(1),
            Item::Energy => Some(2),
            Item::Upgrade { level, .. } => Some(2 + usize::from(level.clamp(1, 5))),
        }
    }

    pub fn add(&mut self, item: Item, count: u32) {
        if let Some(place) = Self::place(item) {
            self.0[place] = self.0[place].saturating_add(count.into());
        }
    }

    /// What they cost: the prices of all of them are constant.
    pub fn cost(&self) -> u64 {
        let upgrade = |level| Item::Upgrade { of: starkeep_core_types::Upgrade::Storage, level };
        let items = [Item::Robot, Item::Health, Item::Energy].into_iter().chain((1..=5).map(upgrade));
        let costs = items.zip(self.0).map(|(item, count)| count.saturating_mul(item.start_price()));
        costs.fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_bought_costs_what_its_items_cost() {
        for item in Item::all() {
            let mut bought = Bought::default();
            bought.add(item, 3);
            let is_for_sale = Bought::place(item).is_some();
            assert_eq!(bought.cost(), if is_for_sale { 3 * item.start_price() } else { 0 }, "{item:?}");
        }
    }
}
