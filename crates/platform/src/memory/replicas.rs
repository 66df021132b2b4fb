//! Several replicas of the in-memory store: how each follows what the others have committed, and what tests do to them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use uuid::Uuid;

use super::conditions::PlantedBug;
use super::remote::Remote;
use super::{Memory, MemoryTables, Rows, Shared};
use crate::change_log::{self, FollowFault, LoggedBatch, Place};
use crate::decision::StoreFault;
use crate::domain::Interest;
use crate::events::{CommittedEvent, Log};
use crate::lease::Lease;
use crate::living::LivingReplicas;
use crate::published::Published;
use crate::replica::ReplicaId;

/// What a replica has in its own memory.
pub(super) struct Replica<D: MemoryTables> {
    pub(super) published: Published<D>,
    pub(super) living: LivingReplicas,
    pub(super) planted: Option<PlantedBug>,
    place: Mutex<Place>,
    /// It does not follow by itself.
    lags: AtomicBool,
}

impl<D: MemoryTables> Replica<D> {
    pub(super) fn new(
        id: ReplicaId,
        planted: Option<PlantedBug>,
        image: D::Image,
        log: Log,
        place: Place,
    ) -> Self {
        Self {
            published: Published::new(image, log),
            living: LivingReplicas::new(id),
            planted,
            place: Mutex::new(place),
            lags: AtomicBool::new(false),
        }
    }

    fn place(&self) -> Place {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn move_to(&self, place: Place) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}

impl<D: MemoryTables> Memory<D> {
    /// There will be other replicas: said before a service is opened, which behaves differently then.
    pub fn share(&self) {
        self.shared.has_several.store(true, Ordering::Release);
    }

    /// Another replica on the same rows. It does not lead before it is given the lease.
    pub fn another(&self, replica: ReplicaId) -> Arc<Self> {
        self.replicated(replica, None, None)
    }

    pub(super) fn replicated(
        &self,
        replica: ReplicaId,
        planted: Option<PlantedBug>,
        remote: Option<Remote<D>>,
    ) -> Arc<Self> {
        self.share();
        self.living().insert(replica);
        let lease = Lease::not_held();
        let own = {
            let rows = self.rows();
            let events = self.shared.events.lock().unwrap_or_else(PoisonError::into_inner);
            let own_log = self.own.published.log();
            let head = events.last().map_or(own_log.head(), |event| event.number);
            let oldest = events.first().map_or(head + 1, |event| event.number);
            let newest = events.iter().filter(|event| event.number >= Log::first_of_newest_page(head));
            let newest = newest.map(|event| event.again()).collect();
            let place = rows.change_log.last().map_or_else(Place::default, |batch| batch.place);
            let log = Log::open(own_log.epoch(), oldest, head, newest);
            Arc::new(Replica::new(replica, planted, D::load(&rows.tables), log, place))
        };
        self.shared.replicas.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&own));
        Arc::new(Self { shared: self.shared.clone(), own, lease, replica, remote })
    }

    /// From now on this replica follows the others only when it decides, is asked for a fresh image, or is told to.
    pub fn lag(&self) {
        self.own.lags.store(true, Ordering::Release);
    }

    /// The number of the last batch that it has absorbed.
    pub(super) fn last_followed(&self) -> u64 {
        self.own.place().number
    }

    /// The number of the last batch that anybody has committed.
    pub(super) fn newest_batch(&self) -> u64 {
        self.rows().change_log.last().map_or(0, |batch| batch.place.number)
    }

    /// Absorbs what the others have committed.
    pub fn follow(&self) -> Result<(), StoreFault> {
        self.shared.follow(&self.own)
    }

    /// The same on rows that are held already. A replica that lost its place would load anew; here nothing is ever lost.
    pub(super) fn follow_on(&self, rows: &Rows<D>) -> Result<(), StoreFault> {
        self.shared.follow_on(&self.own, rows)
    }

    /// Writes a batch down for the others.
    pub(super) fn log_changes(&self, rows: &mut Rows<D>, changes: &[D::Change]) {
        let number = self.own.place().number + 1;
        let place = Place { number, batch: Uuid::from_u128(u128::from(number)) };
        let events = self.shared.events.lock().unwrap_or_else(PoisonError::into_inner);
        let last_event = events.last().map_or(0, |event| event.number);
        let changes = change_log::encode::<D>(changes);
        rows.change_log.push(LoggedBatch { place, writer: self.replica, changes, last_event });
        self.own.move_to(place);
    }

    /// As a notification does: those that do not lag follow.
    pub(super) fn tell_others(&self) {
        let mut replicas = self.shared.replicas.lock().unwrap_or_else(PoisonError::into_inner);
        replicas.retain(|replica| replica.strong_count() > 0);
        let rows = self.rows();
        let events = self.shared.events.lock().unwrap_or_else(PoisonError::into_inner);
        for replica in replicas.iter().filter_map(Weak::upgrade) {
            if !replica.lags.load(Ordering::Acquire) {
                // Whoever cannot follow says so when it is asked for something.
                let _ = follow(&replica, &rows, &events);
            }
        }
    }
}

impl<D: MemoryTables> Shared<D> {
    pub(super) fn follow(&self, replica: &Replica<D>) -> Result<(), StoreFault> {
        self.follow_on(replica, &self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn follow_on(&self, replica: &Replica<D>, rows: &Rows<D>) -> Result<(), StoreFault> {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        follow(replica, rows, &events).map_err(|fault| StoreFault::Refused(fault.to_string()))
    }
}

fn follow<D: MemoryTables>(
    replica: &Replica<D>,
    rows: &Rows<D>,
    events: &[Arc<CommittedEvent>],
) -> Result<(), FollowFault> {
    let place = replica.place();
    let from = usize::try_from(place.number.saturating_sub(1)).unwrap_or(usize::MAX);
    let batches = place.following(rows.change_log.get(from..).unwrap_or_default())?;
    let Some(newest) = batches.last() else { return Ok(()) };
    replica.living.heard_of(batches.iter().map(|batch| batch.writer));
    let skips = |bug| replica.planted == Some(bug) && batches.len() > 1;
    let absorbed = if skips(PlantedBug::BatchesSkipped) { &batches[batches.len() - 1..] } else { batches };
    let mut image = D::Image::clone(&replica.published.image());
    let mut concerns = Interest::NONE;
    for batch in absorbed {
        let changes = change_log::decode::<D>(&batch.changes)?;
        for change in &changes {
            for key in D::needed_by(change) {
                D::fetch(&rows.tables, &key, &mut image);
            }
            D::absorb(&mut image, change);
            concerns = concerns.or(D::concerns(change));
        }
        D::evict(&mut image);
    }
    let mut head = replica.published.log().head();
    if skips(PlantedBug::EventsSkipped) {
        head = head.max(batches[batches.len() - 2].last_event);
    }
    let committed = events.iter().filter(|event| event.number > head && event.number <= newest.last_event);
    replica.move_to(newest.place);
    replica.published.log().begins_with(events.first().map_or(newest.last_event + 1, |event| event.number));
    replica.published.follow(image, committed.cloned().collect(), concerns);
    Ok(())
}
