//! The part of a store in a database that is the same for every service: stored answers, the log, the lease, its own health.

use std::pin::Pin;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_contract::health::{ImageDigest, ReplicaState};
use tokio::sync::watch;

use super::{SqlStore, SqlTables, answers, log};
use crate::decision::StoreFault;
use crate::events::{Log, Pages};
use crate::idempotency::{AnswerStore, RequestKey, StoredAnswer};
use crate::lease::{Epoch, Lease};
use crate::replica::ReplicaId;
use crate::store::{CommonStore, RetentionBounds, WriteCounts};

/// How many stored answers are removed in one transaction.
const ANSWERS_AT_ONCE: u32 = 1000;

impl<D: SqlTables> CommonStore for SqlStore<D> {
    fn check(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        async {
            match self.database.fault() {
                None => Ok(()),
                // A write that changes nothing, to learn whether writing works.
                Some(_) => self
                    .maintain(None, |connection| {
                        connection.execute("UPDATE installation SET touched = touched + 1", &[])
                    })
                    .await
                    .map(drop),
            }
        }
        .boxed()
    }

    fn remove_answers(&self, epoch: Epoch, before: Timestamp) -> BoxFuture<'_, Result<usize, StoreFault>> {
        async move {
            let mut sum = 0;
            loop {
                let part = self.maintain(Some(epoch), move |connection| {
                    answers::remove(connection, before, ANSWERS_AT_ONCE).boxed()
                });
                let removed = part.await?;
                sum += removed;
                if removed < ANSWERS_AT_ONCE as usize {
                    return Ok(sum);
                }
            }
        }
        .boxed()
    }

    fn counts(&self) -> WriteCounts {
        self.published.counts()
    }

    fn log(&self) -> (Arc<Log>, Arc<dyn Pages>) {
        (self.published.log().clone(), self.database.pages())
    }

    fn catch_up(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        self.database.fresh().map(|fresh| fresh.map(drop)).boxed()
    }

    fn relayed(&self) -> BoxFuture<'_, Result<Option<u64>, StoreFault>> {
        async {
            let relayed = self.read(|connection| log::relayed(connection).boxed());
            relayed.await.map_err(StoreFault::Unavailable)
        }
        .boxed()
    }

    fn save_relayed(&self, epoch: Epoch, number: u64) -> BoxFuture<'_, Result<(), StoreFault>> {
        self.maintain(Some(epoch), move |connection| log::save_relayed(connection, number).boxed()).boxed()
    }

    fn remove_events(
        &self,
        epoch: Epoch,
        keep: RetentionBounds,
        at_most: u32,
    ) -> BoxFuture<'_, Result<u64, StoreFault>> {
        async move {
            let removal =
                self.maintain(Some(epoch), move |connection| log::remove(connection, keep, at_most).boxed());
            let (removed, oldest) = removal.await?;
            self.published.log().begins_with(oldest);
            Ok(removed)
        }
        .boxed()
    }

    fn lease(&self) -> &Lease {
        self.database.lease()
    }

    fn replica(&self) -> ReplicaId {
        self.replica
    }

    fn is_alive(&self, replica: ReplicaId) -> bool {
        self.database.is_alive(replica)
    }

    fn departures(&self) -> watch::Receiver<()> {
        self.database.departures()
    }

    fn is_shared(&self) -> bool {
        self.database.is_shared()
    }

    fn replica_state(&self) -> BoxFuture<'_, Option<ReplicaState>> {
        self.database.replica_state()
    }

    fn digest(&self) -> BoxFuture<'_, Option<ImageDigest>> {
        self.database.digest()
    }
}

impl<D: SqlTables> AnswerStore for SqlStore<D> {
    fn find<'a>(
        &'a self,
        request_key: &'a RequestKey,
    ) -> Pin<Box<dyn Future<Output = Result<Option<StoredAnswer>, String>> + Send + 'a>> {
        let request_key = request_key.clone();
        self.read(move |connection| answers::find(connection, request_key).boxed()).boxed()
    }
}
