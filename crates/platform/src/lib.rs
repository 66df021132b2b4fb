//! Machinery that the services share: it knows envelopes, connections and commits, and never a payload or a rule.
//! Each module is one piece of it; none of them knows a game or a planet.

pub mod answer;
pub mod batch;
pub mod blocking;
pub mod broken;
pub mod chance;
pub mod change_log;
pub mod cleanup;
pub mod clock;
pub mod consumer;
pub mod data_dir;
pub mod decision;
pub mod domain;
pub mod error_chain;
pub mod events;
pub mod follow;
pub mod health;
pub mod http;
pub mod idempotency;
pub mod image_cache;
pub mod image_digest;
pub mod intent;
pub mod lease;
pub mod memory;
pub mod published;
pub mod relay;
pub mod replica;
pub mod retention;
pub mod service;
pub mod service_addresses;
pub mod sql;
pub mod sqlite;
pub mod store;
pub mod tasks;
pub mod telemetry;
pub mod versioned;
