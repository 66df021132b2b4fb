//! Whether another service that was not reached is asked again: one of its replicas may be gone while the others serve, and
//! the next call comes to another one. A service that is away as a whole must not cost every call its time.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use starkeep_platform::clock::Monotonic;

/// So long after the first failure calls are repeated. Whoever routes calls has noticed by then that a replica is gone.
const REPEATED_FOR: Duration = Duration::from_secs(1);

/// How long ago the service was reached, as far as calls of this process tell.
#[derive(Default)]
pub struct Reachability {
    failing_since: Mutex<Option<Monotonic>>,
}

impl Reachability {
    /// A call was answered.
    pub fn note_answer(&self) {
        *self.failing_since.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// A call was not: may the next one be?
    pub fn note_failure(&self, now: Monotonic) -> bool {
        let mut failing_since = self.failing_since.lock().unwrap_or_else(PoisonError::into_inner);
        now < failing_since.get_or_insert(now).after(REPEATED_FOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_repeated_for_a_while_after_the_service_was_last_reached() {
        let at = |millis: u64| Monotonic(millis * 1_000_000);
        let reachability = Reachability::default();
        assert!(reachability.note_failure(at(5_000)) && reachability.note_failure(at(5_999)));
        assert!(!reachability.note_failure(at(6_000)) && !reachability.note_failure(at(60_000)));
        reachability.note_answer();
        assert!(reachability.note_failure(at(60_001)));
    }
}
