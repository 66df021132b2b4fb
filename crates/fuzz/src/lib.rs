//! Tries everything that reads bytes from outside with inputs that nobody would send: requests, positions, streams of events, worlds,
//! files of whole installations, stored changes. The tests run it for a moment, the command for as long as one likes.
//!
//! A target (`targets`) is a function from bytes to a verdict. Its inputs are those in its folder of `corpus`, those that it knows by
//! itself, and what chance makes of them (`mutator`). What comes to something new is changed further; what goes wrong is made smaller
//! (`shrink`) and shown.

mod contracts;
pub mod corpus;
mod fuzzed_service;
mod fuzzer;
mod given_world;
mod hex;
mod judged;
mod mutator;
mod names;
mod request;
mod samples;
mod seeds;
mod services;
mod shrink;
mod target;
pub mod targets;

pub use self::fuzzer::{Found, Fuzzer, try_alone};
pub use self::mutator::{Dictionary, Mutator};
pub use self::shrink::smallest;
pub use self::target::{SEPARATOR, Subject, Target, Verdict};
