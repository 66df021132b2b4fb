//! What is told while a file is written or read, and asked: whether to go on.

/// Whoever watches.
pub trait Progress: Send {
    /// Something begins that takes so many steps.
    fn begin(&mut self, what: &str, total: u64);

    /// So many are done.
    fn done(&mut self, steps: u64);

    /// Ends it at the next row: somebody wants no more of it.
    fn is_stopped(&self) -> bool;
}
