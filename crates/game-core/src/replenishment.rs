//! When the world of a running game is replenished: after whole rounds, whatever the pace, so that the same game played at
//! clock pace, stepped and in turbo has the same replenishments between the same rounds. Asking the map happens elsewhere.
//!
//! Example: worlds are replenished every 60 s and rounds last 25 s, so it is done after rounds 3, 6, 9, … and never after the
//! last one. What counts is the length that the round was announced with, not how long it was played.

use std::time::Duration;

use crate::game::{Game, Running};
use crate::made_world::ReplenishmentMode;
use crate::policy::Policy;
use crate::time::round_span;

impl Game {
    /// Asked when its open round ends and another one follows.
    pub(crate) fn is_to_be_replenished(&self, policy: &Policy, running: &Running) -> bool {
        if self.replenishment == ReplenishmentMode::Automatic || self.world.is_none() {
            return false;
        }
        let rounds = running.round.number.saturating_sub(running.replenished_after);
        policy
            .replenish_every
            .is_some_and(|every| u128::from(rounds) >= interval(every, running.round.length))
    }
}

/// In rounds of this length, which is in milliseconds.
fn interval(every: Duration, round_length: u32) -> u128 {
    every.as_nanos().div_ceil(round_span(round_length).as_nanos().max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_as_many_whole_rounds_as_are_not_shorter() {
        let minute = Duration::from_mins(1);
        for (every, length, rounds) in [
            (minute, 60_000, 1),
            (minute, 60_001, 1),
            (minute, 59_999, 2),
            (minute, 25_000, 3),
            (minute, 20_000, 3),
            (minute, 19_999, 4),
            (minute, 100, 600),
            (minute, 86_400_000, 1),
            (Duration::from_nanos(1), 100, 1),
            (Duration::MAX, 100, 184_467_440_737_095_516_160),
        ] {
            assert_eq!(interval(every, length), rounds, "{every:?} in rounds of {length} ms");
        }
    }
}
