//! What the in-memory store needs of a service: its rows as plain values.

use crate::document_writes::DocumentWrites;
use crate::documents::{Document, Question};
use crate::domain::{ChangeCodec, Domain};

/// A domain's rows as plain values: what a database would keep, evicted things included.
pub trait MemoryTables: Domain + ChangeCodec {
    /// Everything durable.
    type Tables: Default + Send + 'static;

    /// Everything that is kept in memory, as a new process would load it.
    fn load(tables: &Self::Tables) -> Self::Image;

    fn ask(_tables: &Self::Tables, _question: &Question) -> Vec<Document> {
        Vec::new()
    }

    /// Brings into the image what the key names and memory does not hold.
    fn fetch(tables: &Self::Tables, key: &Self::Key, image: &mut Self::Image);

    /// Writes a change; the error says which constraint it breaks, and nothing of it is then kept.
    fn save(
        tables: &mut Self::Tables,
        change: &Self::Change,
        documents: &DocumentWrites,
    ) -> Result<(), String>;
}
