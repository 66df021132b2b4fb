//! The stores of the trading service: one module each, and the serialised form of changes.
//! Rules are in the core; a database's constraints only catch our own mistakes.

mod changes;
pub mod memory;
pub mod sql;

/// What the service keeps, for whoever opens a store for it.
pub use crate::domain::Trading;
