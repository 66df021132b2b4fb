//! The stores of the map service: in memory and in a database, and the serialised form of changes.
//! Rules are in the core; a database's constraints only catch our own mistakes.

mod changes;
mod layout_form;
pub mod memory;
pub mod sql;

/// What the service keeps, for whoever opens a store for it.
pub use crate::domain::Maps;
