//! Files of whole installations: what is written is what is read, and nothing else is taken.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod damage;
mod epochs;
mod files;
mod place;
