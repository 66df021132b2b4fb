//! The leader's lease: at most one replica of a service runs its background tasks at a time.
//! Each gain has an epoch of its own; a write that carries an older one is refused by the store.

use std::fmt;

use tokio::sync::watch;

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
pub struct Lease(watch::Sender<Option<Epoch>>);

impl Lease {
    /// The lease of an installation with one process: gained at the start and never lost.
    pub fn held() -> Self {
        Self(watch::Sender::new(Some(Epoch(1))))
    }

    /// Not gained yet.
    pub fn not_held() -> Self {
        Self(watch::Sender::new(None))
    }

    pub fn current(&self) -> Option<Epoch> {
        *self.0.borrow()
    }

    pub fn subscribe(&self) -> watch::Receiver<Option<Epoch>> {
        self.0.subscribe()
    }

    /// For stores in which the lease moves.
    pub fn set(&self, epoch: Option<Epoch>) {
        self.0.send_replace(epoch);
    }
}
