//! `/gameworlds/{id}/replenishments`: replenishes a gameworld whose host decides when that happens.
//! Others are replenished by a task.

use std::sync::Arc;

use axum::extract::State;
use starkeep_contract::WorldId;
use starkeep_contract::game::Rounds;
use starkeep_contract::map::Replenishment;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{Away, BadParameter, HostOnly};
use starkeep_platform::http::{ErrorResponse, Id};
use starkeep_platform::idempotency::IdempotencyContext;

use super::refusals::{NotReplenished, UnknownGameworld};
use super::refused;
use super::round::Round;
use crate::app::App;
use crate::domain::Replenishing;
use crate::wire;

/// Replenishes a gameworld.
///
/// Every exhausted deposit is replaced by a full one, and one of those that are partly mined is filled up. Each is announced on
/// `resource-replenished`. Only for gameworlds that were made with `"replenishment": "on_request"`. A body is not needed.
#[utoipa::path(
    post, path = "/gameworlds/{id}/replenishments", operation_id = "replenishGameworld", tag = "host", security(("admin" = [])),
    params(
        ("id" = WorldId, Path, description = "The gameworld's id"),
        ("Starkeep-Round" = inline(Option<Rounds>), Header, description = "The round after which it happens, for the events' `about`."),
    ),
    responses(
        (status = 201, body = Replenishment, description = "What was replenished; an empty list if there was nothing to do."),
        BadParameter, HostOnly, UnknownGameworld, NotReplenished, Away,
    )
)]
pub(super) async fn replenish(
    State(app): State<Arc<App>>,
    Id(id): Id<WorldId>,
    Round(round): Round,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    let done = app.replenish_on_request(wire::world_id(id), round, once.with(replenished)).await;
    done.map(|done| replenished(&done)).map_err(refused(&app))
}

fn replenished(done: &Replenishing) -> Answer {
    Answer::created(&wire::replenishment(done))
}
