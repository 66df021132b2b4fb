//! The same ids in the same order, from a source that can keep the store's writer waiting in the middle of a decision.
//! So a test decides which requests share a commit.

use std::sync::{Arc, Condvar, Mutex};

use starkeep_platform::chance::{Chance, SequentialIds};
use tokio::sync::watch;
use uuid::Uuid;

pub(crate) struct HeldChance {
    ids: Arc<SequentialIds>,
    held: Mutex<bool>,
    released: Condvar,
    writer_waits: watch::Sender<bool>,
}

impl HeldChance {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            ids: SequentialIds::new(),
            held: Mutex::new(false),
            released: Condvar::new(),
            writer_waits: watch::Sender::new(false),
        })
    }

    /// The next decision that announces something does not come to its end before the release.
    pub(crate) fn hold_the_writer(&self) {
        *self.held.lock().expect("nobody panics with it") = true;
    }

    pub(crate) async fn writer_is_held(&self) {
        self.writer_waits.subscribe().wait_for(|waits| *waits).await.expect("chance is alive");
    }

    pub(crate) fn release_the_writer(&self) {
        *self.held.lock().expect("nobody panics with it") = false;
        self.released.notify_all();
    }
}

impl Chance for HeldChance {
    fn uuid(&self) -> Uuid {
        if std::thread::current().name() == Some("store-writer") {
            let mut held = self.held.lock().expect("nobody panics with it");
            while *held {
                self.writer_waits.send_replace(true);
                held = self.released.wait(held).expect("nobody panics with it");
            }
            self.writer_waits.send_replace(false);
        }
        self.ids.uuid()
    }
}
