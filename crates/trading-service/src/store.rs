//! The serialised form of changes, and random histories of what is kept.

mod changes;
#[cfg(test)]
mod tests;

/// What the service keeps, for whoever opens a store for it.
pub use crate::domain::Trading;
