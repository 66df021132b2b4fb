//! Waiting for intents: who has to wait until another replica has settled one looks again when one was begun, settled or
//! taken over, when a replica is gone, and when the lease is gained or lost.

use starkeep_platform::lease::Epoch;
use starkeep_platform::store::CommonStore;
use tokio::sync::watch;

pub struct IntentChanges {
    commits: watch::Receiver<()>,
    departures: watch::Receiver<()>,
    lease: watch::Receiver<Option<Epoch>>,
}

impl IntentChanges {
    /// `commits`: those that begin, settle or take over an intent.
    pub fn new(commits: watch::Receiver<()>, replicas: &dyn CommonStore) -> Self {
        Self { commits, departures: replicas.departures(), lease: replicas.lease().subscribe() }
    }

    /// What has changed up to now is looked at next.
    pub fn mark_seen(&mut self) {
        self.commits.mark_unchanged();
        self.departures.mark_unchanged();
        self.lease.mark_unchanged();
    }

    /// Waits for a change since then. False if the store has stopped: nothing will come any more.
    pub async fn next(&mut self) -> bool {
        tokio::select! {
            biased;
            changed = self.commits.changed() => changed.is_ok(),
            changed = self.departures.changed() => changed.is_ok(),
            changed = self.lease.changed() => changed.is_ok(),
        }
    }
}
