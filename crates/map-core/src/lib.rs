//! Worlds: generation from a seed, mining, replenishment. Pure.
