//! `/services`: where the services are, for clients that were told this address only.

use axum::extract::State;
use http::{HeaderMap, header};
use starkeep_contract::services::Services;
use starkeep_platform::answer::Answer;

use super::Shared;

/// Show the addresses of all services.
#[utoipa::path(get, path = "/services", operation_id = "getServices", tag = "service", responses(
    (status = 200, body = Services, description = "The addresses for clients"),
))]
pub(super) async fn show(State(api): State<Shared>, headers: HeaderMap) -> Answer {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    Answer::ok(&api.services.told_to(host))
}
