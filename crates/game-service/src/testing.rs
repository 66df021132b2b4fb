//! What tests outside this crate need and nobody else does.
//! No part of the service's interface.

use rusqlite::Connection;

use crate::GameService;
pub use crate::store::follower::Follower;
pub use crate::store::observed::StoreObserver;

/// Compares what a replica came to with the service and its database.
pub async fn compare(follower: &Follower, service: &GameService, database: &Connection) {
    follower.compare(&*service.app().store, database).await;
}
