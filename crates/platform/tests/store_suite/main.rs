//! The store suite: each case states one promise of the port and runs on every store, on SQLite with a real file.
//! A further store is one more `Backend`.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod backends;
mod checks;
mod counters;
mod promises;
mod random_history;
mod replicas;
