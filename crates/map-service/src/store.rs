//! The stores of the map service: in memory and in a database, and the serialised form of changes.
//! Rules are in the core; a database's constraints only catch our own mistakes.

mod changes;
mod layout_form;
pub mod memory;
pub mod sql;
