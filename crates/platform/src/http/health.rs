//! The answer to `GET /health`: 503 where the service cannot work, 200 otherwise.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use http::StatusCode;
use starkeep_contract::health::{Health, HealthStatus};

use crate::answer::Answer;

/// Asks a service how it is.
pub type HealthCheck = Arc<dyn Fn() -> BoxFuture<'static, Health> + Send + Sync>;

pub(super) async fn answer(check: HealthCheck) -> Response {
    let health = check().await;
    let status =
        if health.status == HealthStatus::Failing { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    Answer::json(status, &health).into_response()
}
