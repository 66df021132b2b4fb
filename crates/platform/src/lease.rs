//! The leader's lease: at most one replica of a service runs its background tasks at a time.
//! Each gain has an epoch of its own; a write that carries an older one is refused by the store.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::clock::Monotonic;

/// Counts how often the lease has been gained, by whichever replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether this replica holds the lease, and since which epoch. Gained and lost while the process lives.
#[derive(Debug)]
pub struct Lease {
    held: watch::Sender<Option<Epoch>>,
    /// `None`: it does not end by itself.
    until: Mutex<Option<Monotonic>>,
}

impl Lease {
    /// The lease of an installation with one process: gained at the start and never lost.
    pub fn held() -> Self {
        Self { held: watch::Sender::new(Some(Epoch(1))), until: Mutex::new(None) }
    }

    /// Not gained yet.
    pub fn not_held() -> Self {
        Self { held: watch::Sender::new(None), until: Mutex::new(None) }
    }

    /// As it was told last. A process that was frozen may have lost it without having been told.
    pub fn current(&self) -> Option<Epoch> {
        *self.held.borrow()
    }

    /// The same for who acts beyond the store, which refuses what comes too late: `None` as soon as the time of it is over.
    pub fn current_at(&self, now: Monotonic) -> Option<Epoch> {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        self.current().filter(|_| until.is_none_or(|until| now < until))
    }

    pub fn subscribe(&self) -> watch::Receiver<Option<Epoch>> {
        self.held.subscribe()
    }

    /// Gained or lost, without an end.
    pub fn set(&self, epoch: Option<Epoch>) {
        // In this order: one that is lost is not without an end for a moment.
        self.held.send_replace(epoch);
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Gained or renewed until then.
    pub fn hold_until(&self, epoch: Epoch, until: Monotonic) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        self.held.send_if_modified(|held| held.replace(epoch) != Some(epoch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_over_when_its_time_is_whether_its_holder_was_told_or_not() {
        let lease = Lease::not_held();
        let mut told = lease.subscribe();
        assert_eq!(lease.current_at(Monotonic(0)), None);
        lease.hold_until(Epoch(3), Monotonic(10));
        assert!(told.has_changed().unwrap());
        told.mark_unchanged();
        assert_eq!(lease.current_at(Monotonic(9)), Some(Epoch(3)));
        assert_eq!((lease.current_at(Monotonic(10)), lease.current()), (None, Some(Epoch(3))));
        lease.hold_until(Epoch(3), Monotonic(20));
        assert!(!told.has_changed().unwrap(), "to renew it is no news");
        assert_eq!(lease.current_at(Monotonic(10)), Some(Epoch(3)));
    }
}
