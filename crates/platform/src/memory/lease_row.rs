//! The lease and the list of replicas of the in-memory store, where it stands for a database: rows that each replica renews, by the
//! database's clock.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::conditions::PlantedBug;
use super::remote::Remote;
use super::{Memory, MemoryTables};
use crate::clock::{Clock, Monotonic};
use crate::lease::{Epoch, Lease};
use crate::lease_keeper::{LEASE, LeaseKeeper, LeaseRow};
use crate::replica::ReplicaId;

/// By so much a planted bug takes the lease too early.
const EARLY: Duration = Duration::from_secs(1);

/// What a database would keep of it.
pub(super) struct LeaseRows {
    epoch: Epoch,
    holder: Option<ReplicaId>,
    until: Monotonic,
    /// So many batches had been committed when the lease was gained.
    gained_after: u64,
    seen: BTreeMap<ReplicaId, Monotonic>,
}

impl Default for LeaseRows {
    fn default() -> Self {
        Self { epoch: Epoch(0), holder: None, until: Monotonic(0), gained_after: 0, seen: BTreeMap::new() }
    }
}

impl<D: MemoryTables> Memory<D> {
    /// Keeps the lease of a replica that reaches the store over a network.
    pub fn lease_keeper(
        self: &Arc<Self>,
        service: &str,
        clock: Arc<dyn Clock>,
        stop: CancellationToken,
        closed: CancellationToken,
    ) -> LeaseKeeper<MemoryLease<D>> {
        let handed_over = self.shared.handed_over.clone();
        LeaseKeeper {
            row: MemoryLease(self.clone()),
            service: service.to_owned(),
            clock,
            handed_over,
            stop,
            closed,
        }
    }

    /// The epoch in which this replica leads, as the store has it.
    pub(super) fn leading_epoch(&self) -> Option<Epoch> {
        let Some(remote) = &self.remote else { return self.lease.current() };
        if self.has(PlantedBug::NoEpochCheck) {
            return *remote.believed.lock().unwrap_or_else(PoisonError::into_inner);
        }
        let rows = self.lease_rows();
        Some(rows.epoch).filter(|_| rows.holder == Some(self.replica))
    }

    /// What is wrong if a task of that epoch has just written.
    pub(super) fn overtaken(&self, epoch: Epoch) -> Option<String> {
        let newest = self.lease_rows().epoch;
        let is_overtaken = self.remote.is_some() && epoch < newest;
        is_overtaken.then(|| format!("a task of epoch {epoch} has written in epoch {newest}"))
    }

    /// Does this replica lead without having seen what was committed before?
    pub fn leads_blindly(&self) -> bool {
        let rows = self.lease_rows();
        rows.holder == Some(self.replica) && self.last_followed() < rows.gained_after
    }

    fn lease_rows(&self) -> MutexGuard<'_, LeaseRows> {
        self.shared.lease_rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show_life(&self, now: Monotonic) {
        let mut rows = self.lease_rows();
        rows.seen.insert(self.replica, now);
        let lives =
            |(replica, seen): (&ReplicaId, &Monotonic)| (now.since(*seen) < LEASE).then_some(*replica);
        let listed = rows.seen.iter().filter_map(lives).collect();
        drop(rows);
        self.own.living.set_listed(listed);
    }

    fn renew(&self, epoch: Epoch, now: Monotonic) -> bool {
        let mut rows = self.lease_rows();
        let is_held = rows.holder == Some(self.replica) && rows.epoch == epoch;
        if is_held {
            rows.until = now.after(LEASE);
        }
        is_held
    }

    fn gain(&self, now: Monotonic) -> Result<Option<Epoch>, String> {
        let mut rows = self.lease_rows();
        let early = if self.has(PlantedBug::LeaseTakenEarly) { EARLY } else { Duration::ZERO };
        if rows.until.before(early) >= now {
            return Ok(None);
        }
        rows.epoch = Epoch(rows.epoch.0 + 1);
        (rows.holder, rows.until) = (Some(self.replica), now.after(LEASE));
        rows.gained_after = self.newest_batch();
        let epoch = rows.epoch;
        drop(rows);
        if !self.has(PlantedBug::LeadsWithoutFollowing) {
            self.follow().map_err(|fault| fault.to_string())?;
        }
        Ok(Some(epoch))
    }
}

/// The lease as one replica reads and writes it.
pub struct MemoryLease<D: MemoryTables>(Arc<Memory<D>>);

impl<D: MemoryTables> MemoryLease<D> {
    /// The database's time, after as long as a question takes.
    async fn ask(&self) -> Result<Monotonic, String> {
        let Some(Remote { conditions, .. }) = &self.0.remote else { return Ok(Monotonic(0)) };
        conditions.ask().await.map_err(|fault| fault.to_string())?;
        Ok(conditions.server_time())
    }
}

impl<D: MemoryTables> LeaseRow for MemoryLease<D> {
    fn lease(&self) -> &Lease {
        &self.0.lease
    }

    async fn keep(&mut self, until: Monotonic, wanted: bool) -> Result<bool, String> {
        let store = &self.0;
        store.own.living.begin_listing();
        store.show_life(self.ask().await?);
        let now = self.ask().await?;
        let kept = match store.lease.current() {
            Some(epoch) => Some(epoch).filter(|epoch| store.renew(*epoch, now)),
            None if wanted => store.gain(now)?,
            None => None,
        };
        if let Some(epoch) = kept {
            let is_endless = store.has(PlantedBug::LeaseWithoutEnd);
            store.lease.hold_until(epoch, if is_endless { Monotonic(u64::MAX) } else { until });
        }
        Ok(kept.is_some())
    }

    fn disconnect(&mut self) {}

    async fn hand_over(&mut self, epoch: Epoch) {
        if self.ask().await.is_err() {
            return;
        }
        let mut rows = self.0.lease_rows();
        if rows.holder == Some(self.0.replica) && rows.epoch == epoch {
            rows.until = Monotonic(0);
        }
        drop(rows);
        self.0.shared.handed_over.send_replace(());
    }

    async fn leave(&mut self) {
        if self.ask().await.is_ok() {
            self.0.lease_rows().seen.remove(&self.0.replica);
        }
    }
}
