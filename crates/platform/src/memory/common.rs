//! The part of the in-memory store that is the same for every service: stored answers, the log, the lease.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use jiff::Timestamp;
use starkeep_contract::health::{ImageDigest, ReplicaState};
use tokio::sync::watch;
use uuid::Uuid;

use super::conditions::PlantedBug;
use super::{Memory, MemoryTables};
use crate::decision::StoreFault;
use crate::events::{CommittedEvent, Log, Pages};
use crate::idempotency::{AnswerStore, RequestKey, StoredAnswer};
use crate::lease::{Epoch, Lease};
use crate::replica::ReplicaId;
use crate::store::{CommonStore, RetentionBounds, Store as _, WriteCounts};

impl<D: MemoryTables> CommonStore for Memory<D> {
    fn check(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        if let Some(remote) = &self.remote {
            return remote.conditions.ask();
        }
        let outcome = self.rows().faults.last().cloned().map_or(Ok(()), Err);
        ready(outcome).boxed()
    }

    fn remove_answers(&self, epoch: Epoch, before: Timestamp) -> BoxFuture<'_, Result<usize, StoreFault>> {
        let outcome = self.writable(Some(epoch)).map(|mut rows| {
            let stored = rows.answers.len();
            rows.answers.retain(|(_, _, at, _)| *at >= before);
            stored - rows.answers.len()
        });
        ready(outcome).boxed()
    }

    fn counts(&self) -> WriteCounts {
        self.own.published.counts()
    }

    fn log(&self) -> (Arc<Log>, Arc<dyn Pages>) {
        (self.own.published.log().clone(), Arc::new(KeptEvents(self.shared.events.clone())))
    }

    fn catch_up(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        self.fresh().map(|image| image.map(drop)).boxed()
    }

    fn relayed(&self) -> BoxFuture<'_, Result<Option<u64>, StoreFault>> {
        ready(Ok(self.rows().relayed)).boxed()
    }

    fn save_relayed(&self, epoch: Epoch, number: u64) -> BoxFuture<'_, Result<(), StoreFault>> {
        let outcome = self.writable(Some(epoch)).map(|mut rows| rows.relayed = Some(number));
        ready(outcome).boxed()
    }

    fn remove_events(
        &self,
        epoch: Epoch,
        keep: RetentionBounds,
        at_most: u32,
    ) -> BoxFuture<'_, Result<u64, StoreFault>> {
        let outcome = self.writable(Some(epoch)).map(|_| {
            let mut events = self.shared.events.lock().unwrap_or_else(PoisonError::into_inner);
            let removed = events.len().min(at_most as usize).min(removable(&events, keep));
            events.drain(..removed);
            let oldest = events.first().map_or(self.own.published.log().head() + 1, |event| event.number);
            self.own.published.log().begins_with(oldest);
            removed as u64
        });
        ready(outcome).boxed()
    }

    fn lease(&self) -> &Lease {
        &self.lease
    }

    fn replica(&self) -> ReplicaId {
        self.replica
    }

    fn is_alive(&self, replica: ReplicaId) -> bool {
        match &self.remote {
            Some(_) => self.own.living.is_alive(replica),
            None => self.living().contains(&replica),
        }
    }

    fn departures(&self) -> watch::Receiver<()> {
        match &self.remote {
            Some(_) => self.own.living.departures(),
            None => self.shared.departures.subscribe(),
        }
    }

    fn is_shared(&self) -> bool {
        self.shared.has_several.load(Ordering::Acquire)
    }

    fn replica_state(&self) -> BoxFuture<'_, Option<ReplicaState>> {
        ready(None).boxed()
    }

    fn digest(&self) -> BoxFuture<'_, Option<ImageDigest>> {
        ready(None).boxed()
    }
}

/// How many of the oldest events are not kept; never the newest.
fn removable(events: &[Arc<CommittedEvent>], keep: RetentionBounds) -> usize {
    let too_many = u64::try_from(events.len()).unwrap_or(u64::MAX).saturating_sub(keep.count.max(1));
    let is_old = |event: &CommittedEvent| keep.since.is_some_and(|since| event.timestamp < since);
    let old = events.iter().take_while(|event| is_old(event)).count();
    let unsent = keep.unsent_after.unwrap_or(u64::MAX);
    let sent = events.iter().take_while(|event| event.number <= unsent).count();
    old.max(usize::try_from(too_many).unwrap_or(usize::MAX)).min(sent).min(events.len().saturating_sub(1))
}

struct KeptEvents(Arc<Mutex<Vec<Arc<CommittedEvent>>>>);

impl Pages for KeptEvents {
    fn read(&self, first: u64, last: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = events.iter().filter(|event| (first..=last).contains(&event.number));
        ready(Ok(wanted.map(|event| event.again()).collect())).boxed()
    }

    fn read_about(
        &self,
        subject: Uuid,
        after: u64,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let indexed = events.last().map_or(0, |newest| Log::last_of_full_pages(newest.number));
        let wanted = events
            .iter()
            .filter(|event| (after + 1..=indexed).contains(&event.number) && event.about.subject == subject);
        ready(Ok(wanted.take(most as usize).map(|event| event.again()).collect())).boxed()
    }
}

impl<D: MemoryTables> AnswerStore for Memory<D> {
    fn find<'a>(
        &'a self,
        request_key: &'a RequestKey,
    ) -> Pin<Box<dyn Future<Output = Result<Option<StoredAnswer>, String>> + Send + 'a>> {
        async move {
            if let Some(remote) = &self.remote {
                remote.conditions.ask().await.map_err(|fault| fault.to_string())?;
            }
            if self.has(PlantedBug::AnswersForgotten) {
                return Ok(None);
            }
            let rows = self.rows();
            let mut kept = rows.answers.iter().rev();
            let found = kept.find(|(key, ..)| key == request_key);
            Ok(found.map(|(_, body_digest, _, answer)| StoredAnswer {
                body_digest: *body_digest,
                answer: answer.clone(),
            }))
        }
        .boxed()
    }
}
