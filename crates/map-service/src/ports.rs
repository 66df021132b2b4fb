//! What the use cases ask of a store, in the domain's words, beside what every store offers; changes are made by decisions.
//! How it is kept is up to the adapters in `store`.

use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::decision::StoreFault;
use starkeep_platform::lease::Epoch;
use starkeep_platform::store::Store as PlatformStore;

use crate::domain::{Maps, Overview};

/// An answer that the storage itself is asked for; the error says why it cannot be read.
pub type Asked<'a, T> = BoxFuture<'a, Result<T, String>>;

/// What maintenance of the storage came to.
pub type Written<'a, T> = BoxFuture<'a, Result<T, StoreFault>>;

pub trait Store: PlatformStore<Maps> {
    /// One world in short, also an inactive one.
    fn overview(&self, world: WorldId) -> Asked<'_, Option<Overview>>;

    /// Worlds in short, inactive ones as well, newest first; at most so many, of those that come after the mark.
    fn overviews(&self, after: Option<Cursor>, most: usize) -> Asked<'_, Vec<Overview>>;

    /// A whole world, also an inactive one.
    fn world(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>>;

    /// A world as it was made, whatever was mined since.
    fn world_as_made(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>>;

    /// A planet, also of an inactive world, and its whole world.
    fn planet(&self, planet: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>>;

    /// Writes a new world beforehand, where no read finds it; a change then names it (`Change::WorldMade`). Replaces what
    /// was staged under the id before. Does nothing, and returns false, if the id is in use or was withdrawn.
    fn stage(&self, world: Arc<World>) -> Written<'_, bool>;

    /// Removes a world that was staged and is not going to be made; one that was made stays.
    fn discard_staged(&self, world: WorldId) -> Written<'_, ()>;

    /// Removes worlds that were staged before the instant, or by a process that has ended, and never made; how many.
    fn forget_staged(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize>;

    /// Removes what the change that withdrew a world has left, because it is much. No read finds it.
    fn clear_withdrawn(&self, world: WorldId) -> Written<'_, ()>;

    /// Forgets ids that were withdrawn before the instant, and what is left of their worlds; how many.
    fn forget_withdrawn(&self, epoch: Epoch, before: Timestamp) -> Written<'_, usize>;
}

/// A place in the list of worlds: after the one with this date and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub created_at: Timestamp,
    pub id: WorldId,
}
