//! `/robots`: where a robot service without Kafka tells of its robots.

use axum::extract::State;
use starkeep_contract::RobotId;
use starkeep_contract::robot::{KnownRobot, RobotSpawned};
use starkeep_game_core::{PlayerId, RobotId as CoreRobotId, RobotReport};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{Away, BadBody, Conflict, HostOnly};
use starkeep_platform::http::{ErrorResponse, Id, Json};

use super::Shared;
use super::refusals::{NoRobotId, UnknownRobot};

/// Tell that a robot was spawned. Telling it again changes nothing.
///
/// In the msd dialect it acts in the game that runs, or in the next one to start.
#[utoipa::path(put, path = "/robots/{robotId}", operation_id = "announceRobot", tag = "robots", security(("admin" = [])),
    params(("robotId" = uuid::Uuid, Path, description = "The robot's id")),
    request_body = RobotSpawned, responses(
    (status = 200, body = KnownRobot, description = "The robot as it is known"),
    BadBody, HostOnly, NoRobotId, Conflict, Away,
))]
pub(super) async fn spawned(
    State(app): State<Shared>,
    Id(id): Id<RobotId>,
    Json(request): Json<RobotSpawned>,
) -> Result<Answer, ErrorResponse> {
    let report =
        RobotReport::Spawned { robot: CoreRobotId(id.0), owner: PlayerId(request.player_id.0), at: None };
    let robot = app.record_robot_report(report).await.map_err(|failure| app.wire.refuse(failure))?;
    Ok(Answer::ok(&KnownRobot { robot_id: id, player_id: request.player_id, alive: robot.alive }))
}

/// Tell that a robot is destroyed. Telling it again changes nothing.
#[utoipa::path(delete, path = "/robots/{robotId}", operation_id = "reportRobotDestroyed", tag = "robots", security(("admin" = [])),
    params(("robotId" = uuid::Uuid, Path, description = "The robot's id")), responses(
    (status = 204, description = "It takes no commands any longer"),
    HostOnly, UnknownRobot, Away,
))]
pub(super) async fn destroyed(
    State(app): State<Shared>,
    Id(id): Id<RobotId>,
) -> Result<Answer, ErrorResponse> {
    let report = RobotReport::Destroyed { robot: CoreRobotId(id.0) };
    app.record_robot_report(report).await.map_err(|failure| app.wire.refuse(failure))?;
    Ok(Answer::nothing())
}
