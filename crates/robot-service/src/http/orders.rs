//! `/robots/{robotId}/…`: what trading orders for one robot. Only services may call it.

use axum::extract::State;
use http::{HeaderMap, StatusCode};
use starkeep_contract::RobotId as WireRobotId;
use starkeep_contract::robot_service::{ResourceAmounts, RestoreRobot, UpgradeRobot};
use starkeep_executor::BatchHeaders;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::documented_problems::{Away, HostOnly};
use starkeep_platform::idempotency::IdempotencyContext;
use starkeep_robot_core::{Amounts, CommandId};

use super::Api;
use super::body::{Body, RobotInPath};
use super::refusals::{NotAccepted, OrderRefused, UnknownRobot, UpgradeRefused};
use crate::domain::Order;
use crate::wire;

/// Gives a robot its next level of something.
#[utoipa::path(
    post, path = "/robots/{robotId}/upgrades", operation_id = "upgradeRobot", tag = "services", security(("admin" = [])),
    params(("robotId" = WireRobotId, Path, description = "The robot's id")), request_body = UpgradeRobot,
    responses(
        (status = 200, body = String, content_type = "text/plain", description = "What it has now, in a sentence.",
            example = json!("STORAGE of robot 5eed0000-0000-4000-8000-000000000003 has been updated to LVL1")),
        NotAccepted, HostOnly, UnknownRobot, UpgradeRefused, Away,
    )
)]
pub(super) async fn upgrade(
    State(Api { app, .. }): State<Api>,
    headers: HeaderMap,
    RobotInPath(robot): RobotInPath,
    once: IdempotencyContext,
    Body(request): Body<UpgradeRobot>,
) -> Result<Answer, ErrorResponse> {
    let (headers, transaction) = (BatchHeaders::read(&headers)?, CommandId(request.transaction_id.0));
    let level = (robot, wire::upgrade(request.upgrade_type), request.target_level);
    let done = app.upgrade(headers, transaction, level, once.with(carried_out)).await;
    done.map(|order| carried_out(&order)).map_err(wire::refuse)
}

/// Fills up a robot's health or energy.
#[utoipa::path(
    post, path = "/robots/{robotId}/instant-restore", operation_id = "restoreRobot", tag = "services", security(("admin" = [])),
    params(("robotId" = WireRobotId, Path, description = "The robot's id")), request_body = RestoreRobot,
    responses(
        (status = 200, body = String, content_type = "text/plain", description = "What was filled up, in a sentence.",
            example = json!("robot 5eed0000-0000-4000-8000-000000000003 energy restored")),
        NotAccepted, HostOnly, UnknownRobot, OrderRefused, Away,
    )
)]
pub(super) async fn restore(
    State(Api { app, .. }): State<Api>,
    headers: HeaderMap,
    RobotInPath(robot): RobotInPath,
    once: IdempotencyContext,
    Body(request): Body<RestoreRobot>,
) -> Result<Answer, ErrorResponse> {
    let (headers, transaction) = (BatchHeaders::read(&headers)?, CommandId(request.transaction_id.0));
    let filled = (robot, wire::restoration(request.restoration_type));
    let done = app.restore(headers, transaction, filled, once.with(carried_out)).await;
    done.map(|order| carried_out(&order)).map_err(wire::refuse)
}

/// Empties a robot's storage, to sell what was in it.
///
/// It has no transaction: send an `Idempotency-Key` to be able to repeat it.
#[utoipa::path(
    post, path = "/robots/{robotId}/inventory/clearResources", operation_id = "clearResources", tag = "services", security(("admin" = [])),
    params(("robotId" = WireRobotId, Path, description = "The robot's id")),
    responses(
        (status = 200, body = ResourceAmounts, description = "What was in it."),
        NotAccepted, HostOnly, UnknownRobot, OrderRefused, Away,
    )
)]
pub(super) async fn unload(
    State(Api { app, .. }): State<Api>,
    headers: HeaderMap,
    RobotInPath(robot): RobotInPath,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    let headers = BatchHeaders::read(&headers)?;
    let unloaded = app.unload(headers, robot, once.with(self::unloaded)).await;
    unloaded.map(|amounts| self::unloaded(&amounts)).map_err(wire::refuse)
}

fn carried_out(order: &Order) -> Answer {
    Answer::text(StatusCode::OK, wire::order_answer(order))
}

fn unloaded(amounts: &Amounts) -> Answer {
    Answer::ok(&wire::amounts(*amounts))
}
