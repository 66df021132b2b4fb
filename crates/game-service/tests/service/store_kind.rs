//! Which store a bench stands on: a file, or memory where some store is all that a test needs.
//! The one in memory makes every decision twice and refuses what is not a function of the image.

use std::path::Path;
use std::sync::Arc;

use starkeep_game_service::ports::Store;
use starkeep_game_service::store::memory::{self, MemoryStore};
use starkeep_game_service::store::sqlite;
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::ManualClock;
use starkeep_platform::replica::ReplicaId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreKind {
    /// For tests that restart the service, hold its writer or look into the file.
    Sqlite,
    /// Not for tests of several threads: while a decision is made again, all of them see another time and other ids.
    Memory,
}

pub(crate) async fn on_file(file: &Path, slots: u32, replica: ReplicaId) -> Arc<dyn Store> {
    sqlite::open(file, slots, replica).await.expect("the store opens")
}

pub(crate) fn in_memory(
    slots: u32,
    replica: ReplicaId,
    clock: Arc<ManualClock>,
    chance: Arc<SequentialIds>,
) -> Arc<MemoryStore> {
    let disturb = move |on| {
        clock.disturb(on);
        chance.disturb(on);
    };
    memory::open(slots, replica, Arc::new(disturb)).expect("the store opens")
}
