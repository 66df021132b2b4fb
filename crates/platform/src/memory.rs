//! The in-memory store: what a simulation and most service tests run on. It is synchronous and suspicious: see `Memory`.
//! A service says what its tables are (`MemoryTables`), as plain values.

use crate::decision::{ChangeCodec, Domain};

/// A domain's rows as plain values: what a database would keep, evicted things included.
pub trait MemoryTables: Domain + ChangeCodec {
    /// Everything durable.
    type Tables: Default + Send + 'static;

    /// Everything that is kept in memory, as a new process would load it.
    fn load(tables: &Self::Tables) -> Self::Image;

    /// Brings into the image what the key names and memory does not hold.
    fn fetch(tables: &Self::Tables, key: &Self::Key, image: &mut Self::Image);

    /// Writes a change; the error says which constraint it breaks, and nothing of its batch is then kept.
    fn save(tables: &mut Self::Tables, change: &Self::Change) -> Result<(), String>;
}
