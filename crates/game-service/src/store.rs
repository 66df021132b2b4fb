//! Adapters of the store's port.
//! One today; the same port will be served by a database server.

pub(crate) mod observed;
pub(crate) mod sqlite;
