//! An error in words with its causes, as the services import it.
//! It lives in the clock's crate, which clients use as well.

pub use starkeep_clock::error_chain;
