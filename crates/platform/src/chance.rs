//! Chance as the services import it.
//! It lives in the clock's crate, which clients use as well.

pub use starkeep_clock::{Chance, SequentialIds, SystemChance, jittered};
