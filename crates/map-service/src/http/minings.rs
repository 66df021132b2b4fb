//! `/planets/{planet_id}/minings`: turning a robot's mining command into an amount that has left the planet.
//! It is the busiest of the writes; many of them share a commit.

use std::sync::Arc;

use axum::extract::State;
use starkeep_contract::map::{CreateMining, Mining as MiningAnswer};
use starkeep_contract::{PlanetId, Problem};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::{Id, Json, Refusal};
use starkeep_platform::once::Once;

use super::refused;
use crate::app::{App, Mining};
use crate::wire;

/// Mines a planet's deposit.
///
/// What is mined is the smaller of what is asked for and what is left: nothing, on an exhausted deposit. The result is
/// announced on `resource-mined`, too. Needs the admin token where mining is closed.
#[utoipa::path(
    post, path = "/planets/{planet_id}/minings", tag = "mining", security((), ("admin" = [])),
    params(
        ("planet_id" = PlanetId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "A repeat with the same key gets the first answer."),
    ),
    request_body = CreateMining,
    responses(
        (status = 201, body = MiningAnswer, description = "What was mined."),
        (status = 400, body = Problem, content_type = "application/problem+json", description = "unreadable-json"),
        (status = 401, body = Problem, content_type = "application/problem+json",
            description = "unauthorized, where mining is closed"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "unknown-planet, no-deposit"),
        (status = 409, body = Problem, content_type = "application/problem+json",
            description = "gameworld-inactive (msd: 403)"),
        (status = 413, body = Problem, content_type = "application/problem+json", description = "body-too-large"),
        (status = 415, body = Problem, content_type = "application/problem+json", description = "not-json"),
        (status = 422, body = Problem, content_type = "application/problem+json",
            description = "invalid-field, invalid-idempotency-key, idempotency-key-reused"),
        (status = 503, body = Problem, content_type = "application/problem+json", description = "storage-unavailable"),
    )
)]
pub(super) async fn mine(
    State(app): State<Arc<App>>,
    Id(planet): Id<PlanetId>,
    once: Once,
    Json(request): Json<CreateMining>,
) -> Result<Answer, Refusal> {
    let mining = app.mine(wire::order(planet, &request), once.with(mined)).await;
    mining.map(|mining| mined(&mining)).map_err(refused(&app))
}

fn mined(mining: &Mining) -> Answer {
    Answer::created(&wire::mining(mining))
}
