//! Time and chance: the traits that all other code asks, the machine's implementations, and those for tests.
//! Also an error in words with its causes, which services and clients need alike. Nothing here belongs to a server.

mod alarm;
mod chance;
mod error_chain;
mod time;

pub use self::chance::{Chance, SequentialIds, SystemChance, jittered};
pub use self::error_chain::error_chain;
pub use self::time::{Clock, ManualClock, Monotonic, SystemClock, within};
