//! What is told while a file is written or read, and asked: whether to go on.

/// Whoever watches.
pub trait Progress: Send {
    /// Something begins that takes so many steps, of which each is one of these.
    fn begin(&mut self, unit: &str, total: u64);

    /// So many are done.
    fn done(&mut self, steps: u64);

    /// Ends it at the next row: somebody wants no more of it.
    fn is_stopped(&self) -> bool;
}
