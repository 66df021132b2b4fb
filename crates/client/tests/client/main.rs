//! The client against a server that the test scripts step by step, on a real socket and with a clock of its own.
//! That it works with the real services is tested with the executable.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod time;

mod calls;
mod reconnecting;
mod streaming;
