//! The client against a server that the test plays itself, step by step, on a real socket and a clock of its own.
//! That it gets on with the real services is tested with the executable.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod server;
mod time;

mod calls;
mod coming_back;
mod streaming;
