//! The test broker itself: what a test may rely on when it kills and restarts one, reads records and produces them.
//! Kafka is not tested here, and neither is how the program uses it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod leaving_out;
mod records;
mod restarts;
