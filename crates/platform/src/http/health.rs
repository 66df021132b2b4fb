//! The answer to `GET /health`: 503 where the service cannot work, 200 otherwise. A host may ask for a digest of what is in memory.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use starkeep_contract::health::{Health, HealthStatus};
use utoipa::IntoParams;

use super::ErrorResponse;
use super::auth::AdminToken;
use super::path::Params;
use crate::answer::Answer;

/// Asks a service how it is, with a digest or without.
pub type HealthCheck = Arc<dyn Fn(Digest) -> BoxFuture<'static, Health> + Send + Sync>;

/// Whether a digest is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digest {
    Wanted,
    NotWanted,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HealthQuery {
    /// With a digest of what is in memory, where replicas share the data. For the host.
    #[serde(default)]
    digest: bool,
}

/// The digest costs as much as reading all that is in memory, so it is for the host.
pub(super) async fn answer(
    check: HealthCheck,
    admin_token: AdminToken,
    Params(query): Params<HealthQuery>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let wanted = if query.digest { Digest::Wanted } else { Digest::NotWanted };
    if wanted == Digest::Wanted {
        admin_token.admits(&headers)?;
    }
    let health = check(wanted).await;
    let status =
        if health.status == HealthStatus::Failing { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    Ok(Answer::json(status, &health).into_response())
}
