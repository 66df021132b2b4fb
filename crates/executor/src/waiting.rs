//! Waiting until an event of a stream is known here: a batch may arrive before the events of its round.

use std::sync::Arc;

use futures::future::select_all;
use starkeep_platform::clock::{Clock, Monotonic};
use tokio::sync::watch;

/// Looks again after every change that one of the receivers is notified of. `None` if it did not come to hold before that
/// instant.
pub async fn wait_until<I, T>(
    clock: &dyn Clock,
    until: Monotonic,
    mut changes: Vec<watch::Receiver<()>>,
    image: impl Fn() -> Arc<I>,
    reached: impl Fn(&I) -> Option<T>,
) -> Option<T> {
    let waiting = async {
        loop {
            changes.iter_mut().for_each(watch::Receiver::mark_unchanged);
            if let Some(found) = reached(&image()) {
                return Some(found);
            }
            let next = changes.iter_mut().map(|receiver| Box::pin(receiver.changed()));
            // The store has stopped: nothing will come any more.
            if select_all(next).await.0.is_err() {
                return None;
            }
        }
    };
    tokio::select! {
        biased;
        found = waiting => found,
        () = clock.sleep_until(until) => None,
    }
}
