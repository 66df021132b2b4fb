//! The relay: whatever dies and whenever, each topic holds its channel's events, in order, none twice, none missing.
//! The store is real; the broker is one that fails in every way that a broker may.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod broker;
mod gaps;
mod history;
mod process;
mod starting;
