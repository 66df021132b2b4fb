//! The background tasks of the map service: replenishment.
//! Tasks are started and stopped by the platform.

mod replenisher;

pub use self::replenisher::{Replenisher, Replenishment};
