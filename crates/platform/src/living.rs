//! The replicas that live, as far as one of them knows: those that were listed when it last asked, and those that have committed
//! something since. Whoever owns something has committed it, so nobody counts as dead only because it has begun a moment ago.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::replica::ReplicaId;

pub struct LivingReplicas {
    own: ReplicaId,
    known: Mutex<Known>,
    departures: watch::Sender<()>,
}

#[derive(Default)]
struct Known {
    listed: HashSet<ReplicaId>,
    heard_of: HashSet<ReplicaId>,
}

impl LivingReplicas {
    pub fn new(own: ReplicaId) -> Self {
        Self { own, known: Mutex::default(), departures: watch::Sender::default() }
    }

    pub fn is_alive(&self, replica: ReplicaId) -> bool {
        let known = self.known();
        replica == self.own || known.listed.contains(&replica) || known.heard_of.contains(&replica)
    }

    pub fn is_alone(&self) -> bool {
        let known = self.known();
        known.listed.union(&known.heard_of).all(|replica| *replica == self.own)
    }

    /// They have committed something.
    pub fn heard_of(&self, replicas: impl IntoIterator<Item = ReplicaId>) {
        self.known().heard_of.extend(replicas);
    }

    /// The list is about to be asked for.
    pub fn begin_listing(&self) {
        let mut known = self.known();
        let heard_of = std::mem::take(&mut known.heard_of);
        known.listed.extend(heard_of);
    }

    pub fn set_listed(&self, listed: HashSet<ReplicaId>) {
        let mut known = self.known();
        let before = std::mem::replace(&mut known.listed, listed);
        let is_gone = before.difference(&known.listed).next().is_some();
        drop(known);
        if is_gone {
            self.departures.send_replace(());
        }
    }

    /// Changes when one of the listed replicas is listed no longer.
    pub fn departures(&self) -> watch::Receiver<()> {
        self.departures.subscribe()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn who_has_committed_something_lives_until_a_list_that_was_asked_for_afterwards_says_otherwise() {
        let (own, other) = (ReplicaId(Uuid::from_u128(1)), ReplicaId(Uuid::from_u128(2)));
        let living = LivingReplicas::new(own);
        assert!(living.is_alive(own) && !living.is_alive(other) && living.is_alone());
        living.begin_listing();
        living.heard_of([other]);
        living.set_listed(HashSet::from([own]));
        assert!(living.is_alive(other) && !living.is_alone(), "it may have begun after the list was made");
        let mut departures = living.departures();
        living.begin_listing();
        living.set_listed(HashSet::from([own]));
        assert!(!living.is_alive(other) && living.is_alone());
        assert!(departures.has_changed().unwrap());
        departures.mark_unchanged();
        living.set_listed(HashSet::from([own, other]));
        assert!(!departures.has_changed().unwrap());
    }
}
