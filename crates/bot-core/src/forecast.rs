//! What a bot expects resources to bring: the mean of the prices of the last rounds, weighted by the bot's preferences.
//! The mean, as a price falls for a few rounds after each large sale. The preferences, as bots that all want the same ruin
//! its price.

use std::collections::VecDeque;

use starkeep_core_types::{Amounts, ResourceKind, Rng};

use crate::rules::START_PRICES;

/// Twice as many as those that decide a price.
const ROUNDS: usize = 10;
/// Expected prices are in hundredths.
pub(crate) const HUNDRED: u64 = 100;

#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    seen: VecDeque<[u64; 5]>,
    /// In per cent.
    preference: [u64; 5],
}

impl Forecast {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        Self { seen: VecDeque::new(), preference: ResourceKind::ALL.map(|_| 80 + rng.below(41)) }
    }

    /// Once a round.
    pub(crate) fn note(&mut self, prices: [u64; 5]) {
        self.seen.push_back(prices);
        if self.seen.len() > ROUNDS {
            self.seen.pop_front();
        }
    }

    /// In hundredths.
    pub(crate) fn price(&self, kind: ResourceKind) -> u64 {
        let place = kind.index();
        let preference = self.preference[place];
        match self.seen.len() as u64 {
            0 => START_PRICES[place] * preference,
            rounds => self.seen.iter().map(|prices| prices[place]).sum::<u64>() * preference / rounds,
        }
    }

    /// In hundredths.
    pub(crate) fn worth(&self, cargo: Amounts) -> u64 {
        let worth = cargo.each().map(|(kind, amount)| amount.saturating_mul(self.price(kind)));
        worth.into_iter().fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_expected_as_it_was_lately() {
        let mut forecast = Forecast { seen: VecDeque::new(), preference: [100, 100, 50, 100, 100] };
        assert_eq!(forecast.price(ResourceKind::Iron), 15 * HUNDRED);
        (0..ROUNDS).for_each(|_| forecast.note([5, 15, 30, 50, 60]));
        (0..ROUNDS / 2).for_each(|_| forecast.note([1, 15, 30, 50, 60]));
        assert_eq!(forecast.price(ResourceKind::Coal), 3 * HUNDRED);
        assert_eq!(forecast.price(ResourceKind::Gem), 15 * HUNDRED, "it prefers gems half as much");
        assert_eq!(forecast.worth(Amounts::new([2, 1, 0, 0, 0])), 21 * HUNDRED);
    }
}
