//! The use cases of the map service: each asks the clock and chance, makes one decision and has it committed.
//! What the decision may be follows from the core's rules; how it is spoken of is left to the handlers.

mod drawn;
mod mining;
mod planets;
mod replenishing;
mod worlds;

use std::sync::Arc;

use starkeep_contract::Dialect;
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::{Decision, Failure, apply};

pub(crate) use self::mining::{Mining, Order};
pub(crate) use self::planets::PlanetView;
pub(crate) use self::worlds::WorldRequest;
use crate::domain::{Maps, Rejection};
use crate::metrics::MapMetrics;
use crate::ports::Store;

pub(crate) struct App {
    pub(crate) dialect: Dialect,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    tally: MapMetrics,
}

pub(crate) type Outcome<T> = Result<T, Failure<Rejection>>;

impl App {
    pub(crate) fn new(
        dialect: Dialect,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        tally: MapMetrics,
    ) -> Self {
        Self { dialect, store, clock, chance, tally }
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

/// Something that is asked for by its id and read from the storage: it may be unknown, or the storage away.
fn found<T>(read: Result<Option<T>, String>, unknown: Rejection) -> Outcome<T> {
    read.map_err(|fault| Rejection::Unreadable { fault })
        .and_then(|found| found.ok_or(unknown))
        .map_err(Failure::Rejected)
}
