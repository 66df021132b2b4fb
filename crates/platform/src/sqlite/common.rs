//! The part of the embedded store that is the same for every service: stored answers, the log, the lease, its own health.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;

use super::{Sqlite, Tables, answers, log, open};
use crate::decision::StoreFault;
use crate::events::{Log, Pages};
use crate::lease::{Epoch, Lease};
use crate::replica::ReplicaId;
use crate::store::{CommonStore, RetentionBounds, WriteCounts};

impl<D: Tables> CommonStore for Sqlite<D> {
    fn check(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        async {
            match self.status.fault() {
                None => Ok(()),
                Some(_) => self.maintain(None, open::touch).await,
            }
        }
        .boxed()
    }

    fn remove_answers(&self, epoch: Epoch, before: Timestamp) -> BoxFuture<'_, Result<usize, StoreFault>> {
        self.maintain(Some(epoch), move |connection| answers::remove(connection, before)).boxed()
    }

    fn counts(&self) -> WriteCounts {
        self.published.counts()
    }

    fn log(&self) -> (Arc<Log>, Arc<dyn Pages>) {
        (self.published.log().clone(), Arc::new(self.readers.clone()))
    }

    fn relayed(&self) -> BoxFuture<'_, Result<Option<u64>, StoreFault>> {
        async { self.read(log::relayed).await.map_err(StoreFault::Unavailable) }.boxed()
    }

    fn save_relayed(&self, epoch: Epoch, number: u64) -> BoxFuture<'_, Result<(), StoreFault>> {
        self.maintain(Some(epoch), move |connection| log::save_relayed(connection, number)).boxed()
    }

    fn remove_events(
        &self,
        epoch: Epoch,
        keep: RetentionBounds,
        at_most: u32,
    ) -> BoxFuture<'_, Result<u64, StoreFault>> {
        async move {
            let removal = move |connection: &_| log::remove(connection, keep, at_most);
            let (removed, oldest) = self.maintain(Some(epoch), removal).await?;
            self.published.log().begins_with(oldest);
            Ok(removed)
        }
        .boxed()
    }

    fn lease(&self) -> &Lease {
        &self.lease
    }

    fn replica(&self) -> ReplicaId {
        self.replica
    }

    /// One process a file: whatever another one left behind, it does not live any longer.
    fn is_alive(&self, replica: ReplicaId) -> bool {
        replica == self.replica
    }
}
