//! What the map service does by itself: it replenishes the active worlds.
//! How tasks are run and stopped is the platform's.

mod replenisher;

pub use self::replenisher::{Replenisher, Replenishment};
