//! The few statistics a report needs: median and spread of the rounds, percentiles of the latencies.
//! A spread is what the middle half of the rounds covers: a short burst of other work on the machine
//! hardly widens it.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    /// A quarter of the values lie below.
    pub(crate) low: f64,
    /// A quarter of the values lie above.
    pub(crate) high: f64,
}

impl Summary {
    /// Of at least one value.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        let quarter = (sorted.len() - 1) / 4;
        Self { median, low: sorted[quarter], high: sorted[sorted.len() - 1 - quarter] }
    }
}

/// The smallest value that at least `percent` of all values do not exceed; 0 when there are none.
pub(crate) fn percentile(sorted: &[u32], percent: usize) -> u32 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_an_odd_count_is_the_middle_value() {
        assert_eq!(Summary::of([3.0, 1.0, 2.0]), Summary { median: 2.0, low: 1.0, high: 3.0 });
    }

    #[test]
    fn median_of_an_even_count_lies_between_the_two_in_the_middle() {
        assert_eq!(Summary::of([4.0, 1.0, 2.0, 10.0]), Summary { median: 3.0, low: 1.0, high: 10.0 });
    }

    #[test]
    fn the_spread_leaves_out_a_quarter_on_either_side() {
        let values = [9.0, 1.0, 5.0, 3.0, 100.0];
        assert_eq!(Summary::of(values), Summary { median: 5.0, low: 3.0, high: 9.0 });
    }

    #[test]
    fn a_single_round_has_no_spread() {
        assert_eq!(Summary::of([0.9]), Summary { median: 0.9, low: 0.9, high: 0.9 });
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!(percentile(&hundred, 50), 50);
        assert_eq!(percentile(&hundred, 99), 99);
        assert_eq!(percentile(&hundred, 100), 100);
        assert_eq!(percentile(&[7], 50), 7);
        assert_eq!(percentile(&[], 99), 0);
    }
}
