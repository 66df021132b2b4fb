//! What `GET /health` says: the whole, and each part by its name.
//! A person reads it first when something seems wrong.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// `ok`, `degraded` (a part is away, the service works) or `failing` (it cannot write; the answer is a 503).
    pub status: HealthStatus,
    /// `game` or `map`.
    pub service: String,
    pub version: String,
    pub dialect: String,
    pub parts: BTreeMap<String, Part>,
    /// The work that runs by itself.
    pub tasks: BTreeMap<String, TaskState>,
    /// How late the rounds' boundaries were committed, by their kind; only where rounds are kept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lateness: BTreeMap<String, Lateness>,
}

/// Of the last boundaries, as many as are looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lateness {
    pub boundaries: u64,
    pub p50_millis: f64,
    pub p99_millis: f64,
    pub max_millis: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    Ok,
    Degraded,
    Failing,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Part {
    pub status: HealthStatus,
    pub detail: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskState {
    /// How often it has run in this process.
    pub runs: u64,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_run: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_run: Option<Timestamp>,
    /// Of the last run that failed, until one succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}
