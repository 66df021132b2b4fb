//! What a store has published: the image that reads are rendered from, the log, and signals for those who wait for a change.
//! Every store publishes through this, after the commit and in its order.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::batch::BatchWrites;
use crate::domain::{Domain, Interest};
use crate::events::{CommittedEvent, Log};

/// What a store has written in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    pub commits: u64,
    pub decisions: u64,
    pub events: u64,
}

pub struct Published<D: Domain> {
    image: ArcSwap<D::Image>,
    log: Arc<Log>,
    signals: CommitSignals,
    counts: Mutex<WriteCounts>,
}

impl<D: Domain> Published<D> {
    pub fn new(image: D::Image, log: Log) -> Self {
        Self {
            image: ArcSwap::from_pointee(image),
            log: Arc::new(log),
            signals: CommitSignals::default(),
            counts: Mutex::default(),
        }
    }

    /// What was last committed. Reading it waits for nobody.
    pub fn image(&self) -> Arc<D::Image> {
        self.image.load_full()
    }

    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    pub fn counts(&self) -> WriteCounts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes with every commit that concerns the interest: a hint that it is worth looking at the image again.
    pub fn commits(&self, interest: Interest) -> watch::Receiver<()> {
        self.signals.subscribe(interest)
    }

    /// Called by the store after the commit, for each commit in its order.
    pub fn publish(&self, writes: BatchWrites<D>) {
        let concerns = writes.concerns();
        let (decisions, events) = (writes.changes.len(), writes.events.len());
        self.image.store(Arc::new(writes.image));
        {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.commits += 1;
            counts.decisions += decisions as u64;
            counts.events += events as u64;
        }
        self.log.append(writes.events);
        self.signals.send(concerns);
    }

    /// Called by a store that shares its database, with what other replicas have committed.
    pub fn follow(&self, image: D::Image, events: Vec<Arc<CommittedEvent>>, concerns: Interest) {
        self.image.store(Arc::new(image));
        self.log.follow(events);
        self.signals.send(concerns);
    }

    /// Called by a store that has lost its place and has loaded everything anew.
    pub fn replace(&self, image: D::Image, log: Log) {
        self.image.store(Arc::new(image));
        self.log.replace(log);
        self.signals.send(Interest::ALL);
    }
}

/// Wakes those whom a commit concerns, and nobody else.
#[derive(Default)]
struct CommitSignals(Mutex<Vec<(Interest, watch::Sender<()>)>>);

impl CommitSignals {
    fn subscribe(&self, interest: Interest) -> watch::Receiver<()> {
        let mut subscribers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Subscribers with the same interest share a channel, so requests that wait do not make the list grow.
        if let Some((_, sender)) = subscribers.iter().find(|(other, _)| *other == interest) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(());
        subscribers.push((interest, sender));
        receiver
    }

    fn send(&self, concerns: Interest) {
        for (interest, sender) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            if interest.overlaps(concerns) {
                sender.send_replace(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_wakes_only_those_whom_it_concerns() {
        let (one, other) = (Interest::bit(0), Interest::bit(1));
        let signals = CommitSignals::default();
        let (first, second) = (signals.subscribe(one), signals.subscribe(other));
        signals.send(one);
        assert_eq!((first.has_changed().unwrap(), second.has_changed().unwrap()), (true, false));
        signals.send(Interest::NONE);
        assert!(!second.has_changed().unwrap());
        signals.send(one.or(other));
        assert!(second.has_changed().unwrap());
    }
}
