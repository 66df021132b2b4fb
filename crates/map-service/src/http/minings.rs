//! `/planets/{planet_id}/minings`: takes an amount out of a planet's deposit.
//! It is the most frequent write; many of them share a commit.

use std::sync::Arc;

use axum::extract::State;
use starkeep_contract::PlanetId;
use starkeep_contract::game::Rounds;
use starkeep_contract::map::{CreateMining, Mining as MiningAnswer};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{Away, BadBody};
use starkeep_platform::http::{ErrorResponse, Id, Json};
use starkeep_platform::idempotency::IdempotencyContext;

use super::refusals::{GameworldInactive, MiningClosed, NothingToMine};
use super::refused;
use super::round::Round;
use crate::app::App;
use crate::domain::Mining;
use crate::wire;

/// Mines a planet's deposit.
///
/// What is mined is the smaller of what is asked for and what is left: nothing, on an exhausted deposit. The result is
/// announced on `resource-mined`, too. Needs the admin token where mining is closed.
#[utoipa::path(
    post, path = "/planets/{planet_id}/minings", operation_id = "mine", tag = "mining", security((), ("admin" = [])),
    params(
        ("planet_id" = PlanetId, Path, description = "The planet's id"),
        ("Starkeep-Round" = inline(Option<Rounds>), Header, description = "The round, for the event's `about`; taken from the host only."),
    ),
    request_body = CreateMining,
    responses(
        (status = 201, body = MiningAnswer, description = "What was mined."),
        BadBody, MiningClosed, NothingToMine, GameworldInactive, Away,
    )
)]
pub(super) async fn mine(
    State(app): State<Arc<App>>,
    Id(planet): Id<PlanetId>,
    Round(round): Round,
    once: IdempotencyContext,
    Json(request): Json<CreateMining>,
) -> Result<Answer, ErrorResponse> {
    let mining = app.mine(wire::mining_request(planet, &request, round), once.with(mined)).await;
    mining.map(|mining| mined(&mining)).map_err(refused(&app))
}

fn mined(mining: &Mining) -> Answer {
    Answer::created(&wire::mining(mining))
}
