//! Machinery that the services share: it knows envelopes, connections and commits, and never a payload or a rule.
//! Each module is one piece of it; none of them knows a game or a planet.

pub mod answer;
pub mod apply;
pub mod background;
pub mod chance;
pub mod clock;
pub mod data_dir;
pub mod events;
pub mod groundwork;
pub mod housekeeping;
pub mod http;
pub mod listening;
pub mod once;
pub mod reasons;
pub mod relay;
pub mod retention;
pub mod sqlite;
pub mod telemetry;
