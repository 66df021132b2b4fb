//! Where worlds are kept: the adapters of the port, one file each.
//! No rule lives here; the database only refuses what no rule could have made.

mod changes;
pub mod memory;
pub mod sqlite;
mod window;
