//! What tests outside this crate need and nobody else does.
//! No part of the service's interface.

use std::sync::Arc;

use starkeep_game_core::ExecutorKind;
use starkeep_platform::sql::SqlConnection;

use crate::GameService;
use crate::ports::Store;
pub use crate::store::follower::Follower;
use crate::store::observed::ObservedStore;
pub use crate::store::observed::StoreObserver;

/// The store, with somebody who watches it.
pub fn observed(store: Arc<dyn Store>, observer: Arc<dyn StoreObserver>) -> Arc<dyn Store> {
    Arc::new(ObservedStore { store, observer })
}

/// How many intents are open, and how many worlds the map has yet to be told of.
pub fn pending(service: &GameService) -> (usize, usize) {
    let image = service.app().store.image();
    (image.intents().iter().count(), image.retirements().count())
}

/// How many players and how many robots are in memory.
pub fn residents(service: &GameService) -> (usize, usize) {
    let image = service.app().store.image();
    (image.players().iter().count(), image.robots())
}

/// Compares what a replica came to with the service and its database.
pub async fn compare(follower: &Follower, service: &GameService, database: &dyn SqlConnection) {
    follower.compare(&service.app().store, database).await;
}

/// How far the executor's events have been recorded.
pub fn results_position(service: &GameService, executor: ExecutorKind) -> Option<String> {
    service.app().results_position(executor)
}
