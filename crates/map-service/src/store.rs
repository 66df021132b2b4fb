//! Where worlds are kept: the adapters of the port, one file each.
//! No rule lives here; the database only refuses what no rule could have made.

pub mod sqlite;
