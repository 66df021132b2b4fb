//! The clock as the services import it.
//! It lives in a crate of its own, so that a client needs nothing of a server to have it.

pub use starkeep_clock::{Clock, ManualClock, Monotonic, SystemClock, within};
