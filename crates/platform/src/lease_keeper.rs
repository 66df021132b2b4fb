//! Keeping a lease that is a row of a shared store: renewed in time, taken where nobody holds it, let go of when its time is over.
//!
//! The holder counts the time on its own clock, from before it asked, and a little less than the store does: clocks do not run
//! alike, and what it has begun takes its time. After the stop it leads no more, but lives: requests in flight are finished.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Monotonic};
use crate::lease::{Epoch, Lease};

/// A lease holds for so long without being renewed, and so long a replica counts as living.
pub const LEASE: Duration = Duration::from_secs(2);
/// So long its holder counts on it.
const HELD: Duration = Duration::from_millis(1700);
/// How often it is renewed, and how often those who do not lead look whether somebody does.
const EVERY: Duration = Duration::from_millis(400);

/// The lease of a service and the list of its replicas, as one replica reads and writes them.
pub trait LeaseRow: Send {
    fn lease(&self) -> &Lease;

    /// Shows that this replica lives, lists those that do, and renews the lease, or gains it where it is `wanted` and free. Whether
    /// this replica leads, which it may do until then.
    fn keep(&mut self, until: Monotonic, wanted: bool) -> impl Future<Output = Result<bool, String>> + Send;

    /// The last exchange failed or was given up: whatever it went over is not used again.
    fn disconnect(&mut self);

    /// Lets another replica lead at once.
    fn hand_over(&mut self, epoch: Epoch) -> impl Future<Output = ()> + Send;

    /// This replica is listed no longer.
    fn leave(&mut self) -> impl Future<Output = ()> + Send;
}

pub struct LeaseKeeper<R> {
    pub row: R,
    pub service: String,
    pub clock: Arc<dyn Clock>,
    /// Changes when another replica has handed the lease over.
    pub handed_over: watch::Sender<()>,
    /// Cancelled when the lease is to be handed over, before the service stops.
    pub stop: CancellationToken,
    /// Cancelled when the store is dropped.
    pub closed: CancellationToken,
}

impl<R: LeaseRow> LeaseKeeper<R> {
    /// Ends with the store.
    pub async fn run(mut self) {
        let mut handed_over = self.handed_over.subscribe();
        let mut holds_until: Option<Monotonic> = None;
        while !self.closed.is_cancelled() {
            if self.stop.is_cancelled() && self.row.lease().current().is_some() {
                holds_until = None;
                self.hand_over().await;
            }
            let until = self.clock.monotonic().after(HELD);
            let kept = tokio::select! {
                biased;
                kept = self.row.keep(until, !self.stop.is_cancelled()) => kept,
                // An answer that comes later than that is of no use.
                () = sleep(&*self.clock, holds_until) => Err("the lease is over".to_owned()),
            };
            match kept {
                Ok(is_held) => holds_until = Some(until).filter(|_| is_held),
                Err(fault) => {
                    tracing::debug!(%fault, "the lease could not be renewed");
                    self.row.disconnect();
                }
            }
            if holds_until.is_none_or(|until| self.clock.monotonic() >= until) {
                holds_until = None;
                self.let_go();
            }
            let next = self.clock.monotonic().after(EVERY);
            let next = holds_until.map_or(next, |until| next.min(until));
            tokio::select! {
                biased;
                () = self.closed.cancelled() => {}
                () = self.stop.cancelled(), if !self.stop.is_cancelled() => {}
                _ = handed_over.changed() => {}
                () = self.clock.sleep_until(next) => {}
            }
        }
        self.hand_over().await;
        self.row.leave().await;
    }

    fn let_go(&self) {
        if let Some(epoch) = self.row.lease().current() {
            tracing::warn!(service = self.service, %epoch, "lease lost, tasks stop");
            self.row.lease().set(None);
        }
    }

    async fn hand_over(&mut self) {
        let Some(epoch) = self.row.lease().current() else { return };
        self.row.lease().set(None);
        self.row.hand_over(epoch).await;
    }
}

/// Until the instant; forever where there is none.
async fn sleep(clock: &dyn Clock, until: Option<Monotonic>) {
    match until {
        Some(until) => clock.sleep_until(until).await,
        None => pending().await,
    }
}
