//! spawning
