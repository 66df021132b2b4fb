//! fighting
