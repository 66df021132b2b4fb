//! Tests of the map service: every endpoint over its router, with a clock that the tests move themselves.
//! The rules of worlds are tested in the core, commits in the platform.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bounds;
mod concurrency;
mod contract;
mod events;
mod fixtures;
mod harness;
mod history;
mod minings;
mod planets;
mod repeats;
mod replenishing;
mod restart;
mod staging;
mod worlds;
