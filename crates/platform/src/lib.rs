//! Machinery that the services share: it knows envelopes, connections and commits, and never a payload or a rule.
//! Each module is one piece of it; none of them knows a game or a planet.

pub mod answer;
pub mod chance;
pub mod cleanup;
pub mod clock;
pub mod common_store;
pub mod consumer;
pub mod data_dir;
pub mod decision;
pub mod error_chain;
pub mod events;
pub mod http;
pub mod idempotency;
pub mod intent;
pub mod memory;
pub mod relay;
pub mod retention;
pub mod sqlite;
pub mod tasks;
pub mod telemetry;
