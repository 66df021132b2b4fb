//! What resources and special items cost in a round.
//! Resources become cheaper the more of them was sold lately; special items dearer with the rounds.

use starkeep_core_types::{Amounts, ResourceKind};

use crate::item::SpecialItem;

/// So many finished rounds decide a price.
pub(crate) const WINDOW: u32 = 5;

/// So much of a resource can be sold in the window, for each player of the game, before it becomes cheaper. The original
/// has this amount for all players together: twenty of them ruin every price within a few rounds.
const FULL_PRICE_FOR: u64 = 10;

/// The prices of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceList {
    /// In the order of [`ResourceKind::ALL`].
    pub resources: [u64; 5],
    /// In the order of [`SpecialItem::ALL`].
    pub items: [u64; 6],
}

impl PriceList {
    /// `sold` is what was sold in the window before the round.
    pub fn of_round(round: u32, sold: Amounts, players: u32) -> Self {
        Self {
            resources: ResourceKind::ALL.map(|kind| resource_price(kind, sold.of(kind), players)),
            items: SpecialItem::ALL.map(|item| item_price(item, round)),
        }
    }

    pub fn of(&self, kind: ResourceKind) -> u64 {
        self.resources[kind.index()]
    }

    /// What these resources bring.
    pub fn worth(&self, amounts: Amounts) -> u64 {
        let worth = amounts.each().map(|(kind, amount)| amount.saturating_mul(self.of(kind)));
        worth.into_iter().fold(0, u64::saturating_add)
    }
}

fn start_price(kind: ResourceKind) -> u64 {
    [5, 15, 30, 50, 60][kind.index()]
}

/// At least 1, at most the start price.
pub fn resource_price(kind: ResourceKind, sold: u64, players: u32) -> u64 {
    let start = start_price(kind);
    let full_price_for = FULL_PRICE_FOR * u64::from(players.max(1));
    if sold <= full_price_for {
        return start;
    }
    (start * full_price_for).div_ceil(sold)
}

pub fn item_price(item: SpecialItem, round: u32) -> u64 {
    item.start_price() * round_factor(round)
}

/// 1 at first, near 200 after a thousand rounds. Floating point is safe here: no result is close to the next whole number.
fn round_factor(round: u32) -> u64 {
    let factor = 200.0 / (1.0 + 199.0 * (-0.014 * f64::from(round)).exp());
    // Never 200, however many rounds: that is a limit.
    (1..=199_u32).rev().find(|whole| f64::from(*whole) <= factor).map_or(1, u64::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn coal_falls_as_measured_where_one_player_counts() {
        let price = |sold| resource_price(ResourceKind::Coal, sold, 1);
        for (sold, expected) in
            [(0, 5), (10, 5), (11, 5), (12, 5), (15, 4), (27, 2), (5000, 1), (u64::MAX, 1)]
        {
            assert_eq!(price(sold), expected, "{sold} sold");
        }
    }

    #[test]
    fn with_more_players_more_can_be_sold() {
        assert_eq!(resource_price(ResourceKind::Platin, 200, 20), 60);
        assert_eq!(resource_price(ResourceKind::Platin, 400, 20), 30);
    }

    #[test]
    fn the_round_factor_rises_when_the_table_says() {
        let table = [(1, 1), (49, 1), (50, 2), (79, 2), (80, 3), (101, 4), (117, 5), (130, 6), (142, 7)];
        let later = [(168, 10), (200, 15), (300, 50), (400, 115), (500, 169), (756, 198), (757, 199)];
        for (round, expected) in table.into_iter().chain(later).chain([(1_000_000, 199)]) {
            assert_eq!(round_factor(round), expected, "round {round}");
        }
        assert_eq!(item_price(SpecialItem::Rocket, 50), 80);
    }

    /// Otherwise two machines could disagree about a price.
    #[test]
    fn no_factor_is_close_to_a_whole_number() {
        for round in 1..=2000 {
            let exact = 200.0 / (1.0 + 199.0 * (-0.014 * f64::from(round)).exp());
            assert!((exact - exact.round()).abs() > 1e-9 || exact > 199.5, "round {round}: {exact}");
        }
    }

    proptest! {
        #[test]
        fn prices_stay_in_their_bounds_and_fall_with_sales(
            kind in 0..5_usize, sold in 0..100_000_u64, more in 0..1_000_u64, players in 0..200_u32,
        ) {
            let kind = ResourceKind::ALL[kind];
            let price = resource_price(kind, sold, players);
            prop_assert!((1..=start_price(kind)).contains(&price));
            prop_assert!(resource_price(kind, sold + more, players) <= price);
        }
    }
}
