//! How long the robot service is left alone between two batches when nobody tells that it is done with the first one.
//! A plain rule; who waits, and whether there is anything to wait for, is decided elsewhere.

use std::time::Duration;

/// Of the gap that grows, for any batch and for each of its commands: the existing robot service needs 13 to 30 ms for a
/// move.
const GAP_OF_BATCH: Duration = Duration::from_millis(100);
const GAP_OF_COMMAND: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GapRule {
    /// The same after every batch, as the host says.
    Fixed(Duration),
    /// By the commands of the batch.
    Growing,
}

impl GapRule {
    /// The gap after the batch at `place` of a phase's batches, whose sizes are given in the order of sending; none after
    /// the last one. All gaps of a phase take at most half of it, and those to come at most half of what is `left`: other
    /// batches may have used up the rest. Where that is too little, each gap gets its part.
    pub(super) fn after(self, place: usize, sizes: &[usize], span: Duration, left: Duration) -> Duration {
        let Some((_, followed)) = sizes.split_last() else { return Duration::ZERO };
        let Some(commands) = followed.get(place) else { return Duration::ZERO };
        let wanted = self.wanted(*commands);
        let cut = |gaps: &[usize], most| {
            let all = gaps.iter().fold(Duration::ZERO, |all, size| all.saturating_add(self.wanted(*size)));
            if all <= most { wanted } else { part_of(most, wanted, all) }
        };
        cut(followed, span / 2).min(cut(&followed[place..], left / 2))
    }

    fn wanted(self, commands: usize) -> Duration {
        match self {
            Self::Fixed(gap) => gap,
            Self::Growing => {
                let commands = u32::try_from(commands).unwrap_or(u32::MAX);
                GAP_OF_BATCH.saturating_add(GAP_OF_COMMAND.saturating_mul(commands))
            }
        }
    }
}

/// The part of `whole` that `part` is of `all`, rounded down.
fn part_of(whole: Duration, part: Duration, all: Duration) -> Duration {
    let nanos = whole.as_nanos().saturating_mul(part.as_nanos()).checked_div(all.as_nanos());
    Duration::from_nanos(nanos.and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// All gaps of a phase of which so much was used before the first, and nothing but the gaps afterwards.
    fn gaps_of(rule: GapRule, sizes: &[usize], span: Duration, used: Duration) -> Vec<Duration> {
        let mut left = span.saturating_sub(used);
        let each = |place| {
            let gap = rule.after(place, sizes, span, left);
            left = left.saturating_sub(gap);
            gap
        };
        (0..sizes.len()).map(each).collect()
    }

    fn rule() -> impl Strategy<Value = GapRule> {
        prop_oneof![Just(GapRule::Growing), (0..100_000_u64).prop_map(|gap| GapRule::Fixed(millis(gap)))]
    }

    #[test]
    fn gaps_grow_with_the_commands_and_are_cut_to_half_of_the_phase() {
        let (growing, fixed) = (GapRule::Growing, |gap| GapRule::Fixed(millis(gap)));
        for (rule, sizes, span, gaps) in [
            (growing, vec![1, 60, 3], 15_000, vec![120, 1_300, 0]),
            (growing, vec![45, 5], 1_000, vec![500, 0]),
            (growing, vec![45, 5, 1], 1_000, vec![416, 83, 0]),
            (growing, vec![1], 15_000, vec![0]),
            (fixed(150), vec![1, 60, 3], 15_000, vec![150, 150, 0]),
            (fixed(5_000), vec![1, 60, 3, 3], 1_200, vec![200, 200, 200, 0]),
            (fixed(0), vec![1, 60], 1_000, vec![0, 0]),
        ] {
            let given = gaps_of(rule, &sizes, millis(span), Duration::ZERO);
            let given: Vec<_> = given.iter().map(Duration::as_millis).collect();
            assert_eq!(given, gaps, "{rule:?} {sizes:?}");
        }
    }

    #[test]
    fn gaps_are_cut_to_half_of_what_other_batches_have_left() {
        // Trading hung for 11.25 of 15 s; the moves, attacks and minings that follow want 2.1 s each.
        let gaps = gaps_of(GapRule::Growing, &[100, 100, 100, 1], millis(15_000), millis(11_250));
        assert_eq!(gaps[0], millis(625));
        assert!(gaps.iter().sum::<Duration>() < millis(2_600), "of the 3.75 s that are left: {gaps:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn all_gaps_take_at_most_half_of_the_phase_and_none_is_longer_than_wanted(
            rule in rule(),
            sizes in prop::collection::vec(1..5_000_usize, 1..7),
            percent in 1..500_u32,
            used_percent in 0..100_u32,
        ) {
            // Phases that are too short for the gaps, and others.
            let followed = sizes.iter().rev().skip(1);
            let span = followed.map(|size| rule.wanted(*size)).sum::<Duration>() * percent / 100 + millis(1);
            let used = span * used_percent / 100;
            let gaps = gaps_of(rule, &sizes, span, used);
            let all: Duration = gaps.iter().sum();
            prop_assert!(all <= span / 2, "{all:?} of {span:?}");
            let mut left = span.saturating_sub(used);
            for gap in &gaps {
                prop_assert!(*gap <= left / 2, "{gap:?} of {left:?}");
                left = left.saturating_sub(*gap);
            }
            let followed = &sizes[..sizes.len() - 1];
            let wanted: Vec<_> = followed.iter().map(|size| rule.wanted(*size)).collect();
            let fits = wanted.iter().sum::<Duration>() <= span.saturating_sub(used) / 2;
            for (gap, wanted) in gaps.iter().zip(wanted) {
                prop_assert!(*gap <= wanted);
                prop_assert!(!fits || *gap == wanted);
                prop_assert!(wanted.is_zero() || !gap.is_zero(), "nobody is left without one");
            }
            prop_assert_eq!(gaps.last(), Some(&Duration::ZERO));
        }
    }
}
