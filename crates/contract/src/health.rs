//! What `GET /health` says: the whole, and each part by its name.
//! A person reads it first when something seems wrong.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::Dialect;

/// How a service is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "status": "ok", "service": "game", "version": "0.1.0", "dialect": "standard",
    "parts": { "storage": { "status": "ok", "detail": "can be written" } },
    "tasks": { "heartbeat": { "runs": 12, "lastRun": "2026-01-01T12:00:00Z", "nextRun": "2026-01-01T12:00:05Z" } },
})))]
pub struct Health {
    /// `ok`, `degraded` (a part is away, the service works) or `failing` (it cannot write; the answer is a 503).
    pub status: HealthStatus,
    /// `game`, `map`, `robot` or `trading`.
    pub service: String,
    /// Of the executable.
    pub version: String,
    /// The dialect that it was started with.
    #[schema(value_type = Dialect)]
    pub dialect: String,
    /// Each part that it needs, by its name.
    pub parts: BTreeMap<String, Part>,
    /// The work that runs by itself.
    pub tasks: BTreeMap<String, TaskState>,
    /// Whether a command is executed once, however often its batch is sent; only of services that carry commands out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub executes_once: Option<bool>,
    /// Which replica this is and how far it is; only where replicas share the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub replica: Option<ReplicaState>,
    /// Of what it has in memory; only for who asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub digest: Option<ImageDigest>,
    /// How late the rounds' boundaries were committed, by their kind; only where rounds are kept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub lateness: BTreeMap<String, Lateness>,
}

/// One of the replicas that share the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaState {
    /// This one.
    pub id: Uuid,
    /// Does it lead? The leader runs the clocks and every other work that runs by itself.
    pub leads: bool,
    /// The replica that leads; null while none does, and where it cannot be found out.
    #[schema(required)]
    pub leader: Option<Uuid>,
    /// How many of them run; null where it cannot be found out.
    #[schema(required)]
    pub replicas: Option<u32>,
    /// The number of the last change that it has.
    pub change: u64,
    /// How many changes it is behind; null where it cannot be found out.
    #[schema(required)]
    pub behind: Option<u64>,
}

/// A digest of all that a replica has in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageDigest {
    /// The number of the last change in it. Replicas of one version have the same digest at the same number.
    pub change: u64,
    /// SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// Of the last boundaries, as many as are looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lateness {
    /// How many are looked at.
    pub boundaries: u64,
    /// Half of them were at most so late.
    pub p50_millis: f64,
    /// 99 of 100 were at most so late.
    pub p99_millis: f64,
    /// The latest of them.
    pub max_millis: f64,
}

/// From well to unwell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    Ok,
    Degraded,
    Failing,
}

/// How a part is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Part {
    /// How it is.
    pub status: HealthStatus,
    /// The same for a person, with figures.
    pub detail: String,
}

/// How a task is that runs by itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskState {
    /// How often it has run in this process.
    pub runs: u64,
    /// Null before the first run.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub last_run: Option<Timestamp>,
    /// Null where it is not known.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub next_run: Option<Timestamp>,
    /// Of the last run that failed, until one succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub last_error: Option<String>,
}
