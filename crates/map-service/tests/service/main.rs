//! Tests of the map service: every endpoint over its router, with a clock that the tests move themselves.
//! The rules of worlds are tested in the core, commits in the platform.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bounds;
mod closed_map;
mod commitment;
mod concurrency;
mod contract;
mod custom_worlds;
mod events;
mod fairness;
mod harness;
mod history;
mod ignored_fields;
mod imports;
mod minings;
mod planets;
mod repeats;
mod replenishing;
mod replenishing_on_request;
mod restart;
mod rounds_of_events;
mod staging;
mod words;
mod worlds;
