//! The short run: every target with its corpus and some inputs more, and whether the fuzzer finds what it is to find.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod depth;
mod mutating;
mod planted;
mod short_run;
