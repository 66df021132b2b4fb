//! How miners share what a planet gave: in proportion to their speeds, in whole units.
//! Each gets the whole part of its share; the rest goes, one unit each, to the largest fractions.

/// How `mined` units are shared among miners of these speeds, and who gets one of the units that are left over, in the order
/// in which they are asked: of two equal fractions the later miner comes first.
pub(crate) struct Shares {
    pub(crate) whole: Vec<u64>,
    pub(crate) rest: u64,
    pub(crate) rest_order: Vec<usize>,
}

pub(crate) fn shares(speeds: &[u64], mined: u64) -> Shares {
    let sum: u128 = speeds.iter().map(|speed| u128::from(*speed)).sum();
    let product = |speed: &u64| u128::from(mined) * u128::from(*speed);
    // A whole part is at most `mined`.
    let whole: Vec<u64> =
        speeds.iter().map(|speed| u64::try_from(product(speed) / sum.max(1)).unwrap_or(mined)).collect();
    let rest = mined - whole.iter().sum::<u64>();
    let mut rest_order: Vec<usize> = (0..speeds.len()).rev().collect();
    // A stable sort: equal fractions stay in the order of the line above.
    rest_order.sort_by_key(|miner| std::cmp::Reverse(product(&speeds[*miner]) % sum.max(1)));
    Shares { whole, rest, rest_order }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where everybody has room.
    fn totals(speeds: &[u64], mined: u64) -> Vec<u64> {
        let Shares { mut whole, rest, rest_order } = shares(speeds, mined);
        for miner in rest_order.into_iter().take(usize::try_from(rest).unwrap()) {
            whole[miner] += 1;
        }
        whole
    }

    #[test]
    fn shares_are_those_of_the_original() {
        for (speeds, mined, expected) in [
            (vec![2, 5, 10], 9, vec![1, 3, 5]),
            (vec![2, 2, 2], 4, vec![1, 1, 2]),
            (vec![2, 2, 2], 5, vec![1, 2, 2]),
            (vec![2, 2], 3, vec![1, 2]),
            (vec![2, 2], 0, vec![0, 0]),
        ] {
            assert_eq!(totals(&speeds, mined), expected, "{speeds:?} of {mined}");
        }
    }

    proptest! {
        #[test]
        fn everything_is_shared_and_nobody_is_off_by_a_unit(
            speeds in prop::collection::vec(1..=40_u64, 1..30), mined in 0..2_000_u64,
        ) {
            let totals = totals(&speeds, mined);
            prop_assert_eq!(totals.iter().sum::<u64>(), mined);
            let sum: u64 = speeds.iter().sum();
            for (speed, total) in speeds.iter().zip(totals) {
                let exact = mined * speed;
                prop_assert!(total * sum < exact + sum && total * sum + sum > exact);
            }
        }
    }
}
