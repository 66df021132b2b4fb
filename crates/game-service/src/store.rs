//! Adapters of the store's port, and the serialised form of changes.
//! A database keeps the service's data; the tables in memory are for simulations and tests.

pub(crate) mod changes;
pub(crate) mod follower;
pub mod memory;
pub(crate) mod observed;
pub mod sql;

/// What the service keeps, for whoever opens a store for it.
pub use crate::domain::Games;
