//! The one home of chance: ids, seeds, and waits that differ from process to process.
//! Tests pass a `SequentialIds` source and get the same ones every time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use uuid::Uuid;

pub trait Chance: Send + Sync + 'static {
    /// A random id.
    fn uuid(&self) -> Uuid;

    /// Random bits.
    fn bits(&self) -> u64 {
        self.uuid().as_u64_pair().1.rotate_left(32) ^ self.uuid().as_u64_pair().0
    }
}

/// Between half of the wait and all of it, so that clients which lost a service in the same instant do not come back in the same instant.
pub fn jittered(chance: &dyn Chance, wait: Duration) -> Duration {
    let half = wait / 2;
    let part = u32::try_from(chance.bits() >> 32).unwrap_or(u32::MAX);
    // In floating point all of it would be a little less or more.
    let nanos = half.as_nanos() * u128::from(part) / u128::from(u32::MAX);
    wait.saturating_sub(half) + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// A generator of this process that nobody can foresee, seeded by the operating system: asking that for every id would be a
/// system call each.
pub struct SystemChance;

impl Chance for SystemChance {
    #[expect(clippy::disallowed_methods, reason = "this is the home of chance")]
    fn uuid(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// The same ids in the same order, for tests.
pub struct SequentialIds {
    next: AtomicU64,
    /// The next id of those that are given while disturbed. They are never the same as others, or as each other.
    next_disturbed: AtomicU64,
    is_disturbed: AtomicBool,
}

impl SequentialIds {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            next: AtomicU64::new(1),
            next_disturbed: AtomicU64::new(1 << 32),
            is_disturbed: AtomicBool::new(false),
        })
    }

    /// While on, other ids are given; afterwards they go on where they were. A decision that draws ids is noticed by
    /// this: made again, it comes to something else.
    pub fn disturb(&self, on: bool) {
        self.is_disturbed.store(on, Ordering::Relaxed);
    }
}

impl Chance for SequentialIds {
    fn uuid(&self) -> Uuid {
        let is_disturbed = self.is_disturbed.load(Ordering::Relaxed);
        let next = if is_disturbed { &self.next_disturbed } else { &self.next };
        let number = next.fetch_add(1, Ordering::Relaxed);
        uuid::Builder::from_u128(u128::from(number)).with_version(uuid::Version::Random).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bits(u64);

    impl Chance for Bits {
        fn uuid(&self) -> Uuid {
            Uuid::nil()
        }

        fn bits(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn a_jittered_wait_is_at_least_half_as_long_and_never_longer() {
        let second = Duration::from_secs(1);
        assert_eq!(jittered(&Bits(0), second), second / 2);
        assert_eq!(jittered(&Bits(u64::MAX), second), second);
        let middle = jittered(&Bits(u64::MAX / 4), second);
        assert!(middle > Duration::from_millis(624) && middle < Duration::from_millis(626), "{middle:?}");
        assert_eq!(jittered(&Bits(u64::MAX), Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn a_disturbance_gives_other_ids_and_the_sequence_goes_on_afterwards() {
        let (chance, steady) = (SequentialIds::new(), SequentialIds::new());
        let expected: Vec<_> = (0..4).map(|_| steady.uuid()).collect();
        let mut given = vec![chance.uuid(), chance.uuid()];
        chance.disturb(true);
        let disturbed = [chance.uuid(), chance.uuid()];
        chance.disturb(false);
        given.extend([chance.uuid(), chance.uuid()]);
        assert_eq!(given, expected);
        chance.disturb(true);
        let again = chance.uuid();
        assert!(!expected.contains(&disturbed[0]) && !expected.contains(&disturbed[1]));
        assert!(disturbed[0] != disturbed[1] && !disturbed.contains(&again), "none is given twice");
        assert_ne!(chance.bits(), steady.bits());
    }
}
