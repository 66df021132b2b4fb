//! The use cases of the map service: each asks the clock and chance first, then has one decision committed.
//! The rules are the core's; requests and answers are translated by the handlers and `wire`.

mod announcing;
mod mining;
mod planets;
mod replenishing;
mod world_locks;
mod worlds;

use std::sync::Arc;

use starkeep_contract::Dialect;
use starkeep_platform::blocking::{BlockingPool, run_blocking};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::{Decision, Failure, apply};

pub(crate) use self::planets::PlanetView;
use self::world_locks::WorldLocks;
use crate::domain::{Maps, Rejection};
use crate::metrics::MapMetrics;
use crate::ports::Store;

pub(crate) struct App {
    pub(crate) dialect: Dialect,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    blocking: Arc<dyn BlockingPool>,
    tally: MapMetrics,
    world_locks: WorldLocks,
}

pub(crate) type Outcome<T> = Result<T, Failure<Rejection>>;

impl App {
    pub(crate) fn new(
        dialect: Dialect,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        blocking: Arc<dyn BlockingPool>,
        tally: MapMetrics,
    ) -> Self {
        Self { dialect, store, clock, chance, blocking, tally, world_locks: WorldLocks::default() }
    }

    /// For what takes long to compute; the error says that it panicked.
    pub(crate) fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = Result<T, String>> + Send {
        run_blocking(&*self.blocking, work)
    }

    /// How many worlds are active, and the first of them whose books do not balance.
    pub(crate) fn audit(&self) -> (usize, Result<(), String>) {
        let image = self.store.image();
        let balance = image.active().try_for_each(|world| {
            world.books_balance().map_err(|imbalance| format!("gameworld {}: {imbalance}", world.id))
        });
        (image.active().len(), balance)
    }

    async fn apply<T: Send + 'static>(&self, work: Decision<Maps, T>) -> Outcome<T> {
        apply(&*self.store, work).await
    }
}

/// What was read from the storage by its id, or why there is nothing.
fn found<T>(read: Result<Option<T>, String>, unknown: Rejection) -> Outcome<T> {
    read.map_err(|fault| Rejection::Unreadable { fault })
        .and_then(|found| found.ok_or(unknown))
        .map_err(Failure::Rejected)
}
