//! All that was acknowledged, by whichever task, in the order in which it was noted. Every entry must hold from then on.
//! Whoever does harm waits for a number of entries, so that the harm comes at an instant of the load and not of a clock.

use std::sync::Arc;

use tokio::sync::watch;

/// Clones are the same journal.
pub struct Journal<A>(Arc<watch::Sender<Vec<A>>>);

impl<A> Clone for Journal<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A> Default for Journal<A> {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Vec::new())))
    }
}

impl<A: Clone> Journal<A> {
    /// So far.
    pub fn entries(&self) -> Vec<A> {
        self.entries_from(0)
    }

    /// So far, without the first ones.
    pub fn entries_from(&self, first: usize) -> Vec<A> {
        self.0.borrow().get(first..).unwrap_or_default().to_vec()
    }
}

impl<A> Journal<A> {
    pub fn note(&self, acknowledged: A) {
        self.0.send_modify(|entries| entries.push(acknowledged));
    }

    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns when it has so many entries.
    pub async fn reaches(&self, length: usize) {
        let mut entries = self.0.subscribe();
        // The sender is held here, so that it cannot be gone.
        let _ = entries.wait_for(|entries| entries.len() >= length).await;
    }
}
