//! HTTP as every service speaks it: the accept loop, bodies, problems, tokens, idempotency keys, the common endpoints.
//! Routes and handlers are the services' own.

pub mod auth;
pub mod body;
pub mod common;
pub mod connection;
pub mod contract;
pub mod cors;
pub mod docs;
pub mod documented_problems;
pub mod documents;
pub mod error_response;
pub mod events;
pub mod from_memory;
pub mod health;
pub mod idempotency;
pub mod json;
mod kept_timer;
pub mod metrics;
mod open_connections;
pub mod path;
pub mod request_counts;
pub mod serve;

pub use body::{Json, JsonArray, JsonNoting, JsonText, read_up_to};
pub use error_response::ErrorResponse;
pub use path::{Id, Params};
