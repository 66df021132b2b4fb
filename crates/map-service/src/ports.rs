//! What the use cases ask of a store, in the domain's words, beside what every store offers; writes are decisions.
//! How it keeps its promises is the adapter's own business.

use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::decision::StoreFault;
use starkeep_platform::lease::Epoch;
use starkeep_platform::store::Store as PlatformStore;

use crate::domain::{Maps, Overview};

/// An answer that the storage itself is asked for; the error says why it cannot be read or written.
pub type Asked<'a, T> = BoxFuture<'a, Result<T, String>>;

pub trait Store: PlatformStore<Maps> {
    /// One world in short, also an inactive one.
    fn overview(&self, world: WorldId) -> Asked<'_, Option<Overview>>;

    /// Worlds in short, inactive ones as well, newest first; at most so many, of those that come after the mark.
    fn overviews(&self, after: Option<Cursor>, most: usize) -> Asked<'_, Vec<Overview>>;

    /// A whole world, also an inactive one.
    fn world(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>>;

    /// A planet, also of an inactive world, in a world that holds only what lies around it: far enough to see the
    /// neighbours of its neighbours.
    fn neighbourhood(&self, planet: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>>;

    /// Forgets ids that were withdrawn before the instant; how many.
    fn forget_withdrawn(&self, epoch: Epoch, before: Timestamp) -> BoxFuture<'_, Result<usize, StoreFault>>;
}

/// A place in the list of worlds: behind the one with this date and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub created_at: Timestamp,
    pub id: WorldId,
}
