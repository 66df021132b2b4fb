//! What the use cases ask of a store, in the domain's words; writes go through its desk as decisions.
//! How it keeps its promises is the adapter's own business.

use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_map_core::{PlanetId, Slot, World, WorldId};
use starkeep_platform::apply::Desk;
use starkeep_platform::once::Answers;

use crate::domain::{Image, Maps, Overview};

/// An answer that the storage itself is asked for; the error says why it cannot be read or written.
pub(crate) type Asked<'a, T> = BoxFuture<'a, Result<T, String>>;

pub(crate) trait Store: Desk<Maps> + Answers {
    /// What was last committed, of active worlds. Never waits.
    fn image(&self) -> Arc<Image>;

    /// One world in short, also an inactive one.
    fn overview(&self, world: WorldId) -> Asked<'_, Option<Overview>>;

    /// Worlds in short, inactive ones as well, newest first; at most so many, of those that come after the mark.
    fn overviews(&self, after: Option<Mark>, most: usize) -> Asked<'_, Vec<Overview>>;

    /// A whole world, also an inactive one.
    fn world(&self, world: WorldId) -> Asked<'_, Option<Arc<World>>>;

    /// A planet, also of an inactive world, in a world that holds only what lies around it: far enough to see the
    /// neighbours of its neighbours.
    fn surroundings(&self, planet: PlanetId) -> Asked<'_, Option<(Arc<World>, Slot)>>;

    /// Can it write?
    fn check(&self) -> Asked<'_, ()>;

    /// Forgets kept answers and withdrawn ids that are older.
    fn forget(&self, answers_before: Timestamp, withdrawn_before: Timestamp) -> Asked<'_, Forgotten>;

    fn written(&self) -> Written;
}

/// A place in the list of worlds: behind the one with this date and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) created_at: Timestamp,
    pub(crate) id: WorldId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forgotten {
    pub(crate) answers: usize,
    pub(crate) withdrawn: usize,
}

/// What has been written since the process began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) commits: u64,
    pub(crate) decisions: u64,
    pub(crate) events: u64,
}
