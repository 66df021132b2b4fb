//! The answer to `GET /health`: the frame that every service puts its parts into.
//! How a part is, is for the service to say; how the background tasks are, the leader's board tells.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use http::StatusCode;
use starkeep_contract::Dialect;
use starkeep_contract::health::{Health, HealthStatus, Part};

use crate::relay::RelayStatus;
use crate::tasks::Leader;

/// Asks a service how it is.
pub type HealthCheck = Arc<dyn Fn() -> BoxFuture<'static, Health> + Send + Sync>;

/// The parts of a service by their names.
pub type Parts = BTreeMap<String, Part>;

/// The whole is as its worst part is. Where events are sent on, that is a part as well.
pub fn check<F, Fut>(
    service: &'static str,
    dialect: Dialect,
    leader: Leader,
    relay: Option<Arc<RelayStatus>>,
    parts: F,
) -> HealthCheck
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Parts> + Send + 'static,
{
    Arc::new(move || {
        let (leader, relay, parts) = (leader.clone(), relay.clone(), parts());
        Box::pin(async move {
            let mut parts = parts.await;
            parts.extend(relay.map(|relay| ("kafka".to_owned(), relay.part())));
            Health {
                status: parts.values().map(|part| part.status).max().unwrap_or(HealthStatus::Ok),
                service: service.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                dialect: dialect.name().to_owned(),
                parts,
                tasks: leader.states(),
                lateness: BTreeMap::new(),
            }
        })
    })
}

/// A part that is as it should be.
pub fn well(detail: impl Into<String>) -> Part {
    Part { status: HealthStatus::Ok, detail: detail.into() }
}

/// A part without which the service works all the same.
pub fn degraded(detail: impl Into<String>) -> Part {
    Part { status: HealthStatus::Degraded, detail: detail.into() }
}

/// The part without which a service cannot do anything.
pub fn storage(check: Result<(), String>) -> Part {
    match check {
        Ok(()) => well("can be written"),
        Err(fault) => Part { status: HealthStatus::Failing, detail: format!("cannot be written: {fault}") },
    }
}

pub(super) async fn answer(check: HealthCheck) -> Response {
    let health = check().await;
    let status =
        if health.status == HealthStatus::Failing { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (status, axum::Json(health)).into_response()
}
