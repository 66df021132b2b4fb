//! The stores of the map service: one module each, the serialised form of changes, and what they share.
//! Rules are in the core; a database's constraints only catch our own mistakes.

mod changes;
pub mod memory;
pub mod sqlite;
mod window;
