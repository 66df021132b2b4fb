//! The stores of the map service: one module each, the serialised form of changes, and what they share.
//! Rules are in the core; a database's constraints only catch our own mistakes.

mod changes;
mod layout_form;
pub mod memory;
pub mod sqlite;
