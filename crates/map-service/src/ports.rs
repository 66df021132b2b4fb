//! What the use cases ask of a store, in the domain's words; writes go through its desk as decisions.
//! How it keeps its promises is the adapter's own business.

use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::common_store::CommonStore;
use starkeep_platform::decision::DecisionQueue;

use crate::domain::{Image, Maps, Overview};

/// An answer that the storage itself is asked for; the error says why it cannot be read or written.
pub(crate) type Asked<'a, T> = BoxFuture<'a, Result<T, String>>;

pub(crate) trait Store: DecisionQueue<Maps> {
    /// What was last committed, of active worlds. Never waits.
    fn image(&self) -> Arc<Image>;

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
    fn forget_withdrawn(&self, before: Timestamp) -> Asked<'_, usize>;

    /// Kept answers, the log, and how the store is.
    fn common_store(&self) -> Arc<dyn CommonStore>;
}

/// A place in the list of worlds: behind the one with this date and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) created_at: Timestamp,
    pub(crate) id: WorldId,
}
