//! Watches the store: its writer can be kept waiting, so that a test decides which requests share a commit,
//! and a replica follows what is committed.

use std::sync::{Arc, Condvar, Mutex};

use starkeep_game_service::testing::{Follower, StoreObserver};
use tokio::sync::watch;

pub(crate) struct HeldWriter {
    held: Mutex<bool>,
    released: Condvar,
    waits: watch::Sender<bool>,
    pub(crate) follower: Arc<Follower>,
}

impl HeldWriter {
    pub(crate) fn new(slots: u32) -> Arc<Self> {
        Arc::new(Self {
            held: Mutex::new(false),
            released: Condvar::new(),
            waits: watch::Sender::new(false),
            follower: Follower::new(slots),
        })
    }

    /// The next decision is not made before the release.
    pub(crate) fn hold(&self) {
        *self.held.lock().expect("nobody panics with it") = true;
    }

    pub(crate) async fn is_held(&self) {
        self.waits.subscribe().wait_for(|waits| *waits).await.expect("the writer is alive");
    }

    pub(crate) fn release(&self) {
        *self.held.lock().expect("nobody panics with it") = false;
        self.released.notify_all();
    }
}

impl StoreObserver for HeldWriter {
    fn deciding(&self) {
        let mut held = self.held.lock().expect("nobody panics with it");
        while *held {
            self.waits.send_replace(true);
            held = self.released.wait(held).expect("nobody panics with it");
        }
        self.waits.send_replace(false);
    }

    fn committed(&self, change: &[u8]) {
        self.follower.follow(change);
    }
}
