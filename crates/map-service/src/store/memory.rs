//! The in-memory store of the map service: its tables as plain values, behind the same port as every other store.

mod tables;

use std::sync::Arc;

use futures::future::{FutureExt as _, ready};
use jiff::Timestamp;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::lease::Epoch;
use starkeep_platform::memory::{Disturbance, Memory};
use starkeep_platform::replica::ReplicaId;

pub use self::tables::Tables;
pub(crate) use self::tables::{
    discard_staged, forget_staged, forget_withdrawn, overview, overviews, planet, stage, world, world_as_made,
};
use crate::domain::{Maps, Overview};
use crate::ports::{Asked, Cursor, Store, Written};

/// An empty store. `disturb` moves clock and chance on while a decision is made a second time.
pub fn open(replica: ReplicaId, disturb: Disturbance) -> Arc<dyn Store> {
    Memory::<Maps>::new(replica, disturb)
}

impl Store for Memory<Maps> {
    fn overview(&self, id: WorldId) -> Asked<'_, Option<Overview>> {
        ready(Ok(self.read(|tables| overview(tables, id)))).boxed()
    }

    fn overviews(&self, after: Option<Cursor>, most: usize) -> Asked<'_, Vec<Overview>> {
        ready(Ok(self.read(|tables| overviews(tables, after, most)))).boxed()
    }

    fn world(&self, id: WorldId) -> Asked<'_, Option<Arc<World>>> {
        ready(Ok(self.read(|tables| world(tables, id)))).boxed()
    }

    fn world_as_made(&self, id: WorldId) -> Asked<'_, Option<Arc<World>>> {
        ready(Ok(self.read(|tables| world_as_made(tables, id)))).boxed()
    }

    fn planet(&self, id: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>> {
        ready(Ok(self.read(|tables| planet(tables, id)))).boxed()
    }

    fn stage(&self, world: Arc<World>) -> Written<'_, bool> {
        ready(self.maintain(None, |tables| stage(tables, world))).boxed()
    }

    fn discard_staged(&self, id: WorldId) -> Written<'_, ()> {
        ready(self.maintain(None, |tables| discard_staged(tables, id))).boxed()
    }

    fn forget_staged(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize> {
        ready(self.maintain(Some(epoch), |tables| forget_staged(tables, before))).boxed()
    }

    /// Nothing is left.
    fn clear_withdrawn(&self, _world: WorldId) -> Written<'_, ()> {
        ready(Ok(())).boxed()
    }

    fn forget_withdrawn(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize> {
        ready(self.maintain(Some(epoch), |tables| forget_withdrawn(tables, before))).boxed()
    }
}
